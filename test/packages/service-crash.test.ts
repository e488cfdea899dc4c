// slow: packages packed, installed and updated
// The service is killed at random points of an update and of the trial of a new version: the plugin is completely the old or
// the new version, with its data. A broken new version is always rolled back.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { isWhole } from '../../core/packages/install.ts'
import { expectOk } from '../demo/sign-in.ts'
import { until } from '../harness.ts'
import { clientOf, spawnService } from '../service/process.ts'
import { seed } from '../fast-check.ts'
import { createSeededRandom } from '../upstreams/base/index.ts'
import { startNpmRegistry } from '../upstreams/npm-registry.ts'
import { pluginFiles, tarball } from './tarballs.ts'

const ACCOUNT = { username: 'ada', password: 'correct horse battery' }
const NAME = 'playhead-plugin-hello'
const ROUNDS = Number(process.env['PLAYHEAD_CRASHES'] ?? 12)
const random = createSeededRandom(seed)
const LIMIT_MS = 60_000

t.setTimeout(180_000 + ROUNDS * 60_000)

/** Behaviours of new versions, used in turn. */
const KINDS = [
  { isGood: true, setup: '' },
  { isGood: false, setup: "setTimeout(() => { throw new Error('later') }, 200)" },
  { isGood: false, setup: "throw new Error('bad start')" },
  { isGood: false, setup: 'await new Promise(() => {})' },
  { isGood: false, setup: 'for (;;) {}' },
]

function bytesOf(version: string, setup: string): Buffer {
  const source = `import { definePlugin } from '@playhead/sdk'
export default definePlugin({
  async setup(ctx) { ${setup} },
  routes(app) {
    const { store } = app.playhead
    app.get('/api/hello', async () => ({ version: '${version}', kept: (await store.get('kept')) ?? [] }))
    app.post('/api/hello', async ({ body: { n } }) => {
      await store.set('kept', [...((await store.get('kept')) ?? []), n])
      return { ok: true }
    })
  },
})
`
  const routes = ['GET', 'POST'].map((method) => ({ method, path: '/api/hello' }))
  return tarball(pluginFiles({ version }, { source, manifest: { routes } }))
}

t.test('kill -9 of the service in an update or a trial leaves the old version or the new one', async (t) => {
  await using registry = await startNpmRegistry()
  const publish = (version: string, setup: string) =>
    registry.put(NAME, { name: NAME, version }, bytesOf(version, setup))
  const data = join(t.testdir(), 'data')
  const file = join(data, 'plugin-registry.json')
  const start = () => spawnService(data, { PLAYHEAD_NPM_REGISTRY: registry.url })
  let service = await start()
  await service.post('/api/app-auth/credentials', { enabled: true, ...ACCOUNT })
  let client = await clientOf(service, ACCOUNT)
  publish('1.0.0', '')
  await expectOk(client, '/api/plugin-packages', { package: NAME })
  await expectOk(client, '/api/plugin-packages/hello/accept', { version: '1.0.0' })

  let live = '1.0.0'
  const kept: number[] = []
  const found = { old: 0, new: 0, gaveWay: 0 }
  for (let round = 0; round < ROUNDS; round += 1) {
    const { isGood, setup } = KINDS[round % KINDS.length]!
    const next = `1.${round + 1}.0`
    publish(next, setup)
    await expectOk(client, '/api/hello', { n: round })
    kept.push(round)
    const updating = client.json('/api/plugin-packages/hello/update', { json: {} }).catch(() => undefined)
    await sleep(random.integer(0, 1_500))
    await service.kill('SIGKILL')
    await updating

    const { plugins } = JSON.parse(await readFile(file, 'utf8'))
    const [{ source, integrity, package: stored }] = plugins
    t.ok([live, next].includes(stored.live.version), `${stored.live.version} is ${live} or ${next}`)
    t.match({ source, integrity }, { source: stored.live.folder, integrity: stored.live.integrity })
    t.ok(await isWhole(file, 'hello', stored.live), 'and whole')

    service = await start()
    if (service.url === null) return t.fail(`round ${round}: it does not start: ${service.lines.join('\n')}`)
    client = await clientOf(service, ACCOUNT)
    const wanted = isGood ? stored.live.version : live
    if (!isGood && stored.live.version === next) found.gaveWay += 1
    found[wanted === next ? 'new' : 'old'] += 1
    const what = `round ${round}: ${wanted} answers, after ${stored.live.version} was found`
    await until(what, async () => (await client.json('/api/hello')).body?.version === wanted, LIMIT_MS)
    // A version that breaks later answers for a moment.
    const isListed = async () => {
      await client.json('/api/hello')
      return (await client.json('/api/plugin-packages/hello')).body.package.version === wanted
    }
    await until(`round ${round}: ${wanted} is listed`, isListed, LIMIT_MS)
    t.same((await client.json('/api/hello')).body, { version: wanted, kept }, 'with all of its data')
    live = wanted
  }
  t.ok(found.old > 0 && found.new + found.gaveWay > 0, JSON.stringify(found))
  publish('9.0.0', '')
  t.match(await client.json('/api/plugin-packages/hello/update', { json: {} }), { body: { ok: true } })
  t.match((await client.json('/api/hello')).body, { version: '9.0.0', kept })
  await service.kill('SIGTERM')
})
