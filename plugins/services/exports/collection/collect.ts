// Collects the rows of one selection: unites profiles, numbers the plays of each item, joins ratings, and sorts.
import { insertRows, type LibraryRow, type Tables } from '@playhead/sdk'
import {
  foldText,
  formatKey,
  type Item,
  keyOf,
  kindOf,
  markOf,
  mergeIds,
  parseTime,
  playOf,
  SCHEMES,
} from '@playhead/sdk/items'
import { exportTime } from '@playhead/sdk/exporter'
import { sql } from 'kysely'

export type RowFeature = 'watchlist' | 'history' | 'ratings' | 'progress'

interface Source {
  readonly feature: RowFeature
  rows(): AsyncIterable<readonly LibraryRow[]>
}

interface StoredRow {
  readonly collection: string
  readonly n: number
  readonly feature: RowFeature
  readonly key: string
  readonly base: string
  readonly kind: string
  /** The show of a part, else the item itself. */
  readonly work: string
  readonly season: number
  readonly episode: number
  readonly at: number | null
  readonly words: string
  readonly item: string
}

const TIMES = { watchlist: 'added_at', history: 'watched_at', ratings: 'rated_at', progress: 'progress_at' } as const

/** Returns the number of rows. The collection must be empty. */
export async function collect(
  db: Tables,
  collection: string,
  sources: readonly Source[],
  { combined }: { readonly combined: boolean },
): Promise<number> {
  let n = 0
  for (const { feature, rows } of sources) {
    for await (const page of rows()) {
      const merged = new Map<string, StoredRow>()
      const fresh = page.map(({ item }) => storedRow(collection, feature, item, n++))
      const known = await knownRows(db, collection, feature, fresh)
      for (const row of fresh) {
        const other = merged.get(row.key) ?? known.get(row.key)
        merged.set(row.key, other === undefined ? row : unite(other, row))
      }
      await insertRows(
        db,
        'export_row',
        [...merged.values()],
        sql`on conflict (collection, n) do update set item = excluded.item, words = excluded.words`,
      )
    }
  }
  await finish(db, collection, combined)
  return n
}

function storedRow(collection: string, feature: RowFeature, item: Item, n: number): StoredRow {
  const identity = keyOf(item)
  const base = identity.ok ? formatKey(identity.value) : `none:${n}`
  const play = feature === 'history' ? playOf(item) : undefined
  const mark = play?.ok === true ? markText(markOf(play.value)) : ''
  const at = parseTime(item[TIMES[feature]] ?? exportTime(item))?.atMs ?? null
  return {
    collection,
    n,
    feature,
    key: base + mark,
    base,
    kind: kindOf(item),
    work: base.replace(/#[^#]*$/, ''),
    season: item.season ?? -1,
    episode: item.episode ?? -1,
    at,
    words: wordsOf(base + mark, item),
    item: JSON.stringify(item),
  }
}

// As in keys of plays; an unidentified item has no key to format.
function markText(mark: ReturnType<typeof markOf>): string {
  if ('epochSeconds' in mark) return `@${mark.epochSeconds}`
  return `@${'date' in mark ? `date:${mark.date}` : `id:${mark.eventId}`}`
}

function wordsOf(key: string, { title, year, series_title: series, ids, show_ids: showIds = {} }: Item): string {
  const names = [ids, showIds].flatMap((one) =>
    SCHEMES.flatMap((scheme) => (one[scheme] === undefined ? [] : [`${scheme}:${one[scheme]}`])),
  )
  return foldText([key, title, year, series, ...names].filter((text) => text !== undefined && text !== null).join(' '))
}

async function knownRows(db: Tables, collection: string, feature: RowFeature, rows: readonly StoredRow[]) {
  const keys = JSON.stringify(rows.map(({ key }) => key))
  // The cross join keeps SQLite from reading the whole collection instead.
  const { rows: found } = await sql<StoredRow>`select r.collection, r.n, r.feature, r.key, r.base, r.kind, r.work,
    r.season, r.episode, r.at, r.words, r.item from json_each(${keys}) k cross join export_row r indexed by export_row_key
    on r.collection = ${collection} and r.key = k.value where r.feature = ${feature}`.execute(db)
  return new Map(found.map((row) => [row.key, row]))
}

/** The row with more ids, its gaps filled from the other. */
function unite(first: StoredRow, second: StoredRow): StoredRow {
  const [a, b] = [JSON.parse(first.item) as Item, JSON.parse(second.item) as Item]
  const count = ({ ids, show_ids: showIds = {} }: Item) => Object.keys(ids).length + Object.keys(showIds).length
  const [best, other] = count(b) > count(a) ? [b, a] : [a, b]
  const showIds = { ...other.show_ids, ...best.show_ids }
  const item: Item = {
    ...other,
    ...best,
    ids: mergeIds(best.ids, other.ids).ids,
    ...(Object.keys(showIds).length === 0 ? {} : { show_ids: showIds }),
  }
  return { ...first, item: JSON.stringify(item), words: wordsOf(first.key, item) }
}

async function finish(db: Tables, collection: string, combined: boolean): Promise<void> {
  await sql`update export_row set play = o.play, latest = o.latest from (
    select n, row_number() over (partition by base order by at is null, at, n) as play,
      row_number() over (partition by base order by at is null, at desc, n desc) = 1 as latest
    from export_row where collection = ${collection} and feature = 'history'
  ) o where export_row.collection = ${collection} and export_row.n = o.n and (o.play > 1 or o.latest = 0)`.execute(db)
  if (combined)
    await sql`update export_row set hidden = 1 where collection = ${collection} and feature = 'ratings' and exists (
      select 1 from export_row h indexed by export_row_base where h.collection = ${collection} and h.base = export_row.base
        and h.feature = 'history')`.execute(db)
  await sql`update export_row set place = o.place from (
    select n, row_number() over (order by work, season, episode, at is null, at, n) as place
    from export_row where collection = ${collection}
  ) o where export_row.collection = ${collection} and export_row.n = o.n`.execute(db)
}
