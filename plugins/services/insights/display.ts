// Titles, numbers and pictures for display.
import { defined } from '@playhead/sdk'
import { episodeCode, type Ids, type Item, kindOf } from '@playhead/sdk/items'

type Show = 'poster' | 'still' | 'backdrop'

interface Shown {
  readonly type: 'movie' | 'show' | 'season' | 'episode'
  readonly title: string
  readonly year: number | null
  readonly season: number | null
  readonly episode: number | null
  readonly ids: Ids
  readonly show_ids?: Ids
}

export function shownOf(item: Item): Shown {
  const type = kindOf(item)
  const isPart = type === 'episode' || type === 'season'
  return {
    type,
    title: (isPart ? (item.series_title ?? item.title) : item.title) ?? 'Untitled',
    year: (isPart ? (item.series_year ?? item.year) : item.year) ?? null,
    season: item.season ?? null,
    episode: item.episode ?? null,
    ids: item.ids,
    ...defined({ show_ids: item.show_ids }),
  }
}

/** Fields that all dashboard rows share. Pictures are URLs, loaded by the client. */
export function displayOf(
  { type, title, year, season, episode, ids, show_ids }: Shown,
  picture: Show,
): Readonly<Record<string, unknown>> {
  const isPart = type === 'episode' || type === 'season'
  const tmdb = isPart ? show_ids?.tmdb : ids.tmdb
  const hasIds = Object.keys(isPart ? { ...ids, ...show_ids } : ids).length > 0
  const artType = type === 'movie' ? 'movie' : 'tv'
  const still =
    type === 'episode' && season !== null && episode !== null
      ? `?kind=still&size=w300&season=${season}&episode=${episode}`
      : undefined
  const query =
    picture === 'backdrop' ? '?kind=backdrop&size=w780' : ((picture === 'still' ? still : undefined) ?? '?size=w342')
  const address = (rest: string) => (tmdb === undefined ? '' : `/art/metaA/${artType}/${tmdb}${rest}`)
  return {
    type,
    art_type: artType,
    title,
    year,
    season,
    episode,
    episode_label: type === 'episode' && season !== null && episode !== null ? episodeCode({ season, episode }) : '',
    ids: { ...ids, ...defined({ show_ids }) },
    tmdb: tmdb === undefined ? null : Number(tmdb),
    poster: address(query),
    cover: address('?size=w342'),
    art_reason: tmdb !== undefined ? 'existing_tmdb' : hasIds ? 'metadata_unavailable' : 'missing_lookup_identity',
  }
}

/** `Film (1999)`, `Series - S01E02`, `Series - Season 2`, and the title of the episode. */
export function titlesOf(item: Item): {
  readonly display_title: string
  readonly display_subtitle?: string
  readonly series_title?: string
} {
  const { type, title, year, season, episode } = shownOf(item)
  if (type === 'movie' || type === 'show')
    return { display_title: year === null || type === 'show' ? title : `${title} (${year})` }
  const part =
    type === 'season' ? `Season ${season ?? '?'}` : episodeCode({ season: season ?? 0, episode: episode ?? 0 })
  const own =
    type === 'episode' && item.title != null && item.title !== '' && item.title !== title ? item.title : undefined
  return { display_title: `${title} - ${part}`, series_title: title, ...defined({ display_subtitle: own }) }
}
