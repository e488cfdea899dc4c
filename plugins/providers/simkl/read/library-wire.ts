// Requests for the library or parts of it. There are no pages.
import { PlayheadError, type UpstreamAccount } from '@playhead/sdk'
import { type Entry, entryOf, idsOf, type Part } from './entries.ts'
import { Library, type Row } from '../wire.ts'

/** Large libraries take the service long. */
const TIMEOUT_MS = 180_000

export interface Answered {
  readonly entries: ReadonlyMap<string, Entry>
  /** Titles of rows without a kind. */
  readonly unreadable: readonly (string | undefined)[]
}

/** @param from only what was watched or added since; undefined: all of it */
export async function readEntries(
  upstream: UpstreamAccount,
  part: Part,
  from: string | undefined,
  signal: AbortSignal,
): Promise<Answered> {
  const rows = await readRows(
    upstream,
    part,
    `/sync/all-items/${part}`,
    { extended: part === 'anime' ? 'full_anime_seasons' : 'full', episode_watched_at: 'yes', date_from: from },
    signal,
  )
  const entries = new Map<string, Entry>()
  const unreadable: (string | undefined)[] = []
  for (const row of rows) {
    const entry = entryOf(part, row)
    if (entry === undefined) unreadable.push((row.movie ?? row.show ?? row.anime)?.title ?? undefined)
    else entries.set(entry.id, entry)
    for (let left = entry?.unnumbered ?? 0; left > 0; left -= 1) unreadable.push(entry?.title)
  }
  return { entries, unreadable }
}

/** Ids of all entries, or of those in one list. */
export async function readIds(
  upstream: UpstreamAccount,
  part: Part,
  signal: AbortSignal,
  status?: string,
): Promise<ReadonlySet<string>> {
  const path = `/sync/all-items/${part}${status === undefined ? '' : `/${status}`}`
  const rows = await readRows(upstream, part, path, { extended: 'ids_only' }, signal)
  return new Set(
    rows.map((row) => {
      const work = row.movie ?? row.show ?? row.anime
      const id = work == null ? undefined : idsOf(work).trackb
      if (id === undefined) throw invalid('A row of the library has no number.')
      return id
    }),
  )
}

interface Rated {
  readonly rating: number | undefined
  readonly ratedAt: string | undefined
}

/** All ratings. */
export async function readRatings(
  upstream: UpstreamAccount,
  part: Part,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Rated>> {
  const rows = await readRows(upstream, part, `/sync/ratings/${part}`, {}, signal)
  return new Map(
    rows.flatMap((row) => {
      const entry = entryOf(part, row)
      return entry === undefined ? [] : [[entry.id, { rating: entry.rating, ratedAt: entry.ratedAt }] as const]
    }),
  )
}

type Query = Readonly<Record<string, string | undefined>>

async function readRows(
  upstream: UpstreamAccount,
  part: Part,
  path: string,
  query: Query,
  signal: AbortSignal,
): Promise<readonly Row[]> {
  // Never repeated: SIMKL blocks clients that repeat full reads.
  const request = { path, query, timeoutMs: TIMEOUT_MS, signal }
  const answer = await (await upstream.request(request)).json(Library)
  if (answer === null || Object.keys(answer).length === 0) return []
  const rows = answer[part]
  // An unexpected response is not an empty part.
  if (!Array.isArray(rows)) throw invalid('The answer does not hold the part of the library that was asked for.')
  return rows
}

function invalid(message: string): PlayheadError {
  return new PlayheadError('PLH_UPSTREAM_INVALID', `SIMKL: ${message}`)
}
