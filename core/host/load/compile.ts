// Compiles a plugin to one CommonJS file with esbuild. Cached by the hash of all inputs, so that a normal start does
// not load the compiler.
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rm, stat } from 'node:fs/promises'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { BuildFailure, Message, Plugin } from 'esbuild'
import { replaceFile } from '../../storage/atomic-file.ts'
import { linesOnly } from './line-map.ts'
import { LoadError, type SourcePosition } from '../run/fault.ts'
import { SHARED_MODULES } from './shared-modules.ts'

// Part of every hash: increment it when compilation changes.
const RECIPE = 'playhead-compile/6'
/** Another process may be compiling into the same folder. */
const UNUSED_MS = 3_600_000
const ENDINGS = ['.cjs', '.cjs.map'] as const

interface CompileRequest {
  readonly id: string
  readonly directory: string
  readonly entry: string
  /** The cache folder; null disables the cache. */
  readonly cacheDirectory: string | null
}

export interface CompiledPlugin {
  /** Ends with the location of its source map. */
  readonly code: string
  /** Hash of the recipe and all inputs. */
  readonly hash: string
  /** Absolute paths of all source files. */
  readonly inputs: readonly string[]
  readonly fromCache: boolean
  readonly ms: number
}

interface CacheIndex {
  readonly recipe: string
  readonly inputs: readonly string[]
  readonly hash: string
}

/** Compiles a plugin or reads it from the cache. Throws a LoadError of phase `build` with file and line. */
export async function compilePlugin(request: CompileRequest): Promise<CompiledPlugin> {
  const startedAt = performance.now()
  const cached = await fromCache(request)
  if (cached !== null) return { ...cached, fromCache: true, ms: performance.now() - startedAt }

  const sources = createSources()
  const built = await build(request, sources)
  const inputs = Object.keys(built.inputs)
    .map((input) => resolve(request.directory, input))
    .sort()
  const hash = await hashOf(request, inputs, sources.read)
  const isKept = await keep(request, { recipe: RECIPE, inputs, hash }, built)
  const code = isKept
    ? withMap(built.code, cacheFile(request, hash, '.cjs.map'))
    : `${built.code}//# sourceMappingURL=data:application/json;base64,${Buffer.from(built.map).toString('base64')}\n`
  return { code, hash, inputs, fromCache: false, ms: performance.now() - startedAt }
}

// The map is a separate file: V8 keeps a script's text in memory, and an inline map doubles it.
export function withMap(code: string, file: string): string {
  // A path, because Node reads source maps only from paths and data: URLs.
  return `${code}//# sourceMappingURL=${pathToFileURL(file).pathname}\n`
}

interface Built {
  readonly code: string
  readonly map: string
  readonly inputs: Readonly<Record<string, unknown>>
}

async function build(request: CompileRequest, sources: Sources): Promise<Built> {
  const esbuild = await import('esbuild')
  const entry = join(request.directory, request.entry)
  try {
    const result = await esbuild.build({
      entryPoints: [entry],
      absWorkingDir: request.directory,
      // Nothing is written; the map's sources are relative to it.
      outfile: join(request.directory, `${request.id}.cjs`),
      sourceRoot: `${pathToFileURL(request.directory).href}/`,
      write: false,
      bundle: true,
      format: 'cjs',
      platform: 'node',
      target: 'node26',
      // V8 stores a text with any non-Latin character as two bytes per character. Regular expressions and comments are
      // unaffected: https://esbuild.github.io/api/#charset
      charset: 'ascii',
      // V8 keeps the text. Names stay, for errors and logs; shorter syntax would drop those of function expressions.
      minifyWhitespace: true,
      external: [...SHARED_MODULES],
      // Becomes a call of our `require`, which controls imports.
      supported: { 'dynamic-import': false },
      sourcemap: 'external',
      sourcesContent: false,
      // Replaces timers, fetch and process: see plugin-globals.ts.
      banner: { js: GLOBALS_BANNER },
      metafile: true,
      plugins: [ownFilesOnly(request.directory), sources.plugin],
      logLevel: 'silent',
      logOverride: { 'empty-import-meta': 'error', 'direct-eval': 'error', 'commonjs-variable-in-esm': 'error' },
    })
    const textOf = (ending: string) => result.outputFiles.find(({ path }) => path.endsWith(ending))!.text
    const code = textOf('.cjs')
    return { code, map: linesOnly(textOf('.cjs.map'), code), inputs: result.metafile.inputs }
  } catch (error) {
    throw toBuildError(request.id, error)
  }
}

/** Converts a compiler error, with file and line. */
export function toBuildError(id: string, error: unknown): LoadError {
  const first = (error as Partial<BuildFailure>).errors?.[0]
  if (first === undefined)
    return new LoadError('build', 'PLH_PLUGIN_BUILD', `Plugin "${id}" could not be compiled.`, { cause: error })
  return new LoadError('build', 'PLH_PLUGIN_BUILD', describe(first), { position: positionOf(first) })
}

// Restricts imports to the plugin's own files, bundled packages and the SDK.
export function ownFilesOnly(directory: string): Plugin {
  return {
    name: 'own-files-only',
    setup(build) {
      build.onResolve({ filter: /^(?:\.\.[/\\]|[/\\])/ }, ({ path, resolveDir, kind }) => {
        const target = resolve(resolveDir, path)
        const isOwn = resolveDir === directory || resolveDir.startsWith(directory + sep)
        const home = isOwn ? directory : packageFolderOf(resolveDir)
        if (kind === 'entry-point' || home === undefined || target.startsWith(home + sep)) return undefined
        return {
          errors: [
            {
              text: `"${path}" lies outside the plugin's folder. Plugins import @playhead/sdk, packages and their own files.`,
            },
          ],
        }
      })
    },
  }
}

/** The package of a bundled file; a linked package resolves to its real folder. */
function packageFolderOf(folder: string): string | undefined {
  if (folder.includes(`${sep}node_modules${sep}`)) return undefined
  for (let at = folder; ; at = dirname(at)) {
    if (existsSync(join(at, 'package.json'))) return at
    if (at === dirname(at)) return undefined
  }
}

const GLOBALS = [
  'setTimeout',
  'clearTimeout',
  'setInterval',
  'clearInterval',
  'setImmediate',
  'clearImmediate',
  'fetch',
  'WebSocket',
  'EventSource',
  'process',
  'console',
]
const GLOBALS_BANNER = `const { ${GLOBALS.join(', ')} } = require('playhead:globals');`

function describe(message: Message): string {
  const { location, text } = message
  return location === null ? text : `${location.file}:${location.line}:${location.column + 1}: ${text}`
}

function positionOf({ location }: Message): SourcePosition | null {
  return location === null ? null : { file: location.file, line: location.line, column: location.column + 1 }
}

export interface Sources {
  readonly plugin: Plugin
  /** The content that was compiled. */
  read(file: string): Promise<Uint8Array>
}

/**
 * Reads sources for the compiler, once: a concurrent save must not change the hash of older content.
 *
 * @param directory the compiler itself reads files elsewhere, which is faster
 */
export function createSources(directory = ''): Sources {
  const contents = new Map<string, Uint8Array>()
  return {
    plugin: {
      name: 'sources',
      setup(build) {
        build.onLoad({ filter: new RegExp(`^${RegExp.escape(directory)}`), namespace: 'file' }, async ({ path }) => {
          const read = await readFile(path)
          contents.set(path, read)
          return { contents: read, loader: 'default' }
        })
      },
    },
    read: async (file) => contents.get(file) ?? readFile(file),
  }
}

async function hashOf(request: CompileRequest, inputs: readonly string[], read: Sources['read']): Promise<string> {
  const hash = createHash('sha256').update(`${RECIPE}\n${request.id}\n${request.entry}\n`)
  const contents = await Promise.all(inputs.map((input) => read(input)))
  for (const [index, input] of inputs.entries())
    hash.update(`${relative(request.directory, input)}\n`).update(contents[index] as Uint8Array)
  return hash.digest('hex')
}

async function fromCache(request: CompileRequest): Promise<Pick<CompiledPlugin, 'code' | 'hash' | 'inputs'> | null> {
  if (request.cacheDirectory === null) return null
  try {
    const index = await readIndex(indexFile(request))
    if (index.recipe !== RECIPE) return null
    if ((await hashOf(request, index.inputs, readFile)) !== index.hash) return null
    const code = await readFile(cacheFile(request, index.hash, '.cjs'), 'utf8')
    return { code: withMap(code, cacheFile(request, index.hash, '.cjs.map')), hash: index.hash, inputs: index.inputs }
  } catch {
    // An unreadable cache counts as empty.
    return null
  }
}

// The index refers to the code by hash and is written last, so a crash leaves the previous one. Old code stays until
// the next start: it may be running, and stack traces need its map. False if nothing is kept.
async function keep(request: CompileRequest, index: CacheIndex, { code, map }: Built): Promise<boolean> {
  if (request.cacheDirectory === null) return false
  try {
    await mkdir(dirname(indexFile(request)), { recursive: true })
    await Promise.all([
      replaceFile(cacheFile(request, index.hash, '.cjs'), code),
      replaceFile(cacheFile(request, index.hash, '.cjs.map'), map),
    ])
    await replaceFile(indexFile(request), JSON.stringify(index))
    return true
  } catch {
    // The plugin runs without it; health reports a full disk.
    return false
  }
}

/** Removes files without an index: earlier versions and incomplete writes. Only at start, when no old version runs. */
export async function sweepCompiled(cacheDirectory: string): Promise<void> {
  const names = await readdir(cacheDirectory).catch(() => [])
  const used = new Set<string>()
  for (const name of names.filter((name) => name.endsWith('.json') && !name.endsWith('.pages.json'))) {
    // An unreadable index is rewritten with its plugin.
    const index = await readIndex(join(cacheDirectory, name)).catch(() => null)
    for (const ending of ENDINGS) used.add(nameOf(name, index?.hash ?? '', ending))
  }
  for (const name of names.filter((name) => !name.endsWith('.json') && !used.has(name))) {
    const file = join(cacheDirectory, name)
    const { mtimeMs } = await stat(file).catch(() => ({ mtimeMs: Infinity }))
    // Leftover files are harmless.
    if (Date.now() - mtimeMs > UNUSED_MS) await rm(file, { force: true }).catch(() => undefined)
  }
}

/** Removes all files of a plugin. */
export async function forgetCompiled(cacheDirectory: string, id: string): Promise<void> {
  const names = await readdir(cacheDirectory).catch(() => [])
  const own = new RegExp(`^${id}-[0-9a-f]{8}[-.]`)
  for (const name of names.filter((one) => own.test(one))) await rm(join(cacheDirectory, name), { force: true })
}

async function readIndex(file: string): Promise<CacheIndex> {
  return JSON.parse(await readFile(file, 'utf8')) as CacheIndex
}

function indexFile({ cacheDirectory, id, directory }: CompileRequest): string {
  // A bundled and a user's copy of a plugin have separate entries.
  return join(
    cacheDirectory as string,
    `${id}-${createHash('sha256').update(directory).digest('hex').slice(0, 8)}.json`,
  )
}

export function cacheFile(request: CompileRequest, hash: string, ending: (typeof ENDINGS)[number]): string {
  return nameOf(indexFile(request), hash, ending)
}

function nameOf(index: string, hash: string, ending: (typeof ENDINGS)[number]): string {
  return index.replace(/\.json$/, `-${hash.slice(0, 16)}${ending}`)
}

/** The `integrity` of a registry entry: over the manifest and all sources. */
export async function integrityOf(directory: string, inputs: readonly string[]): Promise<string> {
  const hash = createHash('sha256')
  for (const file of [join(directory, 'plugin.json'), ...inputs].sort()) {
    hash.update(`${relative(directory, file)}\n`).update(await readFile(file))
  }
  return `sha256-${hash.digest('base64')}`
}
