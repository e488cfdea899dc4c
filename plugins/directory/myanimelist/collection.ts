// All entries of an account. MyAnimeList reports no total.
import { defined, type UpstreamAccount } from '@playhead/sdk'
import { overlappingPages } from '@playhead/sdk/provider'
import { readUser } from './upstream.ts'
import { type Entry, LIST_FIELDS, ListPage } from './wire.ts'

export interface Collection {
  /** Account id. */
  readonly account: string
  /** One for each anime. */
  readonly entries: readonly Entry[]
  /** Why the list is not proven to be complete. */
  readonly flaw?: string
}

export async function loadCollection(
  upstream: UpstreamAccount,
  pageSize: number,
  signal: AbortSignal,
): Promise<Collection> {
  const { id } = await readUser(upstream, signal)
  const { rows, flaw } = await overlappingPages({
    async fetchPage(offset) {
      // By default MyAnimeList leaves some titles out. By title, a change of an entry moves no other.
      const query = { fields: LIST_FIELDS, nsfw: 'true', sort: 'anime_title', limit: pageSize, offset }
      const { data, paging } = await upstream.json({ path: 'users/@me/animelist', query, signal }, ListPage)
      // The address of the next page is not followed: it may be of another host.
      return { rows: data, hasMore: paging.next !== undefined }
    },
    idOf: ({ node }) => node.id,
  })
  return { account: String(id), entries: rows, ...defined({ flaw }) }
}
