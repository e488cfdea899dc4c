// Rewrites imports from a library index to imports of the defining modules. Otherwise the index pulls every component
// used by any page into the main chunk.
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

const INDEXES: Readonly<Record<string, string>> = {
  '@mantine/core': '@mantine/core/esm/index.mjs',
  '@mantine/hooks': '@mantine/hooks/esm/index.mjs',
  '@mantine/modals': '@mantine/modals/esm/index.mjs',
  '@mantine/notifications': '@mantine/notifications/esm/index.mjs',
  '@tabler/icons-react': '@tabler/icons-react/dist/esm/tabler-icons-react.mjs',
}

const NAMED_IMPORT = new RegExp(
  `\\bimport\\s*\\{([^}]*)\\}\\s*from\\s*["'](${Object.keys(INDEXES).join('|')})["'];?`,
  'g',
)

interface Origin {
  readonly file: string
  /** The export name in that file. */
  readonly name: string
}

/** @param modules path of `node_modules` */
export function createDirectImports(modules: string): (source: string) => Promise<string> {
  const indexes = new Map(
    Object.entries(INDEXES).map(([library, file]) => [library, once(() => readIndex(join(modules, file)))]),
  )

  return async (source) => {
    const libraries = new Set([...source.matchAll(NAMED_IMPORT)].map(([, , library]) => library as string))
    const origins = new Map(
      await Promise.all([...libraries].map(async (library) => [library, await indexes.get(library)?.()] as const)),
    )
    return source.replaceAll(NAMED_IMPORT, (statement, names: string, library: string) => {
      const known = origins.get(library)
      const direct = split(names)
        .filter((name) => !name.startsWith('type '))
        .map((specifier) => {
          const [imported, local] = parts(specifier)
          const origin = known?.get(imported)
          return origin === undefined
            ? undefined
            : `import { ${origin.name} as ${local} } from ${JSON.stringify(origin.file)};`
        })
      return direct.includes(undefined) ? statement : direct.join('')
    })
  }
}

async function readIndex(index: string): Promise<ReadonlyMap<string, Origin>> {
  const text = await readFile(index, 'utf8')
  const folder = dirname(index)
  const origins = new Map<string, Origin>()
  const locals = new Map<string, Origin>()
  for (const [, names = '', from = ''] of text.matchAll(/\bimport\s*\{([^}]*)\}\s*from\s*["']([^"']+)["']/g)) {
    for (const [name, local] of split(names).map(parts))
      locals.set(local, { file: from.startsWith('.') ? join(folder, from) : from, name })
  }
  for (const [, names = '', from] of text.matchAll(/\bexport\s*\{([^}]*)\}(?:\s*from\s*["'](\.[^"']+)["'])?/g)) {
    for (const [name, exported] of split(names).map(parts)) {
      const origin = from === undefined ? locals.get(name) : { file: join(folder, from), name }
      if (origin !== undefined) origins.set(exported, origin)
    }
  }
  return origins
}

function split(names: string): readonly string[] {
  return names
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
}

/** Splits `a as b` into both names. */
function parts(specifier: string): readonly [string, string] {
  const [name = '', local = name] = specifier.split(/\s+as\s+/)
  return [name, local]
}

function once<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined
  return () => (made ??= make())
}
