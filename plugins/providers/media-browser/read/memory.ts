// What an account had when it was last read completely, kept to tell two things apart that look the same in the next
// read: the person took the mark off (the item is there, without it), and the item left the library (with everything
// that was marked on it). Rows of the second kind prove nothing; they are named in every read until they are seen
// again.
import { type Item, type KeyValueStore, yieldToLoop } from '@playhead/sdk'
import { createHash } from 'node:crypto'

export interface Settled {
  /** Rows whose absence proves nothing. */
  readonly gone: readonly Item[]
}

export interface ReadBefore {
  /** Names what is compared: reads of one scope follow each other. */
  readonly scope: string
  /**
   * Where the rows were kept: favourites, a certain playlist. Kept elsewhere now, nothing that is missing was taken
   * off.
   */
  readonly place: string
  /** What the read gave, by the server's ids, as `identityText`. */
  readonly seen: ReadonlyMap<string, string>
  /** Of these ids, which are there without the mark; the others count as gone. */
  taken(ids: readonly string[]): Promise<ReadonlySet<string>>
}

/** Compares a complete read with the one before, and remembers it. */
export async function settle(store: KeyValueStore, { scope, place, seen, taken }: ReadBefore): Promise<Settled> {
  const buckets = Array.from({ length: BUCKETS }, (): Record<string, string> => ({}))
  for (const [id, text] of seen) buckets[bucketOf(id)]![id] = text
  const before: (Readonly<Record<string, string>> | undefined)[] = []
  for (const index of buckets.keys()) {
    await yieldToLoop()
    before.push(await store.get(keyOf(scope, index)))
  }

  const vanished = before.flatMap((bucket = {}) => Object.keys(bucket).filter((id) => !seen.has(id)))
  const fresh = vanished.filter((id) => !isGone(before[bucketOf(id)]![id]!))
  const placeBefore = await store.get<string>(`place/${scope}`)
  const isElsewhere = placeBefore !== undefined && placeBefore !== place
  const removed = fresh.length === 0 || isElsewhere ? new Set<string>() : await taken(fresh)
  const gone: Item[] = []
  const present = new Set(seen.values())
  for (const id of vanished) {
    const text = before[bucketOf(id)]![id]!
    const plain = isGone(text) ? text.slice(1) : text
    // A copy of it is still there, or it came back under another id.
    if (removed.has(id) || present.has(plain)) continue
    buckets[bucketOf(id)]![id] = `${GONE}${plain}`
    gone.push({ ...(JSON.parse(plain) as Item), native: { item_id: id } })
  }
  let changed = new Map<string, unknown>()
  let rows = 0
  for (const [index, bucket] of buckets.entries()) {
    await yieldToLoop()
    if (isSame(before[index] ?? {}, bucket)) continue
    changed.set(keyOf(scope, index), bucket)
    rows += Object.keys(bucket).length
    if (rows < ROWS_AT_ONCE) continue
    await store.setMany(changed)
    changed = new Map()
    rows = 0
  }
  if (placeBefore !== place) changed.set(`place/${scope}`, place)
  await store.setMany(changed)
  return { gone }
}

/**
 * What names the item to others, as text: equal works have equal texts as long as the server's ids of them are equal.
 */
export function identityText({ type, ids, show_ids, season, episode }: Item): string {
  return JSON.stringify({ type, ids, show_ids, season, episode })
}

/** A name for everything that decides what a read contains. */
export function scopeName(...parts: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 20)
}

const BUCKETS = 16
/** Each commit waits for the disk, and more in one would keep others waiting. */
const ROWS_AT_ONCE = 2_000
const GONE = '-'

const keyOf = (scope: string, index: number) => `seen/${scope}/${index}`
const isGone = (text: string) => text.startsWith(GONE)

function bucketOf(id: string): number {
  let sum = 0
  for (let index = 0; index < id.length; index += 1) sum = (Math.imul(sum, 31) + id.charCodeAt(index)) >>> 0
  return sum % BUCKETS
}

function isSame(a: Readonly<Record<string, string>>, b: Readonly<Record<string, string>>): boolean {
  const keys = Object.keys(a)
  return keys.length === Object.keys(b).length && keys.every((key) => a[key] === b[key])
}
