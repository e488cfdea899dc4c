// Writes the contract of the SDK, so that its changes are seen in review: `npm run generate:api`.
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join, posix } from 'node:path'
import { compileSdk, moduleEntries, readManifest } from './build.ts'

export const API_FILE = join(import.meta.dirname, 'api.md')
/** Generated from the HTTP interface and already in the repository. */
const GENERATED = 'sdk/client/schema'

interface Target {
  readonly module: string
  readonly name: string
}

interface Module {
  /** Top-level declarations by their local name; overloads are joined. */
  readonly declarations: ReadonlyMap<string, string>
  /** Original names of local names that come from another module. */
  readonly imports: ReadonlyMap<string, Target>
  /** Exported names, with the local names behind them. */
  readonly exports: ReadonlyMap<string, Target>
  /** Modules of which everything, or every type, is re-exported. */
  readonly all: readonly { readonly module: string; readonly onlyTypes: boolean }[]
  /** Types that declarations name as `import("…").Name`, by the name of the declaration. */
  readonly inline: ReadonlyMap<string, readonly Target[]>
}

/** Comments are documentation, not contract. Strings stay whole. */
function withoutComments(text: string): string {
  return text.replaceAll(
    /("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`)|\/\*[\s\S]*?\*\/|\/\/[^\n]*/g,
    (_all, literal: string | undefined) => literal ?? '',
  )
}

/** Statements begin at the start of a line; further lines are indented or close a bracket. */
function statementsOf(text: string): string[] {
  const lines = withoutComments(text)
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => line !== '')
  const statements: string[][] = []
  for (const line of lines) {
    if (/^[a-z]/.test(line) || statements.length === 0) statements.push([line])
    else statements.at(-1)?.push(line.replace(/^ +/, (indent) => ' '.repeat(indent.length / 2)))
  }
  return statements.map((parts) => parts.join('\n'))
}

function parse(module: string, text: string): Module {
  const declarations = new Map<string, string>()
  const imports = new Map<string, Target>()
  const exports = new Map<string, Target>()
  const all: Module['all'][number][] = []
  const inline = new Map<string, Target[]>()
  const at = (to: string) =>
    to.startsWith('.') ? posix.join(posix.dirname(module), to).replace(/(?:\.d)?\.[jt]s$/, '') : to
  for (const statement of statementsOf(text)) {
    const from = /\bfrom ['"]([^'"]+)['"];$/.exec(statement)?.[1]
    if (/^export (?:type )?\*/.test(statement) && from !== undefined) {
      all.push({ module: at(from), onlyTypes: statement.startsWith('export type') })
      continue
    }
    const listed = /^(import|export) (?:type )?(?:\w+, )?\{([\s\S]*?)\}/.exec(statement)
    if (listed !== null) {
      for (const part of listed[2]?.split(',') ?? []) {
        const [name = '', alias = name] = part
          .trim()
          .replace(/^type /, '')
          .split(' as ')
        if (name === '') continue
        const target = { module: from === undefined ? module : at(from), name }
        ;(listed[1] === 'import' ? imports : exports).set(alias, target)
      }
      continue
    }
    const declared =
      /^(export )?(?:default )?(?:declare )?(?:abstract )?(?:const|let|var|function|class|interface|type|enum|namespace) (\w+)/.exec(
        statement,
      )
    if (declared === null) continue
    const name = declared[2] as string
    const named: Target[] = []
    const shown = statement
      .replace(/^(?:export )?(?:declare )?/, '')
      // The location of a file is not part of the contract.
      .replaceAll(/import\("(\.[^"]+)"\)\.(\w+)/g, (_all, to: string, type: string) => {
        named.push({ module: at(to), name: type })
        return type
      })
      .replaceAll(/import\("[^"]+"\)\./g, '')
    inline.set(name, [...(inline.get(name) ?? []), ...named])
    const earlier = declarations.get(name)
    declarations.set(name, earlier === undefined ? shown : `${earlier}\n${shown}`)
    if (declared[1] !== undefined) exports.set(name, { module, name })
  }
  return { declarations, imports, exports, all, inline }
}

/** @param compiled the folder of `compileSdk` */
export async function apiReport(compiled: string): Promise<string> {
  const modules = new Map<string, Promise<Module>>()
  const read = (module: string) => {
    const known =
      modules.get(module) ?? readFile(join(compiled, `${module}.d.ts`), 'utf8').then((text) => parse(module, text))
    modules.set(module, known)
    return known
  }
  const isOwn = (module: string) => /^(?:sdk|test|core)\//.test(module)

  /** Follows a name to its declaration. */
  async function resolve({ module, name }: Target): Promise<Target> {
    if (!isOwn(module)) return { module, name }
    const { declarations, imports, exports, all } = await read(module)
    if (declarations.has(name)) return { module, name }
    const next = exports.get(name) ?? imports.get(name)
    if (next !== undefined && (next.module !== module || next.name !== name)) return resolve(next)
    const imported = imports.get(name)
    if (imported !== undefined) return resolve(imported)
    for (const { module: other } of all) if ((await exportsOf(other)).has(name)) return resolve({ module: other, name })
    throw new Error(`${module} has no ${name}`)
  }

  async function isType(target: Target): Promise<boolean> {
    const { module, name } = await resolve(target)
    return (
      !isOwn(module) ||
      /^(?:interface|type|class|enum|abstract)\b/m.test((await read(module)).declarations.get(name) ?? '')
    )
  }

  /** @param without modules whose names are left out */
  async function exportsOf(module: string, without: readonly string[] = []): Promise<ReadonlyMap<string, Target>> {
    const { exports, all } = await read(module)
    const names = new Map<string, Target>()
    for (const { module: other, onlyTypes } of all) {
      if (without.includes(other)) continue
      for (const [name, target] of await exportsOf(other))
        if (!onlyTypes || (await isType(target))) names.set(name, target)
    }
    for (const [name, target] of exports) names.set(name, target)
    return names
  }

  /** Declarations that a declaration names. Only those of the SDK: others belong to another package, or to the host. */
  async function namedBy({ module, name }: Target): Promise<Target[]> {
    const { declarations, imports, inline } = await read(module)
    const words = new Set(declarations.get(name)?.match(/[A-Za-z_$][\w$]*/g))
    const named = [...words].filter((word) => word !== name && (declarations.has(word) || imports.has(word)))
    const targets = await Promise.all([
      ...named.map((word) => resolve(imports.get(word) ?? { module, name: word })),
      ...(inline.get(name) ?? []).map(resolve),
    ])
    return targets.filter((target) => target.module.startsWith('sdk/') && target.module !== GENERATED)
  }

  const keyOf = ({ module, name }: Target) => `${name} ${module}`
  const { name: packageName, exports: entries } = await readManifest()
  const sections: string[] = []
  const exported = new Map<string, Target>()
  const entryModules = moduleEntries({ name: packageName, exports: entries })
  for (const [entry, module] of entryModules) {
    const { all } = await read(module)
    // The types of other entries are listed there.
    const others = [...entryModules].filter(([, other]) => all.some(({ module: one }) => one === other))
    const lines = others.map(([other]) => `export type * from '${posix.join(packageName, other)}'`)
    const names = await exportsOf(
      module,
      others.map(([, other]) => other),
    )
    for (const [name, target] of [...names].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
      const { module: where, name: original } = await resolve(target)
      if (!isOwn(where)) lines.push(`export { ${original === name ? name : `${original} as ${name}`} } from '${where}'`)
      else if (where === GENERATED) lines.push(`export { ${name} } // generated from the HTTP interface`)
      else {
        if (original !== name) lines.push(`// ${original} is exported as ${name}.`)
        lines.push((await read(where)).declarations.get(original) as string)
        exported.set(keyOf({ module: where, name: original }), { module: where, name: original })
      }
    }
    sections.push(`## ${posix.join(packageName, entry)}\n\n\`\`\`ts\n${lines.join('\n')}\n\`\`\`\n`)
  }

  const reached = new Map<string, Target>()
  const seen = new Map(exported)
  for (const target of seen.values()) {
    for (const next of await namedBy(target)) {
      const key = keyOf(next)
      if (seen.has(key)) continue
      seen.set(key, next)
      reached.set(key, next)
    }
  }
  const hidden: string[] = []
  for (const [, { module, name }] of [...reached].toSorted(([a], [b]) => (a < b ? -1 : 1)))
    hidden.push((await read(module)).declarations.get(name) as string)
  return [
    '# The contract of the SDK',
    '',
    'Every exported name with its declaration, and the types that these name without being exported. Made by',
    '`npm run generate:api`; `npm test` compares it. A difference here is a change for authors of plugins: say so in CHANGELOG.md,',
    'and raise `SDK_VERSION` as semantic versioning asks.',
    '',
    ...sections,
    '## Named by these, not exported',
    '',
    `\`\`\`ts\n${hidden.join('\n')}\n\`\`\``,
    '',
  ].join('\n')
}

if (import.meta.main) {
  const compiled = await compileSdk({ onlyDeclarations: true })
  try {
    await writeFile(API_FILE, await apiReport(compiled))
  } finally {
    await rm(compiled, { recursive: true, force: true })
  }
}
