// Events and groups as the API returns them.
import {
  type AccountName,
  accountName,
  type AccountNames,
  DEFAULT_PROFILE,
  defined,
  type EventRow,
  isOrigin,
  originCarrier,
  originLabel,
  reasonLabel,
  type Tables,
} from '@playhead/sdk'
import type { Facet, Facets } from '../store/facets.ts'
import { all, idsIn, fragment, type Row } from './sql.ts'
import { summaryOf } from '../store/summary.ts'
import { KIND } from '../store/flags.ts'
import { severityOf, STATUSES } from '../store/vocabulary.ts'

export interface Reading {
  readonly reader: Tables
  readonly facets: Facets
  names(): Promise<AccountNames>
}

export type GroupRow = Readonly<Record<string, unknown>> & { readonly id: number }

const TEXT = 't.item_key, t.title, t.year, t.season, t.episode, t.media_type'
const EVENTS = `SELECT e.id, lower(hex(e.dedupe)) AS event_hash, e.ts, e.facet_id, e.group_id, e.play, e.old_value, e.new_value, e.value_type,
  e.match_basis, e.session_key, e.source_file, e.source_mtime, e.detail, e.ack_at, e.ack_by, r.run_id, ${TEXT}
  FROM event e LEFT JOIN item_text t ON t.id = e.text_id LEFT JOIN run r ON r.no = e.run_no WHERE `
const GROUPS = `SELECT g.id, lower(hex(g.key)) AS group_hash, g.kind, g.created_at, g.updated_at, g.first_at, g.last_at, g.event_count, g.status, g.facet_id, g.play,
  g.reason_facet, g.old_value, g.new_value, g.value_type, g.ack_at, g.ack_by, g.acks, g.note, g.phrases, r.run_id, o.group_id AS owner_group_id, ${TEXT}
  FROM grp g LEFT JOIN item_text t ON t.id = g.text_id LEFT JOIN run r ON r.no = g.run_no LEFT JOIN run o ON o.no = g.owner_run_no WHERE `

/** In the order of the ids. */
export async function eventRows(
  { reader, facets, names }: Reading,
  ids: readonly number[],
): Promise<readonly EventRow[]> {
  if (ids.length === 0) return []
  const test = idsIn('e.id', ids)
  const rows = await all(reader, fragment(EVENTS + test.text, ...test.values))
  const known = await facets.of(rows.map((row) => Number(row['facet_id'])))
  const nameOf = rows.some((row) => String(row['detail']).includes('"origin":')) ? await names() : accountName
  const byId = new Map(rows.map((row) => [Number(row['id']), eventRow(row, known, nameOf)]))
  return ids.flatMap((id) => byId.get(id) ?? [])
}

export async function groupRows(reading: Reading, ids: readonly number[]): Promise<readonly GroupRow[]> {
  return toGroupRows(await readGroups(reading, ids))
}

/** Group rows of the database. */
export interface ReadGroups {
  readonly ids: readonly number[]
  readonly rows: readonly Row[]
  readonly facets: ReadonlyMap<number, Facet>
}

export async function readGroups({ reader, facets }: Reading, ids: readonly number[]): Promise<ReadGroups> {
  if (ids.length === 0) return { ids, rows: [], facets: new Map() }
  const test = idsIn('g.id', ids)
  const rows = await all(reader, fragment(GROUPS + test.text, ...test.values))
  const known = await facets.of(
    rows.flatMap((row) => [
      Number(row['facet_id']),
      ...(row['reason_facet'] === null ? [] : [Number(row['reason_facet'])]),
      ...phrasesOf(row),
    ]),
  )
  return { ids, rows, facets: known }
}

/** In the order of the ids. */
export function toGroupRows({ ids, rows, facets }: ReadGroups): readonly GroupRow[] {
  const byId = new Map(rows.map((row) => [Number(row['id']), groupRow(row, facets)]))
  return ids.flatMap((id) => byId.get(id) ?? [])
}

function eventRow(row: Row, facets: ReadonlyMap<number, Facet>, nameOf: AccountNames): EventRow {
  const facet = facets.get(Number(row['facet_id'])) as Facet
  const { id: _id, domain, event_type, severity, reason_code: code, dry_run: _dry, kind_bit: _bit, ...route } = facet
  const detail = row['detail'] === null ? null : (JSON.parse(String(row['detail'])) as unknown)
  return {
    id: Number(row['id']),
    event_hash: row['event_hash'],
    domain,
    created_at: Number(row['ts']),
    run_id: row['run_id'],
    event_type,
    severity,
    ...route,
    ...itemOf(row),
    old_value: row['old_value'],
    new_value: row['new_value'],
    value_type: row['value_type'],
    reason_code: code,
    reason: code,
    ...(code === null ? {} : { reason_label: reasonLabel(code) }),
    match_basis: row['match_basis'],
    session_key: row['session_key'],
    source_file: row['source_file'],
    source_mtime: row['source_mtime'],
    detail,
    ...originOf(detail, facet, nameOf),
    acknowledged_at: row['ack_at'],
    acknowledged_by: row['ack_by'],
    group_id: Number(row['group_id']),
  }
}

/** Who caused an operation. */
function originOf(detail: unknown, facet: Facet, nameOf: AccountNames) {
  const { origin } = (detail ?? {}) as { readonly origin?: unknown }
  if (!isOrigin(origin)) return { origin: null, origin_label: null, origin_carrier: null }
  const shownAt = partyOf(facet.source_provider, facet.source_instance)
  const writtenTo = partyOf(facet.destination_provider, facet.destination_instance)
  const place = { feature: facet.feature ?? '', ...defined({ shownAt, writtenTo }) }
  return {
    origin,
    origin_label: originLabel(origin, place, nameOf),
    origin_carrier: originCarrier(origin, place) ?? null,
  }
}

function partyOf(provider: string | null, instance: string | null): AccountName | undefined {
  return provider === null ? undefined : { provider, instance: instance ?? DEFAULT_PROFILE }
}

function groupRow(row: Row, facets: ReadonlyMap<number, Facet>): GroupRow {
  const facet = facets.get(Number(row['facet_id'])) as Facet
  const reason = row['reason_facet'] === null ? null : (facets.get(Number(row['reason_facet']))?.reason_code ?? null)
  const kind = Number(row['kind'])
  const isRun = kind === KIND.run
  const status = STATUSES[Number(row['status'])] ?? 'informational'
  const {
    source_provider,
    source_instance,
    destination_provider,
    destination_instance,
    origin_provider,
    origin_instance,
    pair_key,
    direction,
  } = facet
  const route = {
    source_provider,
    source_instance,
    destination_provider,
    destination_instance,
    origin_provider,
    origin_instance,
    pair_key,
    direction,
  }
  const item = isRun ? itemOf({}) : itemOf(row)
  const change = { old: row['old_value'] ?? null, new: row['new_value'] ?? null, type: row['value_type'] ?? null }
  return {
    id: Number(row['id']),
    group_hash: row['group_hash'],
    domain: facet.domain,
    created_at: row['created_at'],
    updated_at: row['updated_at'],
    first_event_at: row['first_at'],
    last_event_at: row['last_at'],
    event_count: row['event_count'],
    status,
    severity: severityOf(status),
    ...summaryOf({
      kind,
      status,
      note: row['note'] as string | null,
      item,
      facet,
      reason,
      change,
      steps: phrasesOf(row).flatMap((id) => facets.get(id) ?? []),
    }),
    feature: isRun ? null : facet.feature,
    operation: isRun ? 'run' : facet.operation,
    ...(isRun ? Object.fromEntries(Object.keys(route).map((name) => [name, null])) : route),
    ...item,
    reason_code: reason,
    reason,
    ...(reason === null ? {} : { reason_label: reasonLabel(reason) }),
    acknowledged_at: row['ack_at'],
    acknowledged_by: row['ack_by'],
    ...(row['acks'] === null ? {} : { acknowledgements: JSON.parse(String(row['acks'])) as unknown }),
    run_id: row['run_id'],
    owner_run_group_id: row['owner_group_id'],
  }
}

function phrasesOf(row: Row): readonly number[] {
  return String(row['phrases'] ?? '')
    .split('|')
    .filter((id) => id !== '')
    .map(Number)
}

function itemOf(row: Row) {
  const number = (name: string) => (row[name] == null || Number(row[name]) < 0 ? null : Number(row[name]))
  const text = (name: string) => (row[name] == null || row[name] === '' ? null : String(row[name]))
  const key = text('item_key')
  return {
    item_key: key === null ? null : row['play'] == null ? key : `${key}@${String(row['play'])}`,
    title: text('title'),
    year: number('year'),
    media_type: text('media_type'),
    season: number('season'),
    episode: number('episode'),
  }
}
