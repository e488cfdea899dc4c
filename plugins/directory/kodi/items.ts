// Entries of the library as items, and entries that are the same work.
import { contradicts, type IdScheme, type Ids, normaliseId, tokensOf } from '@playhead/sdk/items'
import type { Item } from '@playhead/sdk'
import { titleAt, yearAt } from '@playhead/sdk/provider'
import type { Episode, Movie, Show } from './wire.ts'

export type Kind = 'movie' | 'show' | 'episode'

/** An entry of the library with its marks. */
export interface Entry {
  readonly kind: Kind
  /** Kodi's id, unique within the kind. */
  readonly id: number
  /** Identity and titles, without marks. */
  readonly item: Item
  readonly playcount: number
  /** Local time of the box, or `''`. */
  readonly lastplayed: string
  /** Milliseconds; 0: none. */
  readonly positionMs: number
  /** Milliseconds; 0: unknown. */
  readonly lengthMs: number
  /** 0: none. */
  readonly rating: number
  /** Kodi keeps history and positions by file: episodes of one file share them. `''` for a show. */
  readonly file: string
}

/** The facts of a show that its episodes need. */
export type ShowFacts = Pick<Item, 'ids' | 'title' | 'year'>

const SCHEMES = ['imdb', 'tmdb', 'tvdb'] as const satisfies readonly IdScheme[]

/** Scrapers name their ids, except old ones (`unknown`), whose id is only certain if it has the form of IMDb's. */
function idsOf({
  uniqueid = {},
  imdbnumber,
}: {
  readonly uniqueid?: Readonly<Record<string, unknown>>
  readonly imdbnumber?: string
}): Ids {
  const ids: { [scheme in IdScheme]?: string } = {}
  for (const scheme of SCHEMES) {
    const id = normaliseId(scheme, uniqueid[scheme])
    if (id !== undefined) ids[scheme] = id
  }
  for (const text of [uniqueid['unknown'], imdbnumber]) {
    const id = typeof text === 'string' && /^tt\d+$/.test(text) ? normaliseId('imdb', text) : undefined
    if (id !== undefined) ids.imdb ??= id
  }
  return ids
}

const toMs = (seconds: number) => Math.max(0, Math.round(seconds * 1_000))

function marksOf({ playcount, lastplayed, resume, userrating, runtime, file }: Movie | Episode) {
  return {
    playcount,
    lastplayed,
    positionMs: toMs(resume.position),
    lengthMs: toMs(resume.total) || toMs(runtime),
    rating: userrating,
    file,
  }
}

export function movieEntry(row: Movie): Entry {
  const item: Item = { type: 'movie', ids: idsOf(row), ...titleAt('title', row.title), ...yearAt('year', row.year) }
  return { kind: 'movie', id: row.movieid, item, ...marksOf(row) }
}

export function showItem(row: Pick<Show, 'title' | 'year' | 'uniqueid' | 'imdbnumber'>): Item {
  return { type: 'show', ids: idsOf(row), ...titleAt('title', row.title), ...yearAt('year', row.year) }
}

export function showEntry(row: Show): Entry {
  const none = { playcount: 0, lastplayed: '', positionMs: 0, lengthMs: 0, file: '' }
  return { kind: 'show', id: row.tvshowid, item: showItem(row), rating: row.userrating, ...none }
}

export function episodeEntry(row: Episode, show: ShowFacts | undefined): Entry {
  return { kind: 'episode', id: row.episodeid, item: episodeItem(row, show), ...marksOf(row) }
}

export function episodeItem(
  row: Pick<Episode, 'title' | 'uniqueid' | 'showtitle' | 'season' | 'episode'>,
  show: ShowFacts | undefined,
): Item {
  const showIds = show?.ids ?? {}
  // Some scrapers give an episode the ids of its show.
  const own = Object.entries(idsOf(row)).filter(([scheme, id]) => showIds[scheme as IdScheme] !== id)
  return {
    type: 'episode',
    ids: Object.fromEntries(own) as Ids,
    ...(Object.keys(showIds).length === 0 ? {} : { show_ids: showIds }),
    season: row.season,
    episode: row.episode,
    ...titleAt('title', row.title),
    ...titleAt('series_title', row.showtitle ?? show?.title),
    ...yearAt('series_year', show?.year),
  }
}

/** Why the entry names no work; undefined if it does. */
export function unreadableReason({ kind, item }: Entry): string | undefined {
  if (kind === 'episode' && !(item.season! >= 0 && item.episode! >= 1)) return 'invalid_numbers'
  return tokensOf(item).length === 0 ? 'missing_ids' : undefined
}

/** Entries by their works. Two files of one film are two entries of one work. */
export interface Works<One extends { readonly item: Item }> {
  add(entry: One): void
  /** The entries of each work, in the order of the first one. */
  all(): Iterable<readonly One[]>
  /** The entries of the item's work; none if it is not there. */
  of(item: Item): readonly One[]
}

/** Entries are one work if they share an id, and no other id says that they are two. */
export function createWorks<One extends { readonly item: Item }>(entries: Iterable<One> = []): Works<One> {
  const works = new Set<One[]>()
  /** By the ids of its entries; an id that two works claim leads to both. */
  const byToken = new Map<string, Set<One[]>>()

  function matching(item: Item): One[][] {
    const found = new Set(tokensOf(item).flatMap((token) => [...(byToken.get(token) ?? [])]))
    return [...found].filter((work) => work.every((entry) => !contradicts(entry.item, item)))
  }
  function put(work: One[], entry: One): void {
    work.push(entry)
    for (const token of tokensOf(entry.item)) byToken.set(token, (byToken.get(token) ?? new Set()).add(work))
  }
  function add(entry: One): void {
    const [work = [], ...others] = matching(entry.item)
    works.add(work)
    put(work, entry)
    // The entry has the ids of works that shared none so far.
    for (const other of others) {
      if (other.some((one) => work.some((mine) => contradicts(one.item, mine.item)))) continue
      works.delete(other)
      for (const one of other) {
        for (const token of tokensOf(one.item)) byToken.get(token)?.delete(other)
        put(work, one)
      }
    }
  }
  for (const entry of entries) add(entry)

  return { add, all: () => works, of: (item) => matching(item).flat() }
}
