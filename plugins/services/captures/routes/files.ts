// Routes that show captures: the features that can be captured, the list, and one capture in pages.
import { defined, oneOf, type PluginApp, skipSerializer, Type } from '@playhead/sdk'
import { bad, featuresOf } from '../account.ts'
import { type CaptureEntry, FEATURES_CAPTURED } from '../contract.ts'
import { readPath } from '../names.ts'
import type { Parts } from '../parts.ts'
import { ListAnswer, ManifestAnswer, ReadAnswer } from './answers.ts'

const Name = Type.Optional(Type.String({ maxLength: 200 }))
export const Path = Type.String({ maxLength: 1_000, description: 'The path, as in the list of captures.' })

const ListQuery = Type.Object({
  provider: Name,
  instance: Name,
  feature: Name,
  trigger: Type.Optional(oneOf(['manual', 'schedule', 'pre_restore', 'pre_clear'])),
  since: Type.Optional(Type.Integer({ minimum: 0, description: 'Epoch seconds; made at this time or later.' })),
  until: Type.Optional(Type.Integer({ minimum: 0, description: 'Epoch seconds; made before this time.' })),
  children: Type.Boolean({ default: true, description: 'Also the files of bundles.' }),
  days: Type.Optional(
    Type.String({ maxLength: 60, description: 'A time zone (Europe/Paris): also counts what matches by day there.' }),
  ),
  offset: Type.Integer({ default: 0, minimum: 0, maximum: 10_000_000 }),
  limit: Type.Integer({ default: 1_000, minimum: 1, maximum: 5_000 }),
})
interface ListFilter {
  readonly provider?: string
  readonly instance?: string
  readonly feature?: string
  readonly trigger?: string
  readonly since?: number
  readonly until?: number
  readonly children: boolean
  readonly days?: string
  readonly offset: number
  readonly limit: number
}

const ReadQuery = Type.Object({
  path: Path,
  offset: Type.Integer({ default: 0, minimum: 0, maximum: 10_000_000 }),
  limit: Type.Integer({ default: 200, minimum: 1, maximum: 1_000 }),
  summary: Type.Boolean({ default: false, description: 'No rows.' }),
  q: Type.String({ default: '', maxLength: 200, description: 'Only rows with this text, as in the diff.' }),
})

export function registerFileRoutes(app: PluginApp, parts: Parts): void {
  app.get(
    '/api/snapshots/manifest',
    {
      ...skipSerializer,
      schema: { summary: 'Accounts and features that can be captured', response: { 200: ManifestAnswer } },
    },
    async () => ({ ok: true, providers: await manifest(parts) }),
  )

  app.get<{ Querystring: ListFilter }>(
    '/api/snapshots/list',
    {
      ...skipSerializer,
      schema: { summary: 'Captures, newest first', querystring: ListQuery, response: { 200: ListAnswer } },
    },
    async ({ query }) => {
      await parts.ready()
      const dayOf = query.days === undefined ? null : daysIn(query.days)
      const all = await parts.catalogue.list()
      // Files of an unfinished bundle are not listed as captures.
      const paths = new Set([...all.map(({ path }) => path), ...parts.jobs.unfinishedBundles()])
      const found = all.filter(
        (entry) => matches(entry, query) && isWithin(entry, query) && (query.children || !isChildOf(entry, paths)),
      )
      const { offset, limit } = query
      return {
        ok: true,
        snapshots: found.slice(offset, offset + limit).map((entry) => listed(entry, paths)),
        ...{ total: found.length, offset, limit, jobs: parts.jobs.running() },
        ...(dayOf === null ? {} : { days: byDay(found, dayOf) }),
      }
    },
  )

  app.get<{ Querystring: { path: string; offset: number; limit: number; summary: boolean; q: string } }>(
    '/api/snapshots/read',
    {
      ...skipSerializer,
      schema: { summary: 'A capture, its rows in pages', querystring: ReadQuery, response: { 200: ReadAnswer } },
    },
    async ({ query: { path: given, offset, limit, summary, q } }, reply) => {
      await parts.ready()
      const { path } = await parts.catalogue.get(readPath(given))
      const asked = { offset, limit: summary ? 0 : limit, q: summary ? '' : q }
      const { entry, more, lines, total } = await parts.work.page(path, asked)
      const { header, stats, children, complete, account, scope, doubt, unreadable, format } = entry
      const snapshot = {
        ...{ path, ...header, schema_version: format, stats, complete, account, scope, doubt, unreadable, ...more },
        ...(entry.kind === 'bundle' ? { children } : {}),
        ...{ total, offset, limit },
      }
      // The rows are already JSON.
      const rows = summary ? '' : `,"rows":[${lines.map(withNative).join(',')}]`
      return reply
        .type('application/json; charset=utf-8')
        .send(`{"ok":true,"snapshot":${JSON.stringify(snapshot).slice(0, -1)}${rows}}}`)
    },
  )
}

function withNative(line: string): string {
  const { key, item } = JSON.parse(line) as { key: string; item: { native?: object } }
  return JSON.stringify({ key, native_ids: item.native ?? {}, item })
}

/** Connected providers first. */
async function manifest({ accounts }: Parts) {
  const [descriptions, all] = [await accounts.providers(), await accounts.list()]
  return descriptions
    .map((description) => {
      const readable: readonly string[] = featuresOf(description)
      const instances = all
        .filter(({ provider }) => provider === description.id)
        .map(({ instance, label, configured }) => ({ id: instance, label, configured }))
      return {
        id: description.id,
        label: description.label,
        configured: instances.some(({ configured }) => configured),
        features: Object.fromEntries(FEATURES_CAPTURED.map((feature) => [feature, readable.includes(feature)])),
        instances,
      }
    })
    .sort((a, b) => Number(b.configured) - Number(a.configured))
}

export function matches(
  { header }: CaptureEntry,
  { provider, instance, feature, trigger }: Partial<ListFilter>,
): boolean {
  const isSame = (given: string | undefined, own: string) =>
    given === undefined || given.trim() === '' || given.trim().toLowerCase() === own.toLowerCase()
  return (
    isSame(provider, header.provider) &&
    isSame(instance, header.instance) &&
    isSame(feature, header.feature) &&
    isSame(trigger, header.trigger)
  )
}

function isChildOf({ header: { bundle_path: bundle } }: CaptureEntry, paths: ReadonlySet<string>): boolean {
  return bundle !== undefined && paths.has(bundle)
}

/** Epoch milliseconds; for a damaged file the modification time. */
function madeAt({ header, mtime }: CaptureEntry): number {
  return Date.parse(header.created_at) || mtime * 1_000
}

function isWithin(entry: CaptureEntry, { since = 0, until = Number.POSITIVE_INFINITY }: ListFilter): boolean {
  const seconds = madeAt(entry) / 1_000
  return seconds >= since && seconds < until
}

/** Throws `PLH_INVALID` (`invalid_time_zone`). */
function daysIn(timeZone: string): (atMs: number) => string {
  try {
    // Its short form is YYYY-MM-DD.
    const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short' })
    return (atMs) => format.format(atMs)
  } catch {
    throw bad('invalid_time_zone', 'This time zone does not exist.')
  }
}

function byDay(entries: readonly CaptureEntry[], dayOf: (atMs: number) => string) {
  const days = new Map<string, { day: string; provider: string; count: number }>()
  for (const entry of entries) {
    const [day, { provider }] = [dayOf(madeAt(entry)), entry.header]
    const own = days.get(`${day} ${provider}`)
    if (own === undefined) days.set(`${day} ${provider}`, { day, provider, count: 1 })
    else own.count += 1
  }
  return [...days.values()]
}

function listed(entry: CaptureEntry, paths: ReadonlySet<string>) {
  const { path, size, mtime, stamp, kind, header, count, complete, doubt, format, stats, unreadable } = entry
  const isChild = isChildOf(entry, paths)
  return {
    ...{ path, size, mtime, stamp, count, complete, doubt, stats, unreadable, schema_version: format },
    ...{ provider: header.provider, instance: header.instance, feature: header.feature, label: header.label },
    ...{ created_at: header.created_at, trigger: header.trigger },
    ...defined({ job_id: header.job_id }),
    valid: kind !== 'broken',
    is_bundle: kind === 'bundle',
    is_child: isChild,
    bundle_path: isChild ? header.bundle_path : null,
  }
}
