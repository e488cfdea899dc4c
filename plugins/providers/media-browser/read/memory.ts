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
  /** Of these ids, those that exist without the mark; the others left the library. */
  taken(ids: readonly string[]): Promise<ReadonlySet<string>>
}

/** Compares a complete read with the previous one, and stores it. */
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
    // A copy still exists, or it returned under another id.
    if (removed.has(id) || present.has(plain)) continue
    buckets[bucketOf(id)]![id] = `${GONE}${plain}`
    gone.push({ ...(JSON.parse(plain) as Item), native: { item_id: serverIdOf(id) } })
  }
  let changed = new Map<string, unknown>()
  let rows = 0
  for (const [index, bucket] of buckets.entries()) {
    await yieldToLoop()
    if (isSame(before[index] ?? {}, bucket)) continue
    changed.set(keyOf(scope, index), bucket)
    rows += Object.keys(bucket).length
    if (rows < ROW_BATCH) continue
    await store.setMany(changed)
    changed = new Map()
    rows = 0
  }
  if (placeBefore !== place) changed.set(`place/${scope}`, place)
  await store.setMany(changed)
  return { gone }
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

function isSame(a: Readonly<Record<string, string>>, b: Readonly<Record<string, string>>): boolean {
  const keys = Object.keys(a)
  return keys.length === Object.keys(b).length && keys.every((key) => a[key] === b[key])
}
