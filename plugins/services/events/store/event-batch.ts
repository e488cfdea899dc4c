// Codec for batches of records on their way to the database thread: one JSON text, column by column, with shared values
// stored once. One string costs less garbage collection and cloning than thousands of objects, and can be searched for
// secrets at once.
import type { EventRecord } from '@playhead/sdk'

/** What imports add to a record. */
interface ImportedParts {
  /** Digest of the record against duplicate imports. */
  readonly dedupe: string
  readonly source_file?: string | null
  readonly source_mtime?: number | null
  readonly ack?: { readonly at: number; readonly by: string | null } | null
}

export interface RecordedFact {
  readonly record: EventRecord
  readonly imported?: ImportedParts
}

export interface EventBatch {
  /** JSON of `Columns`. */
  readonly text: string
  readonly count: number
  /** Sequence number of the first fact; the others follow. */
  readonly first: number
  /** When the batch was recorded. */
  readonly atMs: number
}

/** By column name; a column in neither object is absent. */
interface Columns {
  /** Values that all facts share. */
  readonly same: Readonly<Record<string, unknown>>
  /** One value per fact. */
  readonly each: Readonly<Record<string, readonly unknown[]>>
}

type Read = (fact: RecordedFact) => unknown

const READ: Readonly<Record<string, Read>> = {
  type: ({ record }) => record.type,
  domain: ({ record }) => record.domain,
  atMs: ({ record }) => record.atMs,
  severity: ({ record }) => record.severity,
  run_id: ({ record }) => record.run_id,
  feature: ({ record }) => record.feature,
  operation: ({ record }) => record.operation,
  pair_key: ({ record }) => record.pair_key,
  direction: ({ record }) => record.direction,
  'source.provider': ({ record }) => record.source?.provider,
  'source.instance': ({ record }) => record.source?.instance,
  'destination.provider': ({ record }) => record.destination?.provider,
  'destination.instance': ({ record }) => record.destination?.instance,
  'origin.provider': ({ record }) => record.origin?.provider,
  'origin.instance': ({ record }) => record.origin?.instance,
  'origin.confidence': ({ record }) => record.origin?.confidence,
  'item.key': ({ record }) => record.item?.key,
  'item.title': ({ record }) => record.item?.title,
  'item.year': ({ record }) => record.item?.year,
  'item.season': ({ record }) => record.item?.season,
  'item.episode': ({ record }) => record.item?.episode,
  'item.media_type': ({ record }) => record.item?.media_type,
  'change.old': ({ record }) => record.change?.old,
  'change.new': ({ record }) => record.change?.new,
  'change.kind': ({ record }) => record.change?.kind,
  reason_code: ({ record }) => record.reason_code,
  match_basis: ({ record }) => record.match_basis,
  source_kind: ({ record }) => record.source_kind,
  session_key: ({ record }) => record.session_key,
  detail: ({ record }) => record.detail,
  'imported.dedupe': ({ imported }) => imported?.dedupe,
  'imported.source_file': ({ imported }) => imported?.source_file,
  'imported.source_mtime': ({ imported }) => imported?.source_mtime,
  'imported.ack.at': ({ imported }) => imported?.ack?.at,
  'imported.ack.by': ({ imported }) => imported?.ack?.by,
}
const COLUMNS = Object.entries(READ)
/** A digest contains no secrets. */
const DIGEST = 'imported.dedupe'

/** Returns JSON of `Columns`. Throws for values without JSON. */
export function encodeBatch(facts: readonly RecordedFact[]): string {
  const same: Record<string, unknown> = {}
  const each: Record<string, readonly unknown[]> = {}
  for (const [name, read] of COLUMNS) {
    const first = read(facts[0] as RecordedFact)
    if (facts.every((fact) => read(fact) === first)) {
      if (first != null) same[name] = first
    } else each[name] = facts.map(read)
  }
  const columns: Columns = { same, each }
  try {
    return JSON.stringify(columns)
  } catch {
    // A bigint has no JSON.
    return JSON.stringify(columns, (_name, value: unknown) => (typeof value === 'bigint' ? String(value) : value))
  }
}

/** Decodes the facts lazily, without absent and null values. */
export function* decodeBatch({ text, count }: Pick<EventBatch, 'text' | 'count'>): Generator<RecordedFact> {
  const { same, each } = JSON.parse(text) as Columns
  const columns = [
    ...Object.entries(each).map(([name, values]) => ({ ...placeOf(name), valueAt: (index: number) => values[index] })),
    ...Object.entries(same).map(([name, value]) => ({ ...placeOf(name), valueAt: () => value })),
  ]
  for (let index = 0; index < count; index += 1) {
    const fact: Part = { record: {} }
    for (const { parents, last, valueAt } of columns) {
      const value = valueAt(index)
      if (value == null) continue
      let at = fact
      for (const parent of parents) at = (at[parent] ??= {}) as Part
      at[last] = value
    }
    yield fact as unknown as RecordedFact
  }
}

type Part = Record<string, unknown>

function placeOf(name: string): { readonly parents: readonly string[]; readonly last: string } {
  const path = name.startsWith('imported.') ? name.split('.') : ['record', ...name.split('.')]
  return { parents: path.slice(0, -1), last: path.at(-1)! }
}

/** Removes secrets from a batch. If nothing in the text is escaped, one search of the whole text is enough. */
export function redactBatch(text: string, redact: (text: string) => string): string {
  // The leading space makes the redactor treat it as plain text; a JSON document would be parsed and searched value by
  // value.
  const haystack = ` ${text}`
  if (!text.includes('\\') && redact(haystack) === haystack) return text
  const { same, each } = JSON.parse(text) as Columns
  const clean = (name: string, value: unknown) => (name === DIGEST ? value : cleanValue(value, redact))
  return JSON.stringify({
    same: Object.fromEntries(Object.entries(same).map(([name, value]) => [name, clean(name, value)])),
    each: Object.fromEntries(
      Object.entries(each).map(([name, values]) => [name, values.map((value) => clean(name, value))]),
    ),
  } satisfies Columns)
}

function cleanValue(value: unknown, redact: (text: string) => string): unknown {
  if (typeof value === 'string') return redact(value)
  return typeof value === 'object' && value !== null ? (JSON.parse(redact(JSON.stringify(value))) as unknown) : value
}
