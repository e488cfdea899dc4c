// slow: packages packed, installed and updated
// The command line is killed at random points of an update: the plugin is completely the old or the new version.
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { isWhole } from '../../core/packages/install.ts'
import { openSandbox } from '../core/cli/support.ts'
import { startNpmRegistry } from '../upstreams/npm-registry.ts'
import { pluginFiles, tarball } from './tarballs.ts'

t.setTimeout(900_000)
const NAME = 'playhead-plugin-hello'
const KILLS = 8

t.test('kill -9 in an update leaves the old version or the new one', async (t) => {
  await using registry = await startNpmRegistry()
  await using sandbox = await openSandbox({ PLAYHEAD_NPM_REGISTRY: registry.url })
  const file = join(sandbox.data, 'plugin-registry.json')
  const publish = (minor: number) => {
    const version = `1.${minor}.0`
    // Many files, so that a kill can happen between them.
    const more = Array.from({ length: 150 }, (_, n) => ({
      path: `package/files/${n}.txt`,
      content: `${n} `.repeat(500),
    }))
    registry.put(NAME, { name: NAME, version }, tarball([...pluginFiles({ version }), ...more]))
    return version
  }
  publish(0)
  t.match(await sandbox.cli('plugin', 'add', NAME, '--yes'), { code: 0 })
  // Measures how long an update takes.
  publish(1)
  const startedAt = performance.now()
  t.match(await sandbox.program('plugin', 'update', 'hello'), { code: 0 })
  const wholeMs = performance.now() - startedAt

  let live = '1.1.0'
  for (let kill = 0; kill < KILLS; kill += 1) {
    const next = publish(kill + 2)
    const child = sandbox.start('plugin', 'update', 'hello')
    const ended = once(child, 'exit')
    await Promise.race([sleep(wholeMs * (0.5 + (0.6 * kill) / KILLS)), ended])
    child.kill('SIGKILL')
    await ended
    const { plugins } = JSON.parse(await readFile(file, 'utf8'))
    const [{ source, integrity, package: found }] = plugins
    t.ok([live, next].includes(found.live.version), `${found.live.version} is ${live} or ${next}`)
    t.match({ source, integrity }, { source: found.live.folder, integrity: found.live.integrity })
    t.ok(await isWhole(file, 'hello', found.live), 'and whole')
    if (found.previous !== undefined) t.ok(await isWhole(file, 'hello', found.previous), 'so is the one before')
    live = found.live.version
  }
  t.match(await sandbox.cli('plugin', 'update', 'hello'), { code: 0 })
  t.match(await sandbox.cli('plugin', 'rollback', 'hello'), { code: 0 })
})
