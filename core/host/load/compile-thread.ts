// Compiles a plugin's thread module into one file, with the entry that serves it and only the used parts of the SDK and
// the query builder, for less memory and a fast start: many small files load more slowly than a short thread works.
import { createHash, hash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readFile } from 'node:fs/promises'
import { basename, join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Plugin } from 'esbuild'
import { BUILT_FOLDER } from '../../built.js'
import { contentOfCore, IS_BUILT, ROOT } from '../../installation.ts'
import { replaceFile } from '../../storage/atomic-file.ts'
import { linesOnly } from './line-map.ts'
import { SHIPPED_FOLDER } from './shipped.ts'
import { createSources, ownFilesOnly, type Sources, toBuildError } from './compile.ts'

const RECIPE = 'playhead-thread/5'
/** Below a cache folder. */
export const THREADS = 'threads'

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
  /** The sources of plugins, by path from the folder of the installation: it may be moved. */
  readonly inputs: readonly string[]
  /** Covers the core and the SDK as well. */
  readonly hash: string
}

/** The path of the compiled file. Throws a LoadError of phase `build` with file and line. */
export async function compileThread(request: ThreadCompileRequest): Promise<string> {
  const path = hash('sha256', relative(ROOT, request.module)).slice(0, 8)
  const name = `${request.id}-${path}${request.isLent === true ? '-lent' : ''}`
  const folder = join(request.cacheDirectory, THREADS)
  for (const each of IS_BUILT ? [join(ROOT, BUILT_FOLDER, SHIPPED_FOLDER, THREADS), folder] : [folder]) {
    const known = await readIndex(join(each, `${name}.json`))
    if (known === null || (await contentOf(known.inputs, readFile).catch(() => '')) !== known.hash) continue
    const file = join(each, `${name}-${known.hash}.mjs`)
    if (existsSync(file)) return file
  }

  // The files of the SDK and of packages are not edited while a plugin is compiled.
  const sources = createSources(request.directory)
  const { code, map, inputs } = await build(request, sources)
  const content = await contentOf(inputs, sources.read)
  const file = join(folder, `${name}-${content}.mjs`)
  await mkdir(folder, { recursive: true })
  // A file of its own: V8 keeps the text of a module in memory.
  await replaceFile(`${file}.map`, map)
  await replaceFile(file, `${code}//# sourceMappingURL=${basename(file)}.map\n`)
  await replaceFile(
    join(folder, `${name}.json`),
    JSON.stringify({ recipe: RECIPE, inputs, hash: content } satisfies Index),
  )
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
      // V8 keeps the text as long as the thread runs. Names stay, for errors and logs.
      minifyWhitespace: true,
      minifySyntax: true,
      sourcemap: 'external',
      sourcesContent: false,
      metafile: true,
      plugins: [thread, ownSdk, ownFilesOnly(directory), sources.plugin],
      logLevel: 'silent',
    })
    const outputs = Object.entries(result.metafile.outputs)
    const inputs = Object.entries(outputs.find(([path]) => path.endsWith('.mjs'))![1].inputs)
      .filter(([path, { bytesInOutput }]) => bytesInOutput > 0 && !path.endsWith(`${id}-thread.ts`))
      .map(([path]) => relative(ROOT, join(directory, path)))
      // The rest only changes with the core, so that a thread's start reads ten files instead of two hundred.
      .filter((path) => !/^(?:core|sdk|node_modules)[\\/]/.test(path))
      .sort()
    const textOf = (ending: string) => result.outputFiles.find(({ path }) => path.endsWith(ending))!.text
    const code = textOf('.mjs')
    return { code, map: linesOnly(textOf('.mjs.map'), code), inputs }
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

const ASKED = Symbol('the rest of the resolving')

/** The SDK of this installation, also for plugins outside of it. */
const ownSdk: Plugin = {
  name: 'own-sdk',
  setup(build) {
    build.onResolve({ filter: /^@playhead\/sdk/ }, ({ path, importer, namespace, kind, pluginData }) =>
      pluginData === ASKED
        ? undefined
        : build.resolve(path, { importer, namespace, resolveDir: ROOT, kind, pluginData: ASKED }),
    )
  },
}

async function contentOf(inputs: readonly string[], read: (file: string) => Promise<Uint8Array>): Promise<string> {
  const hash = createHash('sha256').update(RECIPE).update(contentOfCore())
  for (const contents of await Promise.all(inputs.map((input) => read(join(ROOT, input)))))
    hash.update(contents).update('\0')
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
