// Stores the last complete read, to distinguish removed marks (the item exists without it) from items that left the library. The
// absence of the latter proves nothing, so they are reported in every read until they return.
import { type Item, type KeyValueStore, yieldToLoop } from '@playhead/sdk'
import { createHash } from 'node:crypto'

interface Settled {
  /** Rows whose absence proves nothing. */
  readonly gone: readonly Item[]
}

interface ReadBefore {
  /** Identifies the comparison: reads of one scope follow each other. */
  readonly scope: string
  /**
   * Where the rows are stored: favourites, or a certain list. After a change of place, missing rows were not removed.
   */
  readonly place: string
  /** The rows by server id, or by file id and `PART` and number, as `identityText`. */
  readonly seen: ReadonlyMap<string, string>
  /** The given ids that exist without the mark; the others left the library. */
  taken(ids: readonly string[]): Promise<ReadonlySet<string>>
}

/** Rows whose ids share a remainder; one stored value. */
interface Bucket {
  /** Ids of the rows that were read. */
  readonly ids: string[]
  /** Rows that left the library, as they are stored. */
  readonly gone: Record<string, string>
  /** Stored as it is. */
  isSame: boolean
}

/**
 * Compares a complete read with the previous one, and stores it. One bucket is compared and built at a time, because a
 * large library would be in memory twice.
 */
export async function settle(store: KeyValueStore, { scope, place, seen, taken }: ReadBefore): Promise<Settled> {
  const buckets = Array.from({ length: BUCKETS }, (): Bucket => ({ ids: [], gone: {}, isSame: true }))
  for (const id of seen.keys()) buckets[bucketOf(id)]!.ids.push(id)
  const vanished = new Map<string, string>()
  for (const [index, bucket] of buckets.entries()) {
    await yieldToLoop()
    const before = (await store.get<Readonly<Record<string, string>>>(keyOf(scope, index))) ?? {}
    for (const [id, text] of Object.entries(before)) if (!seen.has(id)) vanished.set(id, text)
    bucket.isSame = bucket.ids.every((id) => before[id] === seen.get(id))
  }

  const fresh = [...vanished].flatMap(([id, text]) => (isGone(text) ? [] : id))
  const placeBefore = await store.get<string>(`place/${scope}`)
  const isElsewhere = placeBefore !== undefined && placeBefore !== place
  const removed = fresh.length === 0 || isElsewhere ? new Set<string>() : await taken(fresh)
  const gone: Item[] = []
  const present = new Set(vanished.size === 0 ? [] : seen.values())
  for (const [id, text] of vanished) {
    const plain = isGone(text) ? text.slice(1) : text
    const bucket = buckets[bucketOf(id)]!
    // A copy still exists, or it returned under another id.
    const isLeft = removed.has(id) || present.has(plain)
    bucket.isSame &&= !isLeft && isGone(text)
    if (isLeft) continue
    bucket.gone[id] = `${GONE}${plain}`
    gone.push({ ...(JSON.parse(plain) as Item), native: { item_id: serverIdOf(id) } })
  }
  let changed = new Map<string, unknown>()
  let rows = 0
  for (const [index, bucket] of buckets.entries()) {
    await yieldToLoop()
    if (bucket.isSame) continue
    const texts = textsOf(bucket, seen)
    changed.set(keyOf(scope, index), texts)
    rows += Object.keys(texts).length
    if (rows < ROW_BATCH) continue
    await store.setMany(changed)
    changed = new Map()
    rows = 0
  }
  if (placeBefore !== place) changed.set(`place/${scope}`, place)
  await store.setMany(changed)
  return { gone }
}

function textsOf({ ids, gone }: Bucket, seen: ReadonlyMap<string, string>): Readonly<Record<string, string>> {
  const texts: Record<string, string> = {}
  for (const id of ids) texts[id] = seen.get(id)!
  return Object.assign(texts, gone)
}

/** Identity of an item as text. Equal for equal works with the same server ids. */
export function identityText({ type, ids, show_ids, season, episode }: Item): string {
  return JSON.stringify({ type, ids, show_ids, season, episode })
}

/** A key for everything that determines the content of a read. */
export function scopeName(...parts: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 20)
}

/** Separator between the id of a file and the number of a further episode in it. */
export const PART = '#'

export function serverIdOf(id: string): string {
  return id.split(PART)[0]!
}

const BUCKETS = 16
/** A commit waits for the disk, and larger ones block other writers. */
const ROW_BATCH = 2_000
const GONE = '-'

const keyOf = (scope: string, index: number) => `seen/${scope}/${index}`
const isGone = (text: string) => text.startsWith(GONE)

function bucketOf(id: string): number {
  let sum = 0
  for (let index = 0; index < id.length; index += 1) sum = (Math.imul(sum, 31) + id.charCodeAt(index)) >>> 0
  return sum % BUCKETS
}
