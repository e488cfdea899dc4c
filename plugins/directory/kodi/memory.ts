// The rows of the last complete read, so that a removed mark (the title is still there, without it) is told apart from a
// title that left the library. The absence of the latter proves nothing: drives are unplugged, and files are scanned again.
import { type Item, type KeyValueStore, MAX_SET_MANY } from '@playhead/sdk'
import { createWorks, type Entry } from './items.ts'

const ROWS_OF_A_VALUE = 1_000

interface ReadBefore {
  /** Account, feature and kind. */
  readonly scope: string
  readonly rows: readonly Item[]
  /** All entries of the library. Called only if rows are missing. */
  readonly library: () => Promise<readonly Entry[]>
}

interface Settled {
  /** Earlier rows that left the library; again in each read until they return. */
  readonly gone: readonly Item[]
  /** There was an earlier read, so that every other missing row was removed. */
  readonly isCompared: boolean
}

/** Compares the rows of a complete read with those of the last one, and stores them. */
export async function settle(store: KeyValueStore, { scope, rows, library }: ReadBefore): Promise<Settled> {
  const before = await load(store, scope)
  const isAmong = matcher(rows)
  const vanished = (before ?? []).filter((item) => !isAmong(item))
  const inLibrary = vanished.length === 0 ? isAmong : matcher((await library()).map(({ item }) => item))
  const gone = vanished.filter((item) => !inLibrary(item))
  await save(store, scope, before, [...rows.map(identity), ...gone])
  return { gone, isCompared: before !== undefined }
}

function identity({ type, ids, show_ids, season, episode, title, series_title, native }: Item): Item {
  const all = { type, ids, show_ids, season, episode, title, series_title, native }
  return JSON.parse(JSON.stringify(all)) as Item
}

function matcher(items: readonly Item[]): (item: Item) => boolean {
  const works = createWorks(items.map((item) => ({ item })))
  return (item) => works.of(item).length > 0
}

const keyOf = (scope: string, part: number) => `seen/${scope}/${part}`

async function load(store: KeyValueStore, scope: string): Promise<readonly Item[] | undefined> {
  const items: Item[] = []
  for (let part = 0; ; part += 1) {
    const some = await store.get<readonly Item[]>(keyOf(scope, part))
    if (some === undefined) return part === 0 ? undefined : items
    items.push(...some)
  }
}

async function save(
  store: KeyValueStore,
  scope: string,
  before: readonly Item[] | undefined,
  items: readonly Item[],
): Promise<void> {
  const changed: [string, unknown][] = []
  for (let part = 0; part * ROWS_OF_A_VALUE < Math.max(1, items.length, before?.length ?? 0); part += 1) {
    const [from, to] = [part * ROWS_OF_A_VALUE, (part + 1) * ROWS_OF_A_VALUE]
    const some = items.slice(from, to)
    const isSame = before !== undefined && JSON.stringify(some) === JSON.stringify(before.slice(from, to))
    if (!isSame) changed.push([keyOf(scope, part), some])
  }
  for (let from = 0; from < changed.length; from += MAX_SET_MANY)
    await store.setMany(new Map(changed.slice(from, from + MAX_SET_MANY)))
}
