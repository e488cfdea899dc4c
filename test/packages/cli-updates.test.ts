// slow: packages packed, installed and updated
// `plugin update` and related commands, with a running service and without: a version that cannot run is rolled back with a
// reason, and no data is lost.
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { openSandbox } from '../core/cli/support.ts'
import { startService, until } from '../harness.ts'
import { startNpmRegistry } from '../upstreams/npm-registry.ts'
import { pluginFiles, tarball } from './tarballs.ts'

t.setTimeout(900_000)
const NAME = 'playhead-plugin-hello'

function version(number: string, setup = '', manifest: object = {}): Buffer {
  const source = `import { definePlugin } from '@playhead/sdk'
export default definePlugin({
  async setup(ctx) { ${setup} },
  routes(app) {
    app.get('/api/hello', async () => {
      const count = ((await app.playhead.store.get('count')) ?? 0) + 1
      await app.playhead.store.set('count', count)
      return { version: '${number}', count }
    })
  },
})
`
  return tarball(
    pluginFiles(
      { version: number },
      { source, manifest: { routes: [{ method: 'GET', path: '/api/hello' }], ...manifest } },
    ),
  )
}

const BAD: readonly (readonly [number: string, setup: string, reason: RegExp])[] = [
  ['1.1.0', "throw new Error('bad start')", /bad start/],
  ['1.2.0', 'await new Promise(() => {})', /did not end/],
  ['1.3.0', 'for (;;) {}', /did not answer|did not end/],
]

t.test('the command line rolls back versions that cannot run', async (t) => {
  await using registry = await startNpmRegistry()
  const environment = { PLAYHEAD_NPM_REGISTRY: registry.url }
  const host = { silenceMs: 3_000, drainMs: 500, limits: { setupMs: 4_000 } }
  const publish = (number: string, bytes: Buffer) => registry.put(NAME, { name: NAME, version: number }, bytes)
  await using service = await startService({ environment, host })
  await using sandbox = await openSandbox({ ...environment, PLAYHEAD_DATA_DIR: join(service.directory, 'data') })
  const said = async (...args: readonly string[]) => {
    const { code, output, errors } = await sandbox.cli('plugin', ...args)
    return { code, text: output + errors }
  }
  const hello = async () => (await service.json('/api/hello')).body
  publish('1.0.0', version('1.0.0'))
  t.match(await said('add', `npm:${NAME}`, '--yes'), { code: 0 })
  await until('it runs', async () => (await hello())?.version === '1.0.0')
  let { count } = await hello()

  for (const [number, setup, reason] of BAD) {
    publish(number, version(number, setup))
    const { code, text } = await said('update', 'hello', '--yes')
    t.equal(code, 1, number)
    t.match(text, /did not start, so 1\.0\.0 is live again/, number)
    t.match(text, reason, number)
    await until('the old one answers', async () => (await hello())?.version === '1.0.0')
    const after = await hello()
    t.ok(after.count > count, 'with what it stored')
    ;({ count } = after)
    t.match(await said('list'), { code: 0, text: new RegExp(`hello ${number} was rolled back: .*`) })
    t.match(await said('update', 'hello'), { code: 1, text: /was rolled back: .* Name the version to try it again/ })
  }

  publish('1.4.0', version('1.4.0', '', { needs: { hosts: ['ads.example.com'] } }))
  t.match(await said('update'), { code: 0, text: /1\.4\.0 waits for a review and is not enabled/ })
  t.equal((await hello()).version, '1.0.0')
  t.match(await said('discard', 'hello'), { code: 0 })
  publish('1.5.0', version('1.5.0').subarray(0, 200))
  t.match(await said('update', 'hello', '--yes'), { code: 1, text: /./ })
  t.equal((await hello()).version, '1.0.0', 'what is no archive changes nothing')
  registry.faults.status = 503
  t.match(await said('update', 'hello', '--yes'), { code: 1, text: /./ })
  registry.faults.status = undefined
  t.equal((await hello()).version, '1.0.0')

  // Without a running service, the next start detects it.
  await service.stop()
  // The file names this process, which keeps running.
  await rm(join(service.directory, 'data', 'run', 'holder.json'))
  publish('1.6.0', version('1.6.0', "throw new Error('never starts')"))
  t.match(await said('update', 'hello', '--yes'), {
    code: 0,
    text: /at the next start; if it does not start, 1\.0\.0 takes its place/,
  })
  await using again = await startService({ environment, host, directory: service.directory, withoutAccount: true })
  again.setCookie(service.cookie())
  await until('the old one answers', async () => (await again.json('/api/hello')).body?.version === '1.0.0', 30_000)
  t.match(await said('list'), { text: /hello 1\.6\.0 was rolled back: .*never starts/ })
  publish('1.7.0', version('1.7.0'))
  t.match(await said('update', 'hello', '--yes'), { code: 0 })
  await until('the good one answers', async () => (await again.json('/api/hello')).body?.version === '1.7.0')
  t.match(await said('rollback', 'hello'), { code: 0, text: /1\.0\.0 again/ })
  await until('the first one answers', async () => (await again.json('/api/hello')).body?.version === '1.0.0')
})
