// Collects the English texts that the service shows to people: descriptions of plugins, titles and help of settings, names of
// formats, rules and events, and reasons of errors, each with its plugin.
import { glob, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Service } from '../harness.ts'
import { readable } from '../../ui/parts/values/readable.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const SAID = new Set(['title', 'description', 'label', 'help', 'hint', 'meaning', 'fix', 'note', 'text', 'helper_text'])
export interface Said {
  readonly text: string
  /** The plugins with this text; null is the core. */
  readonly plugins: ReadonlySet<string | null>
}

/** Labels of notifiers that are words, not product names. */
const TRANSLATED = new Set(['Email'])

type Json = Readonly<Record<string, any>>

export async function textsOfService(service: Service): Promise<readonly Said[]> {
  const said = new Map<string, Set<string | null>>()
  // Product names are the same in every language.
  const names = new Set<string>()
  const add = (text: string, plugin: string | null) => {
    if (!/[a-z]/i.test(text) || names.has(text)) return
    const plugins = said.get(text) ?? new Set()
    said.set(text, plugins.add(plugin))
  }
  const walk = (value: unknown, plugin: string | null): void => {
    if (Array.isArray(value)) for (const one of value) walk(one, plugin)
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return
    for (const [name, inner] of Object.entries(value)) {
      if (typeof inner === 'string' && SAID.has(name)) add(inner, plugin)
      else if (name === 'enum' && Array.isArray(inner))
        for (const one of inner) typeof one === 'string' && add(readable(one), plugin)
      else if (name === 'const' && typeof inner === 'string' && !('title' in value)) add(readable(inner), plugin)
      else if (name !== 'default' && name !== 'values') walk(inner, plugin)
    }
  }
  const read = async (path: string): Promise<Json> => {
    const { status, body } = await service.json(path)
    if (status !== 200) throw new Error(`${path}: ${status}`)
    return body as Json
  }

  const { plugins } = await read('/api/plugins')
  const byToken = (kind: string) => (id: string) =>
    (plugins as readonly Json[]).find(
      (one) => one['kind'] === kind && [id, `${PREFIX[kind]}${id}`].includes(one['id']),
    )?.['id'] ?? null
  const ofProvider = new Map((plugins as readonly Json[]).map(({ id, provider }) => [provider?.id, id as string]))
  const { notifiers, events } = await read('/api/notifications')
  for (const { provider, name } of plugins)
    if (provider !== null) for (const one of [provider.label, name]) names.add(one)
  for (const { label } of notifiers) if (!TRANSLATED.has(label)) names.add(label)
  for (const { id, description } of plugins) add(description, id)
  const { sections } = await read('/api/config/sections')
  for (const { path, owner, title, description } of sections) {
    const plugin = owner === 'core' ? null : owner
    walk({ title, description: description ?? '' }, plugin)
    const { schema } = await read(`/api/config/sections/${path}`)
    walk(schema, plugin)
  }
  for (const one of (await read('/api/sync/features')).features) walk(one, byToken('feature')(one.feature))
  for (const one of (await read('/api/import/formats')).formats) walk({ hint: one.hint }, byToken('importer')(one.id))
  for (const one of (await read('/api/analyzer/rules')).rules) walk(one, byToken('analyzer')(one.rule))
  for (const { name, label: _, ...one } of (await read('/api/auth/providers')) as any)
    walk(one, ofProvider.get(name) ?? null)
  for (const { label: _, ...one } of notifiers) walk(one, byToken('notifier')(one.id))
  walk(events, 'notifications')
  walk((await read('/api/maintenance/actions')).actions, 'maintenance')
  for await (const file of glob('{plugins/*/*,core/http/openapi}/api.json', { cwd: ROOT })) {
    const { reasons = {} } = JSON.parse(await readFile(join(ROOT, file), 'utf8')) as {
      reasons?: Record<string, string>
    }
    const folder = dirname(file)
    const plugin = folder.startsWith('plugins/')
      ? (JSON.parse(await readFile(join(ROOT, folder, 'plugin.json'), 'utf8')).id as string)
      : null
    for (const text of Object.values(reasons)) add(text, plugin)
  }
  return Array.from(said, ([text, plugins]) => ({ text, plugins }))
}

const PREFIX: Readonly<Record<string, string>> = {
  analyzer: 'analyzer-',
  importer: 'import-',
  exporter: 'export-',
  notifier: 'notify-',
  feature: '',
}
