// Plugin sources to one CommonJS text, with esbuild. The result is kept under the hash of everything that went in, so that
// a normal start compiles nothing and does not even load the compiler.
import { createHash, randomUUID } from 'node:crypto'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join, relative, resolve, sep } from 'node:path'
import type { BuildFailure, Message, Plugin } from 'esbuild'
import { LoadError, type SourcePosition } from './fault.ts'
import { SHARED_MODULES } from './shared-modules.ts'

// Part of every hash: raise it when the way of compiling changes.
const RECIPE = 'playhead-compile/1'

export interface CompileRequest {
  readonly id: string
  readonly directory: string
  readonly entry: string
  /** Where compiled plugins are kept; null compiles without keeping. */
  readonly cacheDirectory: string | null
}

export interface CompiledPlugin {
  readonly code: string
  /** Over the recipe and the contents of all inputs. */
  readonly hash: string
  /** Absolute paths of all source files that went in. */
  readonly inputs: readonly string[]
  readonly fromCache: boolean
  readonly ms: number
}

interface CacheIndex {
  readonly recipe: string
  readonly inputs: readonly string[]
  readonly hash: string
}

/** Compiles a plugin or takes it from the cache. Throws a LoadError of phase `build` with file and line. */
export async function compilePlugin(request: CompileRequest): Promise<CompiledPlugin> {
  const startedAt = performance.now()
  const cached = await fromCache(request)
  if (cached !== null) return { ...cached, fromCache: true, ms: performance.now() - startedAt }

  const built = await build(request)
  const inputs = Object.keys(built.inputs).map((input) => resolve(request.directory, input)).sort()
  const hash = await hashOf(request, inputs)
  if (request.cacheDirectory !== null) await keep(request, { recipe: RECIPE, inputs, hash }, built.code)
  return { code: built.code, hash, inputs, fromCache: false, ms: performance.now() - startedAt }
}

async function build(request: CompileRequest): Promise<{ code: string; inputs: Record<string, unknown> }> {
  const esbuild = await import('esbuild')
  const entry = join(request.directory, request.entry)
  try {
    const result = await esbuild.build({
      entryPoints: [entry],
      absWorkingDir: request.directory,
      // Never written; it places the map's sources relative to the plugin's folder.
      outfile: join(request.directory, `${request.id}.cjs`),
      write: false,
      bundle: true,
      format: 'cjs',
      platform: 'node',
      target: 'node26',
      charset: 'utf8',
      external: [...SHARED_MODULES],
      // Becomes a call of our require, which decides what may be imported.
      supported: { 'dynamic-import': false },
      sourcemap: 'inline',
      sourcesContent: false,
      // The plugin's own timers, fetch and process: see plugin-globals.ts.
      banner: { js: GLOBALS_BANNER },
      metafile: true,
      plugins: [ownFilesOnly(request.directory)],
      logLevel: 'silent',
      logOverride: { 'empty-import-meta': 'error', 'direct-eval': 'error', 'commonjs-variable-in-esm': 'error' },
    })
    const output = result.outputFiles[0]
    if (output === undefined) throw new Error('the compiler gave no output')
    return { code: output.text, inputs: result.metafile.inputs }
  } catch (error) {
    throw toBuildError(request.id, error)
  }
}

/** What the compiler threw, with file and line. */
export function toBuildError(id: string, error: unknown): LoadError {
  const first = (error as Partial<BuildFailure>).errors?.[0]
  if (first === undefined) return new LoadError('build', 'PLH_PLUGIN_BUILD', `Plugin "${id}" could not be compiled.`, { cause: error })
  return new LoadError('build', 'PLH_PLUGIN_BUILD', describe(first), { position: positionOf(first) })
}

// A plugin imports its own files, bundled packages and the SDK: neither the host's code nor another plugin's.
export function ownFilesOnly(directory: string): Plugin {
  return {
    name: 'own-files-only',
    setup(build) {
      build.onResolve({ filter: /^(?:\.\.[/\\]|[/\\])/ }, ({ path, resolveDir, kind }) => {
        const target = resolve(resolveDir, path)
        if (kind === 'entry-point' || target.startsWith(directory + sep) || resolveDir.includes(`${sep}node_modules${sep}`)) return undefined
        return { errors: [{ text: `"${path}" lies outside the plugin's folder. Plugins import @playhead/sdk, packages and their own files.` }] }
      })
    },
  }
}

const GLOBALS = ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'setImmediate', 'clearImmediate', 'fetch', 'WebSocket', 'EventSource', 'process']
const GLOBALS_BANNER = `const { ${GLOBALS.join(', ')} } = require('playhead:globals');`

function describe(message: Message): string {
  const { location, text } = message
  return location === null ? text : `${location.file}:${location.line}:${location.column + 1}: ${text}`
}

function positionOf({ location }: Message): SourcePosition | null {
  return location === null ? null : { file: location.file, line: location.line, column: location.column + 1 }
}

async function hashOf(request: CompileRequest, inputs: readonly string[]): Promise<string> {
  const hash = createHash('sha256').update(`${RECIPE}\n${request.id}\n${request.entry}\n`)
  const contents = await Promise.all(inputs.map((input) => readFile(input)))
  for (const [index, input] of inputs.entries()) hash.update(`${relative(request.directory, input)}\n`).update(contents[index] as Buffer)
  return hash.digest('hex')
}

async function fromCache(request: CompileRequest): Promise<Pick<CompiledPlugin, 'code' | 'hash' | 'inputs'> | null> {
  if (request.cacheDirectory === null) return null
  try {
    const index = JSON.parse(await readFile(indexFile(request), 'utf8')) as CacheIndex
    if (index.recipe !== RECIPE) return null
    if (await hashOf(request, index.inputs) !== index.hash) return null
    return { code: await readFile(codeFile(request, index.hash), 'utf8'), hash: index.hash, inputs: index.inputs }
  } catch {
    // A cache that cannot be read is an empty cache.
    return null
  }
}

// The index names its code by hash and is written last, so that a crash in between leaves the old pair.
async function keep(request: CompileRequest, index: CacheIndex, code: string): Promise<void> {
  await mkdir(dirname(indexFile(request)), { recursive: true })
  const before = await readFile(indexFile(request), 'utf8').then((text) => (JSON.parse(text) as CacheIndex).hash).catch(() => null)
  await replaceFile(codeFile(request, index.hash), code)
  await replaceFile(indexFile(request), JSON.stringify(index))
  if (before !== null && before !== index.hash) await rm(codeFile(request, before), { force: true })
}

function indexFile({ cacheDirectory, id, directory }: CompileRequest): string {
  // Two copies of a plugin (bundled and a user's own) do not share an entry.
  return join(cacheDirectory as string, `${id}-${createHash('sha256').update(directory).digest('hex').slice(0, 8)}.json`)
}

function codeFile(request: CompileRequest, hash: string): string {
  return indexFile(request).replace(/\.json$/, `-${hash.slice(0, 16)}.cjs`)
}

async function replaceFile(file: string, content: string): Promise<void> {
  const temporary = `${file}.${randomUUID()}.tmp`
  await writeFile(temporary, content)
  await rename(temporary, file)
}

/** The integrity of a plugin as it is written in a registry: over the manifest and all sources. */
export async function integrityOf(directory: string, inputs: readonly string[]): Promise<string> {
  const hash = createHash('sha256')
  for (const file of [join(directory, 'plugin.json'), ...inputs].sort()) {
    hash.update(`${relative(directory, file)}\n`).update(await readFile(file))
  }
  return `sha256-${hash.digest('base64')}`
}
