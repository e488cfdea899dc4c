// The lists of a user, page by page, each with a proof that it is complete: its requests, and the watchlist that Seerr keeps.
import { PlayheadError, type UpstreamAccount } from '@playhead/sdk'
import { type Me, type Session, textOf } from './session.ts'
import { type Kind, ListPage, type RequestRow, Requests, type User, Users } from './wire.ts'

export interface Listed<Row> {
  readonly rows: readonly Row[]
  /** Why it may be incomplete; undefined if it is complete. */
  readonly flaw?: string | undefined
}

interface Chunk<Row> {
  readonly rows: readonly Row[]
  readonly total: number
}

/** Reads until as many rows came as the list has. A row that comes twice, or another total, is a flaw. */
async function whole<Row>(
  load: (at: { readonly index: number; readonly rows: number }) => Promise<Chunk<Row>>,
  nameOf: (row: Row) => string | number,
): Promise<Listed<Row>> {
  const rows = new Map<string | number, Row>()
  let total: number | undefined
  let came = 0
  for (let index = 0; ; index += 1) {
    const chunk = await load({ index, rows: came })
    total ??= chunk.total
    if (chunk.total !== total) return { rows: [...rows.values()], flaw: 'changed_while_reading' }
    for (const row of chunk.rows) rows.set(nameOf(row), row)
    came += chunk.rows.length
    if (came !== rows.size) return { rows: [...rows.values()], flaw: 'repeated_page' }
    if (came >= total || chunk.rows.length === 0) break
  }
  return { rows: [...rows.values()], flaw: came === total ? undefined : 'total_mismatch' }
}

/** All own requests, newest first; also those that were declined. */
export function requestsOf({ api, account }: Session, me: Me, signal: AbortSignal): Promise<Listed<RequestRow>> {
  const take = account.profile.page_size
  return whole(
    async ({ rows: skip }) => {
      const request = { path: `user/${me.id}/requests`, query: { take, skip }, signal }
      const { pageInfo, results } = await api.json(request, Requests)
      return { rows: results, total: pageInfo.results }
    },
    ({ id }) => id,
  )
}

export interface ListEntry {
  readonly kind: Kind
  readonly tmdb: number
  readonly title: string | undefined
  readonly addedAt: string
}

/** The watchlist that Seerr keeps itself; empty for people without one. */
export async function listOf({ api }: Session, me: Me, signal: AbortSignal): Promise<Listed<ListEntry>> {
  if (!me.hasList) return { rows: [] }
  return whole(
    async ({ index }) => {
      const { totalResults: total, results } = await api.json(
        { path: `user/${me.id}/watchlist`, query: { page: index + 1 }, signal },
        ListPage,
      )
      // Rows of Plex, which has a connection of its own, are without times.
      const isPlex = results.length > 0 && results.every(({ createdAt }) => textOf(createdAt) === undefined)
      if (isPlex) return { rows: [], total: 0 }
      // Rows that cannot be read are lacking in the count.
      const rows = results.flatMap(({ tmdbId: tmdb, mediaType: kind, title, createdAt }): ListEntry[] => {
        const addedAt = textOf(createdAt)
        return addedAt === undefined || typeof tmdb !== 'number' || (kind !== 'movie' && kind !== 'tv')
          ? []
          : [{ kind, tmdb, title: textOf(title), addedAt }]
      })
      return { rows, total }
    },
    ({ kind, tmdb }) => `${kind}/${tmdb}`,
  )
}

/**
 * All users of the installation. Throws `PLH_UPSTREAM_INVALID` if the list is not complete: it proves nothing about the users that it
 * lacks, not even that one of a name is the only one.
 */
export async function usersOf(api: UpstreamAccount, signal?: AbortSignal): Promise<readonly User[]> {
  const { rows, flaw } = await whole(
    async ({ rows: skip }) => {
      const request = { path: 'user', query: { take: 100, skip }, ...(signal === undefined ? {} : { signal }) }
      const { pageInfo, results } = await api.json(request, Users)
      return { rows: results, total: pageInfo.results }
    },
    ({ id }) => id,
  )
  if (flaw !== undefined) throw new PlayheadError('PLH_UPSTREAM_INVALID', 'The list of users is not complete.')
  return rows
}
