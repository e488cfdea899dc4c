// The OpenAPI document: the descriptions of the core and of all plugins as one, with tags, examples and the
// introduction. Rebuilt only when a plugin was loaded, replaced or unloaded.
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { ROOT } from '../../installation.ts'
import { nameSchemas } from './named-schemas.ts'
import { addNotes, CORE_NOTES, type Notes, readNotes } from './notes.ts'
import { ERROR_SCHEMAS, errorComponents } from './error-answers.ts'
import { type Description, unusedId } from './openapi.ts'
import { type Operation, SECURITY_SCHEMES } from './operation.ts'

export interface DescribedPlugin {
  readonly id: string
  /** A key that changes whenever the routes may have changed. */
  readonly version: string
  readonly name: string
  readonly description?: string | undefined
  /** Set for a provider: its token in paths, and the product's name. */
  readonly provider?: { readonly token: string; readonly label: string } | undefined
  /** Folder of the plugin's api.json. */
  readonly directory: string
  /** Null if no version of the plugin runs. */
  readonly describe: () => Promise<Description | null>
}

interface OpenapiInfo {
  readonly title: string
  readonly version: string
}

interface DocumentDependencies {
  readonly info: OpenapiInfo
  /** Path below which a proxy publishes the service. */
  readonly basePath?: string
  readonly core: () => Promise<Description>
  readonly plugins: () => readonly DescribedPlugin[]
}

export interface OpenapiDocument {
  /** JSON text, and a version that changes with it. */
  read(): Promise<{ readonly text: string; readonly version: string }>
}

const INTRODUCTION = join(ROOT, 'docs', 'reference', 'http.md')
const CORE_TAGS: Readonly<Record<string, string>> = {
  'Application authentication': 'The account, sessions, and signing in and out.',
  'API tokens': 'Tokens for scripts and dashboards, and those of webhooks and metrics.',
  Configuration: 'Everything that is set, by section, and the certificate.',
  Health: 'Whether the process answers.',
  Plugins: 'Which plugins there are, and how they are.',
  Streams: 'What happens, as it happens; several streams over one connection.',
}

export function createDocument({ info, basePath = '', core, plugins }: DocumentDependencies): OpenapiDocument {
  let made: { readonly of: string; readonly result: Promise<{ text: string; version: string }> } | undefined
  return {
    read() {
      const present = plugins().toSorted((a, b) => (a.id < b.id ? -1 : 1))
      const of = present.map(({ id, version }) => `${id} ${version}`).join('\n')
      if (made?.of !== of) {
        const result = make(present)
        made = { of, result }
        // The next call retries.
        result.catch(() => (made = undefined))
      }
      return made.result
    },
  }

  async function make(present: readonly DescribedPlugin[]) {
    const text = JSON.stringify(await merge({ info, basePath }, await core(), present))
    return { text, version: createHash('sha256').update(text).digest('hex').slice(0, 16) }
  }
}

async function merge(
  { info, basePath }: { readonly info: OpenapiInfo; readonly basePath: string },
  core: Description,
  plugins: readonly DescribedPlugin[],
): Promise<object> {
  const merged: Merged = { paths: {}, byShape: new Map(), ids: new Set(), schemas: {}, answers: new Set() }
  const labels = labelsOf(plugins)
  const tags = new Map(Object.entries(CORE_TAGS))
  add(merged, structuredClone(core), {
    prefix: '',
    notes: await readNotes(CORE_NOTES),
    tagsOf: (path, own) => [...own, ...products(path, labels, tags)],
  })
  for (const plugin of plugins) {
    const [described, notes] = await Promise.all([plugin.describe(), readNotes(plugin.directory)])
    if (described === null || Object.keys(described.paths ?? {}).length === 0) continue
    // Describe one plugin at a time, so that requests are answered in between.
    await nextTurn()
    const { provider } = plugin
    const tag = provider === undefined ? plugin.name : `${provider.label} (${provider.token})`
    tags.set(tag, plugin.description ?? plugin.name)
    add(merged, structuredClone(described), {
      prefix: `${plugin.id}.`,
      notes,
      tagsOf: (path) => [...new Set([tag, ...products(path, labels, tags)])],
    })
  }
  await nextTurn()
  const { schemas, responses } = errorComponents((name) => merged.answers.has(`#/components/responses/${name}`))
  return {
    openapi: '3.1.0',
    info: {
      ...info,
      summary: 'Keeps a person’s watch state the same across media servers, trackers and list services.',
      description: await introduction(),
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: `${basePath}/`, description: 'This service' }],
    security: [{ session: [] }],
    tags: [...tags].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, description]) => ({ name, description })),
    paths: Object.fromEntries(Object.entries(merged.paths).sort(([a], [b]) => (a < b ? -1 : 1))),
    components: { schemas: { ...schemas, ...merged.schemas }, responses, securitySchemes: SECURITY_SCHEMES },
  }
}

interface Merged {
  readonly paths: Record<string, Record<string, Operation>>
  /** Path by its form without the names of parameters. */
  readonly byShape: Map<string, string>
  readonly ids: Set<string>
  readonly schemas: Record<string, unknown>
  /** References to shared answers. */
  readonly answers: Set<unknown>
}

interface Addition {
  /** Prefix of the names of its schemas. */
  readonly prefix: string
  readonly notes: Notes
  readonly tagsOf: (path: string, own: readonly string[]) => string[]
}

function add(merged: Merged, description: Description, { prefix, notes, tagsOf }: Addition): void {
  const { paths = {}, components = {} } = description
  const renamed = Object.keys(components.schemas ?? {}).length > 0
  const local = (value: unknown) => (renamed ? withPrefix(value, prefix) : value)
  for (const [name, schema] of Object.entries(components.schemas ?? {})) merged.schemas[prefix + name] = local(schema)
  for (const [path, operations] of Object.entries(paths)) {
    const shape = path.replaceAll(/\{[^}]+\}/g, '{}')
    // Two plugins may name the same path parameter differently.
    const known = merged.byShape.getOrInsert(shape, path)
    for (const [method, given] of Object.entries(operations)) {
      const operation = local(given) as Operation
      if (known !== path) renameParameters(operation, path, known)
      operation.operationId = unusedId(operation.operationId ?? method, merged.ids)
      merged.ids.add(operation.operationId)
      operation.tags = tagsOf(path, operation.tags ?? [])
      for (const answer of Object.values(operation.responses)) merged.answers.add(answer.$ref)
      nameSchemas(operation, merged.schemas, prefix)
      addNotes(operation, `${method.toUpperCase()} ${path}`, notes)
      ;(merged.paths[known] ??= {})[method] = operation
    }
  }
}

function renameParameters(operation: Operation, path: string, known: string): void {
  const names = (text: string) => [...text.matchAll(/\{([^}]+)\}/g)].map(([, name]) => name as string)
  const own = names(path)
  const theirs = names(known)
  for (const parameter of operation.parameters ?? []) {
    const index = parameter.in === 'path' ? own.indexOf(parameter.name) : -1
    if (index !== -1) parameter.name = theirs[index] as string
  }
}

const REF = '#/components/schemas/'
const SHARED = new Set(Object.keys(ERROR_SCHEMAS))

/** References to schemas of the plugin's own get the plugin's prefix. */
function withPrefix(value: unknown, prefix: string): unknown {
  if (Array.isArray(value)) return value.map((each) => withPrefix(each, prefix))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => {
      if (key !== '$ref' || typeof each !== 'string' || !each.startsWith(REF)) return [key, withPrefix(each, prefix)]
      const name = each.slice(REF.length)
      return [key, SHARED.has(name) ? each : `${REF}${prefix}${name}`]
    }),
  )
}

/** Product names by their token in paths. A token with a suffix, as of a second sign-in, also counts without it. */
function labelsOf(plugins: readonly DescribedPlugin[]): ReadonlyMap<string, string> {
  const labels = new Map<string, string>()
  for (const { provider } of plugins) {
    if (provider === undefined) continue
    for (const token of [provider.token, provider.token.split('_', 1)[0] as string]) labels.set(token, provider.label)
  }
  return labels
}

function products(path: string, labels: ReadonlyMap<string, string>, tags: Map<string, string>): string[] {
  return path.split('/').flatMap((word) => {
    const label = labels.get(word)
    if (label === undefined) return []
    const tag = `${label} (${word})`
    tags.getOrInsert(tag, `What concerns ${label}.`)
    return [tag]
  })
}

/** The text of the reference page, without its title. */
async function introduction(): Promise<string> {
  const page = await readFile(INTRODUCTION, 'utf8').catch(() => '')
  return (
    page
      .replace(/^#[^\n]*\n+/, '')
      .replace(/^## For authors of plugins$[\s\S]*/m, '')
      .trim() || 'The HTTP interface of Playhead.'
  )
}
