// Turns records into rows: the digest against duplicates, the group, and size limits. Runs on the database thread;
// secrets are already removed.
import { hash } from 'node:crypto'
import { isNotInLibrary, type EventDomain, type EventParty, type EventRecord, type SqlValue } from '@playhead/sdk'
import { fitDetail } from './detail.ts'
import type { RecordedFact } from './event-batch.ts'
import { runNote } from './run-note.ts'
import { FLAG, KIND } from './flags.ts'
import { auditStatus, codeOfStatus, type GroupStatus, kindOf, normaliseOperation } from './vocabulary.ts'

export interface Fact {
  /** Values of FACT_COLUMNS; the writer fills in the facet. */
  readonly values: readonly SqlValue[]
  readonly dedupe: string
  readonly groupKey: string
  readonly ts: number
  /** Values of FACET_FIELDS with `dry_run`, and the key. */
  readonly facet: readonly (string | number | null)[]
  readonly facetKey: string
}

/** The sync's information about a run. */
const OUTCOME_STATUS: Readonly<Record<string, GroupStatus>> = {
  synced: 'completed',
  partly: 'warning',
  cancelled: 'warning',
  failed: 'failed',
  skipped: 'informational',
}
const SEPARATOR = '\u001f'
const MAX_CODE = 160
const MAX_TEXT = 500
const PLAY = /@(-?\d+|id:[^@]*|date:\d{4}-\d{2}-\d{2})$/

/** `identity` is the digest of a fact that is neither imported nor a delivery. */
export function makeFact({ record, imported }: RecordedFact, identity: string, nowMs: number): Fact {
  const kind = kindOf(record.type)
  const domain = record.domain ?? kind?.domain ?? 'sync'
  const ts = Math.floor((record.atMs ?? nowMs) / 1_000)
  const detail = record.detail === undefined ? null : fitDetail(record.detail)
  const dryRun = record.detail?.['dry_run'] === true
  const reason = cut(record.reason_code, MAX_CODE) ?? null
  // A title that the target lacks is not a problem.
  const isNeutral = kind?.problem !== undefined && domain === 'sync' && isNotInLibrary(reason)
  const status = dryRun ? null : statusOf(record, isNeutral ? 'informational' : kind?.status, reason)
  const { key, play } = splitKey(record.item?.key ?? '')
  const group = groupOf(record, domain, key, play, ts)
  const dedupe =
    imported?.dedupe ??
    (domain === 'scrobble' && group.identity !== null ? digest([record.type, ...group.identity]) : identity)
  const problem = dryRun || isNeutral ? undefined : kind?.problem
  const severity = isNeutral ? 'info' : (record.severity ?? 'info')
  const isError = severity === 'error'
  const flags =
    (problem === undefined ? 0 : FLAG.problem) |
    (problem === 'new' ? FLAG.again : 0) |
    (problem !== undefined || isError ? FLAG.failure : 0) |
    (record.type === 'provider_health' ? FLAG.health : 0) |
    (record.type === 'sync_run_started' ? FLAG.started : 0) |
    (record.type === 'sync_run_finished' ? FLAG.finished : 0) |
    (record.type === 'scrobble_started' ? FLAG.live : 0) |
    (record.type === 'plan_created' ? FLAG.planned : 0) |
    (isError && !dryRun ? FLAG.error : 0) |
    (reason === null ? 0 : FLAG.reasoned)
  const { source, destination, origin } = record
  const facet = [
    domain,
    record.type,
    severity,
    record.feature ?? null,
    record.operation ?? null,
    record.pair_key ?? null,
    record.direction ?? null,
    provider(source),
    instance(source),
    provider(destination),
    instance(destination),
    provider(origin),
    instance(origin),
    origin?.confidence ?? null,
    reason,
    record.source_kind ?? null,
    dryRun ? 1 : 0,
  ]
  const { item } = record
  const note = group.kind === KIND.audit ? auditNote(record) : group.kind === KIND.run ? runNote(record) : null
  const groupKey = group.identity === null ? dedupe : digest(group.identity)
  return {
    facet,
    facetKey: facet.join(SEPARATOR),
    dedupe,
    groupKey,
    ts,
    values: [
      dedupe,
      Math.floor(nowMs / 1_000),
      ts,
      null,
      key,
      cut(item?.title, MAX_TEXT) ?? '',
      item?.year ?? -1,
      item?.season ?? -1,
      item?.episode ?? -1,
      item?.media_type ?? '',
      play,
      record.run_id ?? null,
      groupKey,
      group.kind,
      status === null ? null : codeOfStatus(status),
      flags,
      Number(record.pair_key !== undefined) + Number(source !== undefined) + Number(destination !== undefined),
      cut(record.change?.old, MAX_TEXT) ?? null,
      cut(record.change?.new, MAX_TEXT) ?? null,
      record.change?.kind ?? null,
      cut(record.match_basis, MAX_CODE) ?? null,
      cut(record.session_key, MAX_CODE) ?? null,
      imported?.source_file ?? null,
      imported?.source_mtime ?? null,
      detail,
      note,
      imported?.ack?.at ?? null,
      imported?.ack?.by ?? null,
    ],
  }
}

interface GroupParts {
  readonly kind: number
  /** Null if the fact forms its own group. */
  readonly identity: readonly (string | number)[] | null
}

function groupOf(record: EventRecord, domain: EventDomain, key: string, play: string | null, ts: number): GroupParts {
  if (domain === 'audit') return { kind: KIND.audit, identity: null }
  const { feature = '', operation = '', item, run_id: runId } = record
  const anchor = anchorOf(record)
  if (domain === 'scrobble') {
    const { source, session_key: session } = record
    return {
      kind: KIND.scrobble,
      identity: [
        'scrobble',
        feature,
        record.source_kind ?? '',
        source?.provider ?? '',
        profile(source),
        key === '' ? (item?.title?.toLowerCase() ?? '') : key + (play ?? ''),
        item?.season ?? '',
        item?.episode ?? '',
        anchor,
        session === undefined || session === ''
          ? `d:${new Date(ts * 1_000).toISOString().slice(0, 10)}`
          : `s:${session}`,
      ],
    }
  }
  if (key !== '')
    return { kind: KIND.item, identity: ['item', feature, normaliseOperation(operation), key, play ?? '', anchor] }
  if (runId !== undefined) return { kind: KIND.run, identity: ['run', runId] }
  return { kind: KIND.other, identity: ['other', feature, normaliseOperation(operation), anchor] }
}

function anchorOf({ destination, source, pair_key: pair }: EventRecord): string {
  if (destination !== undefined) return `>${destination.provider}/${profile(destination)}`
  if (source !== undefined) return `${source.provider}/${profile(source)}>`
  return pair === undefined ? '' : `pair:${pair}`
}

/**
 * @example splitKey('episode:tmdb:1399#s01e02@1700000000') // { key: 'episode:tmdb:1399#s01e02', play: '1700000000' }
 */
export function splitKey(text: string): { readonly key: string; readonly play: string | null } {
  const play = PLAY.exec(text)
  return play === null ? { key: text, play: null } : { key: text.slice(0, play.index), play: play[1] as string }
}

function statusOf(
  { type, detail }: EventRecord,
  status: GroupStatus | undefined,
  reason: string | null,
): GroupStatus | null {
  if (type.startsWith('audit_')) return auditStatus(type, reason ?? undefined)
  if (type !== 'sync_run_finished') return status ?? null
  const told = OUTCOME_STATUS[String(detail?.['outcome'] ?? '')]
  if (told !== undefined) return told
  if (Number(detail?.['errors'] ?? 0) > 0 || detail?.['result'] === 'failed' || detail?.['result'] === 'crashed')
    return 'failed'
  return Number(detail?.['unresolved'] ?? 0) > 0 || detail?.['cancelled'] === true ? 'warning' : 'completed'
}

function auditNote({ type, detail }: EventRecord): string {
  const message = detail?.['message']
  if (typeof message === 'string' && message !== '') return message.slice(0, MAX_TEXT)
  const target = (detail?.['target'] as { readonly id?: unknown } | undefined)?.id
  const actor = (detail?.['actor'] as { readonly username?: unknown } | undefined)?.username
  const words = [
    actor,
    type.replace(/^audit_/, '').replaceAll('_', ' '),
    target === undefined ? undefined : `for ${String(target)}`,
  ]
  return words
    .filter((word) => typeof word === 'string' && word !== '')
    .join(' ')
    .slice(0, MAX_TEXT)
}

export function digest(parts: readonly (string | number)[]): string {
  return hash('sha256', parts.join(SEPARATOR), 'hex').slice(0, 32)
}

function provider(party: EventParty | undefined): string | null {
  return party?.provider.toUpperCase() ?? null
}

function instance(party: EventParty | undefined): string | null {
  return party === undefined ? null : party.instance === '' ? 'default' : party.instance
}

function profile(party: EventParty | undefined): string {
  return party === undefined ? '' : party.instance === '' ? 'default' : party.instance.toLowerCase()
}

function cut(text: string | null | undefined, length: number): string | null | undefined {
  return text != null && text.length > length ? text.slice(0, length) : text
}
