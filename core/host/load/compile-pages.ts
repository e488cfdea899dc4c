// Compiles a plugin's pages and panels for browsers, with esbuild: one bundle per module. Cached, so that a start
// compiles nothing.
import { createHash } from 'node:crypto'
import { mkdir, readFile } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'
import type { PluginManifest } from '@playhead/sdk'
import { replaceFile } from '../../storage/atomic-file.ts'
import { createSources, ownFilesOnly, type Sources, toBuildError } from './compile.ts'

const RECIPE = 'playhead-pages/1'

export interface CompiledPages {
  /** Hash of the compiler version and all inputs; part of every address. */
  readonly hash: string
  /** Absolute paths of all source files. */
  readonly inputs: readonly string[]
  /** Contents by file name. */
  readonly files: Readonly<Record<string, string>>
}

interface PagesRequest {
  readonly id: string
  readonly directory: string
  readonly ui: PluginManifest['ui']
  readonly cacheDirectory: string | null
}

interface Kept extends CompiledPages {
  readonly recipe: string
}

/** The served file name of a plugin's module. */
export function pageFile(module: string): string {
  return `${module.replace(/\.[a-z]+$/, '').replaceAll('/', '-')}.js`
}

/** Null without pages. Throws a LoadError of phase `build` with file and line. */
export async function compilePages(request: PagesRequest): Promise<CompiledPages | null> {
  const modules = modulesOf(request.ui)
  if (modules.length === 0) return null
  const known = await fromCache(request, modules)
  if (known !== null) return known
  const sources = createSources()
  const { files, inputs } = await build(request, modules, sources)
  const pages = { hash: await hashOf(request, modules, inputs, sources.read), inputs, files }
  await keep(request, pages)
  return pages
}

async function keep(request: PagesRequest, pages: CompiledPages): Promise<void> {
  if (request.cacheDirectory === null) return
  try {
    await mkdir(dirname(cacheFile(request)), { recursive: true })
    await replaceFile(cacheFile(request), JSON.stringify({ recipe: RECIPE, ...pages } satisfies Kept))
  } catch {
    // They are served without it; health reports a full disk.
  }
}

function modulesOf(ui: PluginManifest['ui']): readonly string[] {
  return [...new Set([...(ui?.pages ?? []), ...(ui?.panels ?? [])].map(({ module }) => module))].sort()
}

async function build(
  { id, directory }: PagesRequest,
  modules: readonly string[],
  sources: Sources,
): Promise<Pick<CompiledPages, 'files' | 'inputs'>> {
  const esbuild = await import('esbuild')
  try {
    const result = await esbuild.build({
      entryPoints: modules.map((module) => ({
        in: join(directory, module),
        out: pageFile(module).slice(0, -'.js'.length),
      })),
      absWorkingDir: directory,
      // Nothing is written; it makes the map's sources relative to the plugin's folder.
      outdir: directory,
      write: false,
      bundle: true,
      format: 'esm',
      platform: 'browser',
      target: 'es2023',
      charset: 'utf8',
      sourcemap: 'inline',
      metafile: true,
      plugins: [ownFilesOnly(directory), sources.plugin],
      logLevel: 'silent',
    })
    const files = Object.fromEntries(result.outputFiles.map(({ path, text }) => [relative(directory, path), text]))
    return {
      files,
      inputs: Object.keys(result.metafile.inputs)
        .map((input) => resolve(directory, input))
        .sort(),
    }
  } catch (error) {
    throw toBuildError(id, error)
  }
}

async function hashOf(
  { id, directory }: PagesRequest,
  modules: readonly string[],
  inputs: readonly string[],
  read: Sources['read'],
): Promise<string> {
  const hash = createHash('sha256').update(`${RECIPE}\n${id}\n${modules.join()}\n`)
  for (const input of inputs) hash.update(`${relative(directory, input)}\n`).update(await read(input))
  return hash.digest('hex').slice(0, 16)
}

async function fromCache(request: PagesRequest, modules: readonly string[]): Promise<CompiledPages | null> {
  if (request.cacheDirectory === null) return null
  try {
    const { recipe, ...pages } = JSON.parse(await readFile(cacheFile(request), 'utf8')) as Kept
    return recipe === RECIPE && (await hashOf(request, modules, pages.inputs, readFile)) === pages.hash ? pages : null
  } catch {
    // An unreadable cache counts as empty.
    return null
  }
}

function cacheFile({ cacheDirectory, id, directory }: PagesRequest): string {
  return join(
    cacheDirectory as string,
    `${id}-${createHash('sha256').update(directory).digest('hex').slice(0, 8)}.pages.json`,
  )
}
