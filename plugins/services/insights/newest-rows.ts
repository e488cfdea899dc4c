// The newest rows as the dashboard shows them: what the accounts say of each, united.
import {
  formatKey,
  ID_SCHEMES,
  type Ids,
  type IdScheme,
  type Item,
  keyOf,
  kindOf,
  partOf,
  SCHEMES,
  sharesScheme,
  slugOf,
} from '@playhead/sdk'
import type { KeyedCluster } from './newest.ts'
import type { KeyedMark } from './sightings.ts'
import type { Counted, Source } from './sources.ts'

export interface NewestRow {
  readonly item: Item
  readonly key: string
  readonly atMs: number
  readonly sources: readonly { readonly provider: string; readonly instance: string }[]
}

export interface NewestRows {
  readonly rows: readonly NewestRow[]
  readonly total: number
}

interface Shown extends NewestRow {
  readonly isDate: boolean
}

const SHOWN = 24
const PLAY_MS = 300_000
// Ids of one server mean nothing to anybody else.
const SHARED = SCHEMES.filter((scheme) => ID_SCHEMES[scheme].reach !== 'account')

export async function newestRows(
  feature: Counted,
  { newest, total }: { readonly newest: readonly KeyedCluster[]; readonly total: number },
  sources: readonly Source[],
): Promise<NewestRows> {
  const items = await fetchItems(newest, sources)
  const rows: Shown[] = []
  let merged = 0
  for (const cluster of newest) {
    const row = rowOf(feature, cluster, items, sources)
    if (row === undefined) continue
    const at = rows.findIndex((other) => isSame(feature, other, row))
    if (at === -1) rows.push(row)
    else {
      rows[at] = unite(rows[at] as Shown, row)
      merged += 1
    }
  }
  // An echo that was united with what it echoes went down in time.
  return { rows: rows.sort((a, b) => b.atMs - a.atMs).slice(0, SHOWN), total: total - merged }
}

async function fetchItems(
  newest: readonly KeyedCluster[],
  sources: readonly Source[],
): Promise<(mark: KeyedMark) => Item | undefined> {
  const marks = newest.flatMap((cluster) => cluster.marks)
  const byAccount = await Promise.all(
    sources.map(async (source, account) => {
      const keys = [...new Set(marks.flatMap((mark) => (mark.account === account ? mark.key : [])))]
      const found = new Map<string, Item>()
      for (let start = 0; start < keys.length; start += 500) {
        for (const { key, item } of await source.items(keys.slice(start, start + 500))) found.set(key, item)
      }
      return found
    }),
  )
  return ({ account, key }) => byAccount[account]?.get(key)
}

function rowOf(
  feature: Counted,
  { atMs, marks }: KeyedCluster,
  itemOf: (mark: KeyedMark) => Item | undefined,
  sources: readonly Source[],
): Shown | undefined {
  const known = marks.flatMap((mark) => {
    const item = itemOf(mark)
    return item === undefined ? [] : [{ mark, item }]
  })
  const [first, ...others] = known
  if (first === undefined) return undefined
  const item = others.reduce((all, other) => fill(all, other.item), fill(first.item, first.item))
  const key = keyOf(item)
  const names = new Map(
    known.map(({ mark }) => {
      const { provider, instance } = sources[mark.account] as Source
      return [`${provider}@${instance}`, { provider, instance }]
    }),
  )
  const play = feature === 'history' ? `@${Math.floor(atMs / 1_000)}` : ''
  return {
    item,
    key: (key.ok ? formatKey(key.value) : first.mark.key) + play,
    atMs,
    sources: [...names.values()],
    isDate: first.mark.isDate,
  }
}

/** What the first does not say is taken from the other. */
function fill(item: Item, other: Item): Item {
  const filled: Item = { ...item, ids: sharedIds(item.ids, other.ids) }
  if (item.show_ids !== undefined || other.show_ids !== undefined)
    filled.show_ids = sharedIds(item.show_ids, other.show_ids)
  for (const name of ['title', 'year', 'series_title', 'series_year'] as const) {
    if ((filled[name] ?? null) === null && other[name] !== undefined) Object.assign(filled, { [name]: other[name] })
  }
  return filled
}

function sharedIds(first: Ids = {}, second: Ids = {}): Ids {
  const ids: { [scheme in IdScheme]?: string } = {}
  for (const scheme of SHARED) {
    const id = first[scheme] ?? second[scheme]
    if (id !== undefined) ids[scheme] = id
  }
  return ids
}

/**
 * Rows that share no scheme of ids, so that none can speak against it, and have the same title, number or year, and
 * time.
 */
function isSame(feature: Counted, a: Shown, b: Shown): boolean {
  const name = titleOf(a.item)
  if (name === undefined || name !== titleOf(b.item) || sharesScheme(a.item, b.item)) return false
  if (feature !== 'history') return true
  return a.isDate !== b.isDate ? dayOf(a) === dayOf(b) : Math.abs(a.atMs - b.atMs) <= PLAY_MS
}

function titleOf(item: Item): string | undefined {
  const kind = kindOf(item)
  const part = partOf(item)
  const title = slugOf((part === undefined ? item.title : item.series_title) ?? '')
  if (title === '') return undefined
  if (part !== undefined) return `${kind} ${title} ${part.season} ${part.episode ?? ''}`
  return item.year == null ? undefined : `${kind} ${title} ${item.year}`
}

function dayOf({ atMs }: Shown): number {
  return Math.floor(atMs / 86_400_000)
}

// The earlier one in the list is the newer; of equal ratings the earlier time counts, which stands further down.
function unite(a: Shown, b: Shown): Shown {
  const isEcho = a.item.rating !== undefined && a.item.rating === b.item.rating
  const [first, second] = isEcho ? [b, a] : [a, b]
  return {
    ...first,
    item: fill(first.item, second.item),
    sources: [
      ...a.sources,
      ...b.sources.filter(
        (one) => !a.sources.some((other) => other.provider === one.provider && other.instance === one.instance),
      ),
    ],
  }
}
