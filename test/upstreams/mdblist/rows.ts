// How MDBList formats works in responses, and pages of lists.
import type { UpstreamReply, UpstreamRequest } from '../base/index.ts'
import type { Entry, Ids } from '../trakt/catalogue.ts'
import type { Quirks } from './state.ts'

/** A time as MDBList formats it, in seconds. */
export function iso(atMs: number): string {
  return `${new Date(atMs).toISOString().slice(0, 19)}Z`
}

/** The fields of a row that identify the item. */
export function work(entry: Entry): Record<string, unknown> {
  switch (entry.type) {
    case 'movie':
      return { movie: titled(entry.movie) }
    case 'show':
      return { show: titled(entry.show) }
    case 'season':
      return { season: { number: entry.season.number, ids: idsOf(entry.season.ids), show: titled(entry.show) } }
    case 'episode': {
      const { season, number, title, ids } = entry.episode
      return { episode: { season, number, title, ids: idsOf(ids), show: titled(entry.show) } }
    }
  }
}

export function titled({ title, year, ids }: { readonly title: string; readonly year: number; readonly ids: Ids }) {
  return { title, year, ids: idsOf(ids) }
}

export function idsOf({ trakt, imdb = null, tmdb = null, tvdb = null }: Ids) {
  return { imdb, tmdb, tvdb, trakt, mal: null, mdblist: `m${trakt.toString(36)}x` }
}

/** A film or show as an entry of a list. */
export function listRow(entry: Entry, rank: number) {
  const about = entry.type === 'movie' ? entry.movie : (entry as Extract<Entry, { type: 'show' }>).show
  const ids = idsOf(about.ids)
  return {
    id: about.ids.trakt,
    rank,
    title: about.title,
    imdb_id: ids.imdb,
    tvdb_id: ids.tvdb,
    mediatype: entry.type,
    release_year: about.year,
    ids,
  }
}

/** The rows of one page, and the offset of the next page. */
export function pageOf<Row>(request: UpstreamRequest, rows: readonly Row[], { pageRows, cursors }: Quirks) {
  const limit = Math.min(positive(request.query.get('limit')) ?? 100, pageRows)
  const offset = Number(request.query.get('cursor')?.slice(1) ?? request.query.get('offset') ?? 0)
  const end = offset + limit
  const hasMore = end < rows.length
  return {
    rows: rows.slice(offset, end),
    hasMore,
    pagination: { limit, offset, has_more: hasMore, next_cursor: hasMore && cursors ? `c${end}` : null },
  }
}

export function json(value: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): UpstreamReply {
  return { status, headers, json: value }
}

function positive(text: string | null): number | undefined {
  const number = Number(text ?? '')
  return Number.isInteger(number) && number > 0 ? number : undefined
}
