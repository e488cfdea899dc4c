// The page of a title: an address of the website that looks a title up by one of its ids and shows it.
import type { Item } from '@playhead/sdk/items'

const SCHEMES = { tracka: 'trakt', tmdb: 'tmdb', imdb: 'imdb', tvdb: 'tvdb' } as const

export function titlePage({ type, film, ids, show_ids: showIds = {} }: Item): string | undefined {
  const kind = type === 'anime' ? (film === true ? 'movie' : 'show') : type
  // Without ids of its own, an episode is shown on the page of its show.
  if (kind === 'movie' || kind === 'show' || kind === 'episode') {
    const own = lookup(ids, kind)
    if (own !== undefined) return own
  }
  return kind === 'episode' || kind === 'season' ? lookup(showIds, 'show') : undefined
}

function lookup(ids: Item['ids'], kind: 'movie' | 'show' | 'episode'): string | undefined {
  for (const [scheme, name] of Object.entries(SCHEMES)) {
    const id = ids[scheme as keyof typeof SCHEMES]
    if (id !== undefined) return `https://trakt.tv/search/${name}/${encodeURIComponent(id)}?id_type=${kind}`
  }
  return undefined
}
