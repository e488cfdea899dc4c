// The second part of core/build.ts, run by the built core: starts the service once in an empty folder, as a first start
// would, and keeps the compiled plugins and their snapshots. Usage: `node dist/ship.js`.
import { hash } from 'node:crypto'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { capability, type PluginContext, type PluginManifest } from '@playhead/sdk'
import { BUILT_FOLDER, hashOf } from './built.js'
import { readEnvironment } from './environment.ts'
import { cacheFile, compilePlugin } from './host/load/compile.ts'
import { THREADS } from './host/load/compile-thread.ts'
import { readManifest, readRegistries } from './host/load/registry.ts'
import { SHIPPED_FOLDER, SHIPPED_INDEX, type ShippedEntry, type ShippedIndex } from './host/load/shipped.ts'
import type { PluginSnapshot } from './host/dormant/contract.ts'
import { contentOfCore, ROOT } from './installation.ts'
import { startPlayhead } from './main.ts'
import { replaceFile } from './storage/atomic-file.ts'

const FOLDER = join(ROOT, BUILT_FOLDER, SHIPPED_FOLDER)

const data = await mkdtemp(join(tmpdir(), 'playhead-build-'))
const CACHE = join(data, 'cache', 'plugins')
try {
  await runOnce()
  await mkdir(FOLDER)
  const { plugins } = await readRegistries({
    bundledRegistry: join(ROOT, 'plugin-registry.json'),
    userRegistry: join(data, 'none.json'),
    packages: join(data, 'none'),
  })
  const entries = await Promise.all(plugins.map(async ({ id, directory }) => [id, await ship(id, directory)] as const))
  await shipThreads()
  const index: ShippedIndex = { core: contentOfCore(), plugins: Object.fromEntries(entries) }
  await replaceFile(join(ROOT, BUILT_FOLDER, SHIPPED_INDEX), JSON.stringify(index), 0o644)
} finally {
  await rm(data, { recursive: true, force: true, maxRetries: 10 })
}

async function runOnce(): Promise<void> {
  const environment = readEnvironment({ PLAYHEAD_DATA_DIR: data, PLAYHEAD_HOST: '127.0.0.1', PLAYHEAD_PORT: '0' })
  const threads: Promise<string>[] = []
  const { host, stop } = await startPlayhead({
    environment,
    logTo: () => {},
    // The tests compile them.
    lazySchemas: true,
    host: { snapshotMs: 0, watch: false, watchdog: false, onThread: (compile) => threads.push(compile()) },
  })
  await host.settled()
  await host.snapshotsKept()
  await Promise.all([...threads, ...host.list().map(({ id }) => lend(host.context(id)))])
  await stop(0)
}

/** Compiles the modules that the plugin lends, see `LendModule`. */
async function lend(context: PluginContext | undefined): Promise<void> {
  for (const token of context?.manifest.provides ?? []) {
    const lender = context?.use(capability<{ module(): Promise<unknown> }>(token))
    // Most capabilities lend nothing.
    await lender?.module().catch(() => {})
  }
}

async function shipThreads(): Promise<void> {
  const from = join(CACHE, THREADS)
  const to = join(FOLDER, THREADS)
  await mkdir(to)
  for (const name of await readdir(from).catch(() => [])) {
    const text = await readFile(join(from, name), 'utf8')
    await writeFile(join(to, name), name.endsWith('.map') ? movable(text, to) : text)
  }
}

/** A source map with the path of its sources from its own folder. */
function movable(map: string, folder: string): string {
  const parsed = JSON.parse(map) as { readonly sourceRoot: string }
  return JSON.stringify({ ...parsed, sourceRoot: `${relative(folder, fileURLToPath(parsed.sourceRoot))}/` })
}

async function ship(id: string, directory: string): Promise<ShippedEntry> {
  const manifest: PluginManifest = await readManifest(directory, id)
  const request = { id, directory, entry: manifest.entry ?? 'index.ts', cacheDirectory: CACHE }
  const { hash: compiledHash, inputs } = await compilePlugin(request)
  const [code, map] = await Promise.all([
    readFile(cacheFile(request, compiledHash, '.cjs'), 'utf8'),
    readFile(cacheFile(request, compiledHash, '.cjs.map'), 'utf8'),
  ])
  const sources = [join(directory, 'plugin.json'), ...inputs].map((file) => relative(ROOT, file))
  const made = join(data, 'run', 'plugins', id)
  const [snapshot, description] = await Promise.all(
    ['.json', '.openapi.json'].map((ending) => readFile(made + ending, 'utf8').catch(() => null)),
  )
  await Promise.all([
    writeFile(join(FOLDER, `${id}.cjs`), code),
    writeFile(join(FOLDER, `${id}.cjs.map`), movable(map, FOLDER)),
    description == null ? null : writeFile(join(FOLDER, `${id}.openapi.json`), description),
  ])
  return {
    directory: relative(ROOT, directory),
    sources,
    sourcesHash: hashOf(ROOT, sources),
    manifest,
    compiledHash,
    codeHash: hash('sha256', code),
    // The files are named by `sources`.
    snapshot: snapshot == null ? null : { ...(JSON.parse(snapshot) as PluginSnapshot), files: {} },
  }
}
