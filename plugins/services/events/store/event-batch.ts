// Codec for batches of records on their way to the database thread: one JSON text, column by column, with shared values
// stored once. One string costs less garbage collection and cloning than thousands of objects.
import type { EventRecord } from '@playhead/sdk'

/** Fields that imports add to a record. */
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

/**
 * Returns JSON of `Columns`. Throws for values without JSON.
 *
 * @param redact removes secrets from a text. Values are searched one by one: names of columns look like names of secrets,
 * and patterns for text miss names in objects that are recognised in their own right.
 */
export function encodeBatch(facts: readonly RecordedFact[], redact: (text: string) => string): string {
  const same: Record<string, unknown> = {}
  const each: Record<string, readonly unknown[]> = {}
  const known = new Map<string, unknown>()
  for (const [name, read] of COLUMNS) {
    const clean = (value: unknown) => (name === DIGEST ? value : cleanValue(value, redact, known))
    const first = read(facts[0] as RecordedFact)
    if (facts.every((fact) => read(fact) === first)) {
      if (first != null) same[name] = clean(first)
    } else each[name] = facts.map((fact) => clean(read(fact)))
  }
  return JSON.stringify({ same, each } satisfies Columns)
}

/** @param known cleaned objects by their JSON: most rows of a batch repeat the details of others */
function cleanValue(value: unknown, redact: (text: string) => string, known: Map<string, unknown>): unknown {
  if (typeof value === 'string') return redact(value)
  if (typeof value === 'bigint') return String(value)
  if (typeof value !== 'object' || value === null) return value
  return known.getOrInsertComputed(jsonOf(value), (text) => JSON.parse(redact(text)) as unknown)
}

function jsonOf(value: object): string {
  try {
    return JSON.stringify(value)
  } catch {
    // A bigint has no JSON.
    return JSON.stringify(value, (_name, part: unknown) => (typeof part === 'bigint' ? String(part) : part))
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
