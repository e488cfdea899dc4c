// slow: real threads, disks and waits
// Evaluation: mapped stack traces, garbage collection, and no plugin in the compile cache on disk.
import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import t from 'tap'
import { compilePlugin } from '../../../core/host/load/compile.ts'
import { evaluatePlugin } from '../../../core/host/load/evaluate.ts'
import { largeSource } from '../../soak/large-plugin.ts'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void
const owner = (generation: number) => ({ plugin: 'thrower', generation, work: 'stage' }) as const
const globals = { setTimeout, clearTimeout, setInterval, clearInterval, setImmediate, clearImmediate, process }

const THROWER = `import { definePlugin } from '@playhead/sdk'

export default definePlugin({
  setup() {
    throw new Error('from line five')
  },
})
`

t.test("a stack shows the author's file and line, even after garbage collection", async (t) => {
  process.setSourceMapsEnabled(true)
  const directory = t.testdir({ 'index.ts': THROWER })
  const { code } = await compilePlugin({ id: 'thrower', directory, entry: 'index.ts', cacheDirectory: null })
  const definition = evaluatePlugin(code, { owner: owner(1), directory, globals, builtins: [] })
  for (let round = 0; round < 5; round += 1) {
    collect()
    await new Promise((resolve) => setImmediate(resolve))
  }
  try {
    await definition.setup?.({} as never)
    t.fail('it must throw')
  } catch (error) {
    t.match((error as Error).stack, new RegExp(`${directory.replaceAll('/', '\\/')}\\/index\\.ts:5:`))
  }
})

t.test('200 versions are evaluated, and all of them are collected', async (t) => {
  const directory = t.testdir(largeSource(0))
  const { code } = await compilePlugin({ id: 'large', directory, entry: 'index.ts', cacheDirectory: null })
  const alive: WeakRef<object>[] = []
  const load = (version: number) => {
    alive.push(
      new WeakRef(
        evaluatePlugin(`${code}\n// ${version}`, {
          owner: { plugin: 'large', generation: version, work: 'stage' },
          directory,
          globals,
          builtins: [],
        }),
      ),
    )
  }
  const settle = async () => {
    for (let round = 0; round < 4; round += 1) {
      collect()
      await new Promise((resolve) => setImmediate(resolve))
    }
    return process.memoryUsage().heapUsed
  }
  for (let version = 1; version <= 20; version += 1) load(version)
  const before = await settle()
  for (let version = 21; version <= 200; version += 1) load(version)
  const after = await settle()
  t.equal(alive.filter((ref) => ref.deref() !== undefined).length, 0)
  const perLoad = (after - before) / 180
  t.ok(perLoad < 20_000, `${Math.round(perLoad)} bytes stay per load`)
})

t.test("Node's compile cache serves the core and never stores a plugin", async (t) => {
  const cache = join(
    t.testdir({ plugin: { 'index.ts': THROWER.replace('from line five', 'nowhere-to-be-stored') } }),
    'cache',
  )
  const script = `
    import { enableCompileCache, flushCompileCache } from 'node:module'
    enableCompileCache(${JSON.stringify(cache)})
    const { compilePlugin } = await import(${JSON.stringify(join(import.meta.dirname, '../../../core/host/load/compile.ts'))})
    const { evaluatePlugin } = await import(${JSON.stringify(join(import.meta.dirname, '../../../core/host/load/evaluate.ts'))})
    const directory = ${JSON.stringify(join(cache, '..', 'plugin'))}
    const { code } = await compilePlugin({ id: 'thrower', directory, entry: 'index.ts', cacheDirectory: null })
    evaluatePlugin(code, { owner: { plugin: 'thrower', generation: 1, work: 'stage' }, directory, globals: globalThis, builtins: [] })
    flushCompileCache()
  `
  const { PATH, HOME } = process.env
  await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], { env: { PATH, HOME } })

  const files = (await readdir(cache, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile())
  const contents = await Promise.all(files.map((entry) => readFile(join(entry.parentPath, entry.name), 'latin1')))
  t.ok(contents.length > 20, `${contents.length} modules of the core are stored`)
  t.ok(contents.every((content) => !content.includes('nowhere-to-be-stored')))
})
