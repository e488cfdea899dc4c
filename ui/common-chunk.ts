// Bundles the modules that most pages use into one file. By default esbuild makes one chunk per set of pages that share
// modules, so a page would need dozens of requests of a few hundred bytes.
import type { Metafile, Plugin } from 'esbuild'

const NAME = 'playhead:common'
/** Number of lazily loaded parts that must share a module of any size. */
const MOST = 10
/**
 * A small chunk costs a page more as a request than its bytes cost the pages that do not use it. By the number of parts
 * that share it: bytes, before compression.
 */
const SMALL: readonly (readonly [users: number, bytes: number])[] = [
  [4, 12_000],
  [3, 8_000],
  [2, 6_000],
]
const ICON = /@tabler/

/** Modules that many parts share, small ones that several share, and their icons; except those in the first view. */
export function commonModules({ inputs: sources, outputs }: Metafile, main: string): readonly string[] {
  const parts = Object.keys(outputs).filter((path) => path.endsWith('.js') && outputs[path]?.entryPoint !== undefined)
  const ofMain = filesOf(
    outputs,
    parts.filter((path) => outputs[path]?.entryPoint === main),
  )
  const users = new Map<string, number>()
  for (const part of parts) for (const file of filesOf(outputs, [part])) users.set(file, (users.get(file) ?? 0) + 1)
  const shared = [...users].flatMap(([file, n]) => {
    const { inputs = {}, entryPoint, bytes: size = 0 } = outputs[file] ?? {}
    if (ofMain.has(file) || entryPoint !== undefined) return []
    const isShared = n >= MOST || SMALL.some(([least, most]) => n >= least && size <= most)
    return Object.entries(inputs).flatMap(([path, { bytesInOutput: bytes }]) =>
      bytes > 0 && (isShared || (n >= 2 && ICON.test(path))) ? [path] : [],
    )
  })
  return withoutInner(shared, (path) => sources[path]?.imports.map((one) => one.path) ?? [])
}

/**
 * Without those that others of them import: they are bundled with these, and only as far as they are used, while a module that
 * is named here is bundled as a whole.
 */
function withoutInner(modules: readonly string[], importsOf: (path: string) => readonly string[]): readonly string[] {
  const all = new Set(modules)
  const inner = new Set(modules.flatMap((path) => importsOf(path).filter((one) => one !== path && all.has(one))))
  const kept = modules.filter((path) => !inner.has(path))
  const reached = new Set(kept)
  for (const path of reached) for (const one of importsOf(path)) if (all.has(one)) reached.add(one)
  // Modules that import each other.
  return [...kept, ...modules.filter((path) => !reached.has(path))]
}

function filesOf(outputs: Metafile['outputs'], from: readonly string[]): ReadonlySet<string> {
  const files = new Set(from)
  for (const file of files)
    for (const { path, kind } of outputs[file]?.imports ?? [])
      if (kind === 'import-statement' && outputs[path] !== undefined) files.add(path)
  return files
}

export const IMPORT_COMMON = `import ${JSON.stringify(NAME)}\n`

/** @param modules paths from `folder` */
export function commonChunk(folder: string, modules: readonly string[]): Plugin {
  const contents = [
    ...modules.map((path, index) => `import * as m${index} from ${JSON.stringify(`./${path}`)}`),
    // Without a use, esbuild would drop the modules.
    `Object.keys({ ${modules.map((_, index) => `m${index}`).join(', ')} })`,
  ].join('\n')
  return {
    name: 'common-chunk',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: new RegExp(`^${NAME}$`) }, ({ path }) => ({ path, namespace: 'common' }))
      onLoad({ filter: /./, namespace: 'common' }, () => ({ contents, resolveDir: folder, loader: 'js' }))
    },
  }
}
