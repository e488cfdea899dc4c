// The three-way merge of a list: the loaded entries, the submitted entries, and the current entries. Entries that were added
// elsewhere stay, entries that were removed elsewhere do not return, and only entries that the client loaded are removed.
import type { List, ListEntry } from '@playhead/sdk'
import { contradicts, type Item, titleTokenOf, tokensOf } from '@playhead/sdk/items'
import type { SubmittedRow } from '../rows.ts'

/** The entries that the client loaded, in order. */
export interface Originals {
  readonly keys: readonly string[]
  /** Entry ids in the same order; null where the service has none, absent if the client sends none. */
  readonly ids?: readonly (string | null)[]
}

interface MergeInput {
  readonly current: readonly ListEntry[]
  readonly rows: readonly SubmittedRow[]
  /** The rows are in list order; otherwise each row has a position. */
  readonly inOrder: boolean
  /** Null if the client does not send it. Then no entry is removed. */
  readonly originals: Originals | null
  readonly list: Pick<List, 'ordered' | 'duplicates'>
}

export interface Merge {
  readonly adds: readonly { readonly key: string; readonly item: Item }[]
  readonly removals: readonly ListEntry[]
  /** As in `ListChanges`; null for unchanged. */
  readonly order: readonly string[] | null
  /** Changes of the list since the client loaded it. */
  readonly elsewhere: {
    readonly added: readonly string[]
    readonly removed: readonly string[]
    /** The loaded entries were reordered elsewhere, and the client reorders them too. */
    readonly moved: boolean
  }
  /** Entries that are not submitted, for a client that does not list the loaded ones. */
  readonly unnamed: number
  /** Keys of ambiguous removals, which might mean another copy of the item; they are skipped. */
  readonly ambiguous: readonly string[]
}

interface Wanted {
  readonly row: SubmittedRow
  readonly entry: ListEntry | undefined
}

export function mergeList({ current, rows, inOrder, originals, list }: MergeInput): Merge {
  const entries = createEntries(current)
  const loaded = originals === null ? null : resolve(originals, rows, entries)
  const loadedKeys = new Set(originals?.keys)
  const isLoaded = (entry: ListEntry) => loaded === null || loaded.found.has(entry)
  const wanted: Wanted[] = []
  const kept = new Set<ListEntry>()
  const keep = (row: SubmittedRow, entry: ListEntry) => {
    kept.add(entry)
    wanted.push({ row, entry })
  }
  const others: SubmittedRow[] = []
  // Rows with an entry id claim their entries first, so that copies cannot claim them.
  const byId = new Map(
    rows.flatMap((row) => {
      const entry = row.entryId === null ? undefined : entries.byId.get(row.entryId)
      return entry === undefined || isAnother(row, entry) ? [] : [[row, entry] as const]
    }),
  )
  const isTaken = new Set(byId.values())
  for (const row of rows) {
    const own = byId.get(row)
    if (own !== undefined) {
      if (!kept.has(own)) keep(row, own)
      continue
    }
    const named = entries.byKey.get(row.loadedKey)
    const isOwn = named !== undefined && !kept.has(named) && !isTaken.has(named) && !isAnother(row, named)
    // An entry with a new id, or the row itself in a list without ids.
    const mayBe = named !== undefined && (row.entryId === null ? isLoaded(named) : loaded?.found.has(named) !== true)
    if (isOwn && mayBe) keep(row, named)
    else others.push(row)
  }
  for (const row of others) {
    if (row.entryId !== null || loadedKeys.has(row.loadedKey)) {
      const replaced = row.entryId === null ? entries.byKey.get(row.loadedKey) : entries.byId.get(row.entryId)
      // The entry was removed elsewhere.
      if (replaced === undefined || !isAnother(row, replaced)) continue
    }
    const same = entries.of(row.item).find((entry) => !kept.has(entry) && (!list.duplicates || isLoaded(entry)))
    if (same !== undefined) keep(row, same)
    else if (list.duplicates || !entries.of(row.item).some((entry) => kept.has(entry)))
      wanted.push({ row, entry: undefined })
  }
  const removals = loaded === null ? [] : [...loaded.found].filter((entry) => !kept.has(entry))
  const adds = addsOf(wanted, entries, list)
  const submitted = new Set(rows.map(({ loadedKey }) => loadedKey))
  const { order, isReordered } = orderOf({ wanted, adds, rows, current, kept, inOrder, loaded })
  return {
    adds: [...adds.values()],
    removals,
    order: list.ordered ? order : null,
    elsewhere: {
      added: loaded === null ? [] : current.filter((entry) => !loaded.found.has(entry)).map(({ key }) => key),
      removed: loaded?.gone ?? [],
      moved: loaded !== null && isReordered && isMoved(loaded, current),
    },
    unnamed: loaded === null ? current.filter((entry) => !kept.has(entry)).length : 0,
    ambiguous: loaded?.ambiguous.filter((key) => !submitted.has(key)) ?? [],
  }
}

type Entries = ReturnType<typeof createEntries>

function createEntries(current: readonly ListEntry[]) {
  const byId = new Map<string, ListEntry>()
  const byKey = new Map<string, ListEntry>()
  const byName = new Map<string, ListEntry[]>()
  const copies = new Map<string, number>()
  for (const entry of current) {
    const id = entryIdOf(entry)
    if (id !== null) byId.set(id, entry)
    byKey.set(entry.key, entry)
    copies.set(workOf(entry.key), (copies.get(workOf(entry.key)) ?? 0) + 1)
    for (const name of namesOf(entry.item)) {
      const known = byName.get(name)
      if (known === undefined) byName.set(name, [entry])
      else known.push(entry)
    }
  }
  return {
    byId,
    byKey,
    copies,
    /** Entries of the same item, in order. */
    of: (item: Item): readonly ListEntry[] =>
      [...new Set(namesOf(item).flatMap((name) => byName.get(name) ?? []))].filter(
        (entry) => !contradicts(entry.item, item),
      ),
  }
}

interface Loaded {
  /** In the order of loading. */
  readonly found: ReadonlySet<ListEntry>
  readonly gone: readonly string[]
  readonly ambiguous: readonly string[]
}

/** The loaded entries that still exist. */
function resolve({ keys, ids }: Originals, rows: readonly SubmittedRow[], entries: Entries): Loaded {
  const found = new Set<ListEntry>()
  const gone: string[] = []
  const ambiguous: string[] = []
  const idsOfRows = new Map(rows.flatMap(({ loadedKey, entryId }) => (entryId === null ? [] : [[loadedKey, entryId]])))
  const loadedCopies = new Map<string, number>()
  for (const key of keys) loadedCopies.set(workOf(key), (loadedCopies.get(workOf(key)) ?? 0) + 1)
  for (const [place, key] of keys.entries()) {
    const id = ids?.[place] ?? idsOfRows.get(key) ?? null
    const work = workOf(key)
    if (id !== null) {
      const entry = entries.byId.get(id)
      if (entry === undefined) gone.push(key)
      else found.add(entry)
      continue
    }
    const entry = entries.byKey.get(key)
    const isCertain = loadedCopies.get(work) === entries.copies.get(work)
    if (entry === undefined) gone.push(key)
    else if (isCertain) found.add(entry)
    else ambiguous.push(key)
  }
  return { found, gone, ambiguous }
}

/** The person replaced the work of the entry. */
function isAnother({ item }: SubmittedRow, entry: ListEntry): boolean {
  return contradicts(item, entry.item)
}

function addsOf(wanted: readonly Wanted[], entries: Entries, { duplicates }: Pick<List, 'duplicates'>) {
  const adds = new Map<SubmittedRow, { readonly key: string; readonly item: Item }>()
  const keys = new Set<string>()
  const names = new Set<string>()
  for (const { row, entry } of wanted) {
    if (entry !== undefined) continue
    if (!duplicates && namesOf(row.item).some((name) => names.has(name))) continue
    for (const name of namesOf(row.item)) names.add(name)
    let { key } = row
    for (let copy = 1; keys.has(key) || entries.byKey.has(key); copy += 1) key = `${row.key}+${copy}`
    keys.add(key)
    const { native: _native, library_id: _library, added_at: _added, ...item } = row.item
    adds.set(row, { key, item })
  }
  return adds
}

interface OrderInput {
  readonly wanted: readonly Wanted[]
  readonly adds: ReadonlyMap<SubmittedRow, { readonly key: string }>
  readonly rows: readonly SubmittedRow[]
  readonly current: readonly ListEntry[]
  readonly kept: ReadonlySet<ListEntry>
  readonly inOrder: boolean
  readonly loaded: Loaded | null
}

/** The order that the client changed; null if unchanged. */
function orderOf({ wanted, adds, rows, current, kept, inOrder, loaded }: OrderInput) {
  const asIs = current.filter((entry) => kept.has(entry))
  const places = new Map(rows.map((row, place) => [row, inOrder ? place : (row.position ?? Number.POSITIVE_INFINITY)]))
  const knowsOrder = inOrder || wanted.every(({ row, entry }) => entry === undefined || row.position !== null)
  const sorted = knowsOrder ? wanted.toSorted((a, b) => compare(places.get(a.row)!, places.get(b.row)!)) : wanted
  const chosen = sorted.flatMap(({ entry }) => entry ?? [])
  const before = loaded === null ? asIs : [...loaded.found].filter((entry) => kept.has(entry))
  const known = new Set(before)
  const isReordered =
    knowsOrder &&
    !isEqual(
      chosen.filter((entry) => known.has(entry)),
      before,
    )
  const keyed = sorted.flatMap(({ row, entry }) => entry?.key ?? adds.get(row)?.key ?? [])
  if (isReordered) return { order: keyed, isReordered }
  const lastKept = sorted.findLastIndex(({ entry }) => entry !== undefined)
  const isInside = sorted.some(({ row, entry }, place) => entry === undefined && adds.has(row) && place < lastKept)
  if (!knowsOrder || !isInside) return { order: null, isReordered }
  return { order: insertAdds(asIs, sorted, adds), isReordered }
}

/** The current entries, with each add after the row that it follows. */
function insertAdds(
  asIs: readonly ListEntry[],
  sorted: readonly Wanted[],
  adds: ReadonlyMap<SubmittedRow, { readonly key: string }>,
): readonly string[] {
  const behind = new Map<ListEntry | undefined, string[]>()
  let last: ListEntry | undefined
  for (const { row, entry } of sorted) {
    if (entry !== undefined) last = entry
    else if (adds.has(row)) behind.set(last, [...(behind.get(last) ?? []), adds.get(row)!.key])
  }
  return [...(behind.get(undefined) ?? []), ...asIs.flatMap((entry) => [entry.key, ...(behind.get(entry) ?? [])])]
}

function isMoved({ found }: Loaded, current: readonly ListEntry[]): boolean {
  return !isEqual(
    current.filter((entry) => found.has(entry)),
    [...found],
  )
}

/** The key without the number of a copy. */
function workOf(key: string): string {
  return key.replace(/#\d+$/, '')
}

export function entryIdOf({ item }: ListEntry): string | null {
  return item.native?.list_item_id ?? null
}

function namesOf(item: Item): readonly string[] {
  const tokens = tokensOf(item, { within: 'account' })
  const title = tokens.length === 0 ? titleTokenOf(item) : undefined
  return title === undefined ? tokens : [title]
}

function isEqual<Value>(a: readonly Value[], b: readonly Value[]): boolean {
  return a.length === b.length && a.every((value, place) => value === b[place])
}

function compare(a: number, b: number): number {
  return a < b ? -1 : a > b ? 1 : 0
}
