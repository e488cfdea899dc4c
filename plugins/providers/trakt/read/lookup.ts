// Looks up the Trakt ids of movies and episodes by their other ids.
import { defined, type UpstreamAccount } from '@playhead/sdk'
import { contradicts, type Item, kindOf, ownIds } from '@playhead/sdk/items'
import { createKeyedCache } from '@playhead/sdk/provider'
import { itemOf } from '../items.ts'
import type { Lookups, Session } from '../session.ts'
import { Rows } from '../wire.ts'

/** In order of Trakt's coverage. */
const SEARCHED = { movie: ['imdb', 'tmdb'], episode: ['tvdb', 'tmdb', 'imdb'] } as const

export function createLookups(upstream: UpstreamAccount): Lookups {
  return createKeyedCache({
    async load(keys, signal) {
      const found = new Map<string, readonly Item[]>()
      for (const key of keys) {
        const [type = '', scheme = '', id = ''] = key.split('/')
        const path = `/search/${scheme}/${encodeURIComponent(id)}`
        const rows = await upstream.json({ path, query: { type }, ...defined({ signal }) }, Rows)
        const items = rows.map(itemOf).flatMap((read) => ('item' in read ? [read.item] : []))
        if (items.length > 0) found.set(key, items)
      }
      return found
    },
  })
}

/** The Trakt ids for the item's own ids, its Trakt id first. Works that contradict the item are left out. */
export async function idsInTrakt(
  { lookups }: Session,
  item: Item,
  signal: AbortSignal,
): Promise<readonly { readonly trakt: number }[]> {
  const own = ownIds(item)
  if (own.tracka !== undefined) return [{ trakt: Number(own.tracka) }]
  const kind = kindOf(item)
  if (kind !== 'movie' && kind !== 'episode') return []
  for (const scheme of SEARCHED[kind]) {
    const id = own[scheme]
    if (id === undefined) continue
    const key = `${kind}/${scheme}/${id}`
    const found = ((await lookups.get([key], signal)).get(key) ?? []).filter(
      (work) => kindOf(work) === kind && work.ids.tracka !== undefined && !contradicts(work, item),
    )
    if (found.length === 1) return found.map(({ ids }) => ({ trakt: Number(ids.tracka) }))
  }
  return []
}
