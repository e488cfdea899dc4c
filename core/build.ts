// Makes one bundle of the core and the SDK, with parts that are loaded on demand and one file for each thread: a start
// reads a few files instead of more than a thousand. Usage: `node core/build.ts`; `npm ci` runs it.
// core/start.js and core/cli/playhead.js use it as long as it belongs to the sources.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, glob, mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'
import { build, type BuildOptions, type Metafile } from 'esbuild'
import { BUILT_FOLDER, CACHE_FOLDER, hashOf, LOCK, STAMP } from './built.js'
import { linesOnly } from './host/load/line-map.ts'
import { ROOT, sourcesOfCore } from './installation.ts'
import { FLAGS, VARIABLES } from './runtime-settings.js'

/** Loaded as they are: undici by identity, the compiler as a program, the others rarely. */
const EXTERNAL = ['esbuild', 'undici', 'pino-pretty', 'better-sqlite3', 'bun:sqlite']
/** Entry points that share chunks. */
const ENTRIES = ['start.ts', 'cli/index.ts', 'host/isolated/plugin-thread.ts', 'ship.ts']
/** Small ones: each is one file. */
const THREADS = ['own-database/thread.ts', 'data/thread.ts']

const options = {
  absWorkingDir: ROOT,
  outbase: join(ROOT, 'core'),
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node26',
  external: EXTERNAL,
  // Packages that are CommonJS require Node's modules.
  banner: {
    js: "import{createRequire as createRequire_}from'node:module';const require=createRequire_(import.meta.url);",
  },
  // Names stay, for errors and logs. Without spaces V8 keeps half of the text.
  minifyWhitespace: true,
  minifySyntax: true,
  charset: 'ascii',
  legalComments: 'none',
  // Node reads a map when an error is shown, or destroys a stream.
  sourcemap: 'linked',
  sourcesContent: false,
  metafile: true,
  // The compiler's process outlives a build that is killed, and would write into a folder that the next build removed.
  write: false,
  logLevel: 'warning',
} satisfies BuildOptions

const startedAt = performance.now()
const folder = join(ROOT, BUILT_FOLDER)
await removeDrafts()
const draft = `${folder}.${process.pid}.tmp`
try {
  // Hashed before the sources are read: after an edit meanwhile, the build matches no sources and is not used.
  const sources = [...sourcesOfCore(), LOCK]
  const sourcesHash = hashOf(ROOT, sources)
  const made: Metafile[] = []
  const bundle = async (entries: readonly string[], splitting: boolean) => {
    const { metafile, outputFiles } = await build({
      ...options,
      splitting,
      entryPoints: entries.map((entry) => join(ROOT, 'core', entry)),
      outdir: draft,
    })
    made.push(metafile)
    const code = new Map(outputFiles.map(({ path, text }) => [`${path}.map`, text]))
    for (const { path, text } of outputFiles) {
      await mkdir(dirname(path), { recursive: true })
      await writeFile(path, path.endsWith('.map') ? linesOnly(text, code.get(path) as string) : text)
    }
  }
  await mkdir(draft)
  await Promise.all([bundle(ENTRIES, true), bundle(THREADS, false)])
  const files = made
    .flatMap(({ outputs }) => Object.keys(outputs))
    .filter((file) => !file.endsWith('.map'))
    .map((file) => relative(draft, join(ROOT, file)))
    .sort()
  const stamp = { sources, sourcesHash, files, filesHash: hashOf(draft, files) }
  await writeFile(join(draft, STAMP), JSON.stringify(stamp))
  await rm(folder, { recursive: true, force: true })
  await rename(draft, folder)
} finally {
  await rm(draft, { recursive: true, force: true })
}
await ship()
process.stdout.write(`core: built in ${Math.round(performance.now() - startedAt)} ms\n`)

/**
 * Without it a first start compiles and runs all plugins, which a read-only folder or a machine without a network interface
 * must not turn into a failed installation.
 */
async function ship(): Promise<void> {
  const child = spawn(process.execPath, [...FLAGS, join(folder, 'ship.js')], {
    stdio: ['ignore', 'ignore', 'inherit'],
    // Node reads this cache by its path from the working files, so that they can be moved.
    env: {
      ...process.env,
      ...VARIABLES,
      NODE_COMPILE_CACHE: join(folder, CACHE_FOLDER),
      NODE_COMPILE_CACHE_PORTABLE: '1',
    },
  })
  const [code] = (await once(child, 'exit')) as [number | null]
  if (code !== 0) process.stderr.write('core: the plugins were not built; the first start will compile them.\n')
  // Node keeps it for itself, but a service often runs as another user than the one who installed it.
  for await (const file of glob('*/*', { cwd: join(folder, CACHE_FOLDER) }))
    await chmod(join(folder, CACHE_FOLDER, file), 0o644)
}

/** Left by builds that were killed. */
async function removeDrafts(): Promise<void> {
  for (const name of await readdir(dirname(folder))) {
    const [, pid] = new RegExp(`^${basename(folder)}\\.(\\d+)\\.tmp$`).exec(name) ?? []
    if (pid !== undefined && !isRunning(Number(pid)))
      await rm(join(dirname(folder), name), { recursive: true, force: true })
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
