// Compiles a plugin's thread module into one file, with the entry that serves it and only the used parts of the SDK and
// the query builder, for less memory and a fast start: many small files load more slowly than a short thread works.
import { createHash } from 'node:crypto'
import { mkdir, readFile } from 'node:fs/promises'
import { basename, join, resolve, sep } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Plugin } from 'esbuild'
import { ROOT } from '../../installation.ts'
import { replaceFile } from '../../storage/atomic-file.ts'
import { createSources, ownFilesOnly, type Sources, toBuildError } from './compile.ts'

const RECIPE = 'playhead-thread/2'

interface ThreadCompileRequest {
  readonly id: string
  /** Absolute path of the plugin's folder. */
  readonly directory: string
  /** Absolute path of the module. */
  readonly module: string
  readonly cacheDirectory: string
  /** The module alone, for the thread of another plugin. */
  readonly isLent?: boolean
}

interface Index {
  readonly recipe: string
  /** Absolute paths of the compiled sources. */
  readonly inputs: readonly string[]
  readonly hash: string
}

/** The path of the compiled file. Throws a LoadError of phase `build` with file and line. */
export async function compileThread(request: ThreadCompileRequest): Promise<string> {
  const folder = join(request.cacheDirectory, 'threads')
  const name = `${request.id}-${createHash('sha256').update(request.module).digest('hex').slice(0, 8)}${request.isLent === true ? '-lent' : ''}`
  const indexFile = join(folder, `${name}.json`)
  const compiledFile = (hash: string) => join(folder, `${name}-${hash}.mjs`)
  const known = await readIndex(indexFile)
  if (
    known !== null &&
    (await hashOf(known.inputs, readFile).catch(() => '')) === known.hash &&
    (await exists(compiledFile(known.hash)))
  )
    return compiledFile(known.hash)

  const sources = createSources()
  const { code, map, inputs } = await build(request, sources)
  const hash = await hashOf(inputs, sources.read)
  const file = compiledFile(hash)
  await mkdir(folder, { recursive: true })
  // A file of its own: V8 keeps the text of a module in memory.
  await replaceFile(`${file}.map`, map)
  await replaceFile(file, `${code}//# sourceMappingURL=${basename(file)}.map\n`)
  await replaceFile(indexFile, JSON.stringify({ recipe: RECIPE, inputs, hash } satisfies Index))
  return file
}

async function build(
  { id, directory, module, isLent }: ThreadCompileRequest,
  sources: Sources,
): Promise<{ readonly code: string; readonly map: string; readonly inputs: readonly string[] }> {
  const esbuild = await import('esbuild')
  try {
    const result = await esbuild.build({
      stdin: {
        contents: `export { default } from ${JSON.stringify(module)}${isLent === true ? '' : `; export { serve } from '${THREAD}'`}`,
        resolveDir: directory,
        sourcefile: `${id}-thread.ts`,
      },
      absWorkingDir: directory,
      // Nothing is written; the map's sources are relative to it.
      outfile: join(directory, `${id}.mjs`),
      sourceRoot: `${pathToFileURL(directory).href}/`,
      write: false,
      bundle: true,
      format: 'esm',
      platform: 'node',
      target: 'node26',
      charset: 'ascii',
      sourcemap: 'external',
      sourcesContent: false,
      metafile: true,
      plugins: [thread, usedOnly, ownFilesOnly(directory), sources.plugin],
      logLevel: 'silent',
    })
    const outputs = Object.entries(result.metafile.outputs)
    const inputs = Object.entries(outputs.find(([path]) => path.endsWith('.mjs'))![1].inputs)
      .filter(([path, { bytesInOutput }]) => bytesInOutput > 0 && !path.endsWith(`${id}-thread.ts`))
      .map(([path]) => join(directory, path))
      .sort()
    const textOf = (ending: string) => result.outputFiles.find(({ path }) => path.endsWith(ending))!.text
    return { code: textOf('.mjs'), map: textOf('.mjs.map'), inputs }
  } catch (error) {
    throw toBuildError(id, error)
  }
}

const THREAD = 'playhead:thread'

/** The entry that serves the module. Outside the plugin's folder, so no plugin may name its path. */
const thread: Plugin = {
  name: 'thread',
  setup(build) {
    build.onResolve({ filter: /^playhead:thread$/ }, () => ({ path: join(ROOT, 'core', 'own-thread', 'thread.ts') }))
  },
}

const SDK = join(ROOT, 'sdk')
const ASKED = Symbol('the rest of the resolving')

/** Marks SDK files as free of side effects, so that esbuild drops unused ones. */
const usedOnly: Plugin = {
  name: 'used-only',
  setup(build) {
    build.onResolve(
      { filter: /^(?:@playhead\/sdk|\.)/ },
      async ({ path, importer, namespace, resolveDir, kind, pluginData }) => {
        if (pluginData === ASKED || kind === 'entry-point') return undefined
        if (path.startsWith('.')) {
          return resolveDir === SDK || resolveDir.startsWith(SDK + sep)
            ? { path: resolve(resolveDir, path), sideEffects: false }
            : undefined
        }
        // Resolved from here, also for external plugins.
        const found = await build.resolve(path, { importer, namespace, resolveDir: ROOT, kind, pluginData: ASKED })
        return { path: found.path, errors: found.errors, warnings: found.warnings, sideEffects: false }
      },
    )
  },
}

async function hashOf(inputs: readonly string[], read: (file: string) => Promise<Uint8Array>): Promise<string> {
  const hash = createHash('sha256').update(RECIPE)
  for (const contents of await Promise.all(inputs.map((input) => read(input)))) hash.update(contents).update('\0')
  return hash.digest('hex').slice(0, 16)
}

async function readIndex(file: string): Promise<Index | null> {
  try {
    const index = JSON.parse(await readFile(file, 'utf8')) as Index
    return index.recipe === RECIPE ? index : null
  } catch {
    return null
  }
}

async function exists(file: string): Promise<boolean> {
  return await readFile(file).then(
    () => true,
    () => false,
  )
}
