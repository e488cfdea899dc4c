// Makes rows of what was recorded: the fingerprint that keeps a fact from being stored twice, the group that it belongs to, and nothing
// that is secret or larger than it may be.
import { hash, randomBytes } from 'node:crypto'
import type { EventDomain, EventParty, EventRecord, SqlValue } from '@playhead/sdk'
import { fitDetail } from './detail.ts'
import { runNote } from './run-note.ts'
import { FLAG, KIND } from './marks.ts'
import { auditStatus, codeOfStatus, type GroupStatus, kindOf, normaliseOperation } from './vocabulary.ts'

/** What imports add to a record. */
export interface ImportedParts {
  /** Digest of what the record is, so that it is taken once. */
  readonly dedupe: string
  readonly source_file?: string | null
  readonly source_mtime?: number | null
  readonly ack?: { readonly at: number; readonly by: string | null } | null
}

export interface Fact {
  /** Values of FACT_COLUMNS; the facet's is for the writer to know. */
  readonly values: readonly SqlValue[]
  readonly dedupe: string
  readonly groupKey: string
  readonly ts: number
  /** Its facet: the key, and the values of FACET_FIELDS with `dry_run`. */
  readonly facet: readonly (string | number | null)[]
  readonly facetKey: string
}

export interface RecordedFact {
  readonly record: EventRecord
  readonly imported?: ImportedParts
}

export interface FactMaker {
  make(records: readonly RecordedFact[]): Fact[]
}

const SEPARATOR = '\u001f'
const MAX_CODE = 160
const MAX_TEXT = 500
const PLAY = /@(\d+|id:[^@]*|date:\d{4}-\d{2}-\d{2})$/

/** @param redact takes out secrets; asked once for all texts together, and for each by itself only when there is something to take out */
export function createFactMaker({ redact, now }: { readonly redact: (text: string) => string; readonly now: () => number }): FactMaker {
  // Unlike any other of this archive, whoever writes to it: facts of a running process are never the same fact.
  const nonce = randomBytes(8).toString('hex')
  let sequence = 0

  return {
    make(records) {
      const texts = records.map(textsOf).join(SEPARATOR)
      return redact(texts) === texts ? records.map(makeOne) : records.map((fact) => makeOne(withoutSecrets(fact, redact)))
    },
  }

  function makeOne({ record: clean, imported }: RecordedFact): Fact {
    const kind = kindOf(clean.type)
    const domain = clean.domain ?? kind?.domain ?? 'sync'
    const ts = Math.floor((clean.atMs ?? now()) / 1_000)
    const detail = clean.detail === undefined ? null : fitDetail(clean.detail, redact)
    const dryRun = clean.detail?.['dry_run'] === true
    const reason = cut(clean.reason_code, MAX_CODE) ?? null
    const status = dryRun ? null : statusOf(clean, kind?.status, reason)
    const { key, play } = splitKey(clean.item?.key ?? '')
    const group = groupOf(clean, domain, key, play, ts)
    sequence += 1
    const dedupe = imported?.dedupe ?? (domain === 'scrobble' && group.identity !== null
      ? digest([clean.type, ...group.identity]) : nonce + sequence.toString(16).padStart(16, '0'))
    const problem = dryRun ? undefined : kind?.problem
    const isError = clean.severity === 'error'
    const flags = (problem === undefined ? 0 : FLAG.problem) | (problem === 'new' ? FLAG.again : 0)
      | (problem !== undefined || isError ? FLAG.failure : 0) | (clean.type === 'provider_health' ? FLAG.health : 0)
      | (clean.type === 'sync_run_started' ? FLAG.started : 0) | (clean.type === 'sync_run_finished' ? FLAG.finished : 0)
      | (clean.type === 'scrobble_started' ? FLAG.live : 0) | (clean.type === 'plan_created' ? FLAG.planned : 0)
      | (isError && !dryRun ? FLAG.error : 0) | (reason === null ? 0 : FLAG.reasoned)
    const { source, destination, origin } = clean
    const facet = [
      domain, clean.type, clean.severity ?? 'info', clean.feature ?? null, clean.operation ?? null, clean.pair_key ?? null,
      clean.direction ?? null, provider(source), instance(source), provider(destination), instance(destination), provider(origin),
      instance(origin), origin?.confidence ?? null, reason, clean.source_kind ?? null, dryRun ? 1 : 0,
    ]
    const { item } = clean
    const note = group.kind === KIND.audit ? auditNote(clean) : group.kind === KIND.run ? runNote(clean) : null
    const groupKey = group.identity === null ? dedupe : digest(group.identity)
    return {
      facet,
      facetKey: facet.join(SEPARATOR),
      dedupe,
      groupKey,
      ts,
      values: [
        dedupe, Math.floor(now() / 1_000), ts, null, key, cut(item?.title, MAX_TEXT) ?? '', item?.year ?? -1,
        item?.season ?? -1, item?.episode ?? -1, item?.media_type ?? '', play, clean.run_id ?? null,
        groupKey, group.kind, status === null ? null : codeOfStatus(status), flags,
        Number(clean.pair_key !== undefined) + Number(source !== undefined) + Number(destination !== undefined),
        cut(clean.change?.old, MAX_TEXT) ?? null, cut(clean.change?.new, MAX_TEXT) ?? null, clean.change?.kind ?? null,
        cut(clean.match_basis, MAX_CODE) ?? null, cut(clean.session_key, MAX_CODE) ?? null, imported?.source_file ?? null,
        imported?.source_mtime ?? null, detail, note === null ? null : redact(note), imported?.ack?.at ?? null,
        imported?.ack?.by ?? null,
      ],
    }
  }
}

interface GroupParts {
  readonly kind: number
  /** Null: a group of its own. */
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
        'scrobble', feature, record.source_kind ?? '', source?.provider ?? '', profile(source), key === '' ? item?.title?.toLowerCase() ?? '' : key + (play ?? ''),
        item?.season ?? '', item?.episode ?? '', anchor,
        session === undefined || session === '' ? `d:${new Date(ts * 1_000).toISOString().slice(0, 10)}` : `s:${session}`,
      ],
    }
  }
  if (key !== '') return { kind: KIND.item, identity: ['item', feature, normaliseOperation(operation), key, play ?? '', anchor] }
  if (runId !== undefined) return { kind: KIND.run, identity: ['run', runId] }
  return { kind: KIND.other, identity: ['other', feature, normaliseOperation(operation), anchor] }
}

function anchorOf({ destination, source, pair_key: pair }: EventRecord): string {
  if (destination !== undefined) return `>${destination.provider}/${profile(destination)}`
  if (source !== undefined) return `${source.provider}/${profile(source)}>`
  return pair === undefined ? '' : `pair:${pair}`
}

/** @example splitKey('episode:tmdb:1399#s01e02@1700000000') // { key: 'episode:tmdb:1399#s01e02', play: '1700000000' } */
export function splitKey(text: string): { readonly key: string; readonly play: string | null } {
  const play = PLAY.exec(text)
  return play === null ? { key: text, play: null } : { key: text.slice(0, play.index), play: play[1] as string }
}

function statusOf({ type, detail }: EventRecord, status: GroupStatus | undefined, reason: string | null): GroupStatus | null {
  if (type.startsWith('audit_')) return auditStatus(type, reason ?? undefined)
  if (type !== 'sync_run_finished') return status ?? null
  if (Number(detail?.['errors'] ?? 0) > 0 || detail?.['result'] === 'failed' || detail?.['result'] === 'crashed') return 'failed'
  return Number(detail?.['unresolved'] ?? 0) > 0 || detail?.['cancelled'] === true ? 'warning' : 'completed'
}

function textsOf({ record: { item, change, source, destination, ...record }, imported }: RecordedFact): string {
  return [
    item?.key, item?.title, record.type, record.reason_code, record.operation, record.pair_key, record.run_id, record.match_basis,
    record.session_key, record.source_kind, change?.old, change?.new, source?.instance, destination?.instance, imported?.source_file, imported?.ack?.by,
  ].join(SEPARATOR)
}

function withoutSecrets({ record: { detail, ...record }, imported }: RecordedFact, redact: (text: string) => string): RecordedFact {
  const clean = redactTexts(record, redact) as Omit<EventRecord, 'detail'>
  return {
    record: detail === undefined ? clean : { ...clean, detail },
    // The digest says nothing about what it was made of.
    ...(imported === undefined ? {} : { imported: { ...redactTexts(imported, redact) as ImportedParts, dedupe: imported.dedupe } }),
  }
}

function redactTexts(value: unknown, redact: (text: string) => string): unknown {
  if (typeof value === 'string') return redact(value)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, below]) => [name, redactTexts(below, redact)]))
}

function auditNote({ type, detail }: EventRecord): string {
  const message = detail?.['message']
  if (typeof message === 'string' && message !== '') return message.slice(0, MAX_TEXT)
  const target = (detail?.['target'] as { readonly id?: unknown } | undefined)?.id
  const actor = (detail?.['actor'] as { readonly username?: unknown } | undefined)?.username
  const words = [actor, type.replace(/^audit_/, '').replaceAll('_', ' '), target === undefined ? undefined : `for ${String(target)}`]
  return words.filter((word) => typeof word === 'string' && word !== '').join(' ').slice(0, MAX_TEXT)
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
  return party === undefined ? '' : (party.instance === '' ? 'default' : party.instance.toLowerCase())
}

function cut(text: string | null | undefined, length: number): string | null | undefined {
  return text != null && text.length > length ? text.slice(0, length) : text
}
