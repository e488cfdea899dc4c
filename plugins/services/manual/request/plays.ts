// Expands a title that is marked as watched to single plays. A show or season is never written as a whole: services would mark all
// of its episodes, including unaired ones, at one time.
import { defined, PlayheadError, type WorkEpisode } from '@playhead/sdk'
import { pastNoonOf, type When } from './dates.ts'
import type { Order, Work } from './order.ts'
import type { Resolved, Resolver } from './resolve.ts'

export interface Play {
  readonly item: Work & { readonly type: 'movie' | 'episode' }
  readonly when: When
}

export interface Plays {
  readonly plays: readonly Play[]
  /** The source of the episodes of a show or season. */
  readonly from?: 'metadata' | 'library'
}

interface PlaysOptions {
  readonly resolver: Pick<Resolver, 'episodes'>
  /** Episodes of the show that any account has; without dates. */
  readonly knownEpisodes: (show: Work) => Promise<readonly WorkEpisode[]>
}

/** Larger shows have to be marked by season. */
const MAX_EPISODES = 2_000
const SPECIALS = 0

/**
 * Throws `PLH_INVALID`: `release_date_unavailable`, `confirmation_required` (with the number of `episodes`, null if it
 * is not known), `episodes_unknown`, `nothing_aired`, `too_many_episodes`.
 */
export async function playsOf(
  { when, confirmShow }: Pick<Order, 'when' | 'confirmShow'>,
  { item, released }: Resolved,
  { resolver, knownEpisodes }: PlaysOptions,
  nowMs: number,
): Promise<Plays> {
  if (when === undefined) return { plays: [] }
  if (item.type === 'movie' || item.type === 'episode') {
    const single = item as Play['item']
    if (when !== 'release') return { plays: [{ item: single, when }] }
    const date = item.type === 'movie' ? released : await airDate(item, resolver)
    return { plays: [{ item: single, when: releaseOf(date, nowMs) }] }
  }

  const announced = await resolver.episodes(item)
  const from = announced === undefined ? 'library' : 'metadata'
  const all = announced ?? (await knownEpisodes(item))
  // An episode that an account has must have aired.
  const aired = all.filter(
    ({ season, aired: date }) =>
      isWanted(item, season) && (from === 'library' || (date !== null && pastNoonOf(date, nowMs) !== undefined)),
  )
  const isKnown = announced !== undefined || aired.length > 0
  if (!confirmShow)
    throw new PlayheadError('PLH_INVALID', 'This marks every aired episode. Send confirm_show to confirm.', {
      wire: 'confirmation_required',
      details: { episodes: isKnown ? aired.length : null, ...(isKnown ? { episodes_from: from } : {}) },
    })
  if (!isKnown)
    throw new PlayheadError(
      'PLH_INVALID',
      'The episodes of this show are not known. Enter a TMDB API key, or mark single episodes.',
      { wire: 'episodes_unknown' },
    )
  if (aired.length === 0) throw new PlayheadError('PLH_INVALID', 'No episode has aired yet.', { wire: 'nothing_aired' })
  if (aired.length > MAX_EPISODES)
    throw new PlayheadError('PLH_INVALID', 'The show has too many episodes. Mark its seasons one by one.', {
      wire: 'too_many_episodes',
      details: { episodes: aired.length, limit: MAX_EPISODES },
    })
  const plays = aired.map((episode) => ({
    item: episodeItem(item, episode),
    when: when === 'release' ? releaseOf(episode.aired, nowMs) : when,
  }))
  return { plays, from }
}

/** Specials are included only on request, because people do not mean them by "the show". */
function isWanted({ type, season: wanted }: Work, season: number): boolean {
  return type === 'season' ? season === wanted : season !== SPECIALS
}

async function airDate(item: Work, resolver: Pick<Resolver, 'episodes'>): Promise<string | null> {
  const found = await resolver.episodes(item)
  return found?.find(({ season, episode }) => season === item.season && episode === item.episode)?.aired ?? null
}

function releaseOf(date: string | null, nowMs: number): When {
  const when = date === null ? undefined : pastNoonOf(date, nowMs)
  if (when === undefined)
    throw new PlayheadError('PLH_INVALID', 'The release date is not known, or is in the future.', {
      wire: 'release_date_unavailable',
    })
  return when
}

function episodeItem(of: Work, { season, episode, title }: WorkEpisode): Play['item'] {
  const seriesTitle = of.type === 'show' ? of.title : of.series_title
  const seriesYear = of.type === 'show' ? of.year : of.series_year
  return {
    type: 'episode',
    ids: {},
    show_ids: (of.type === 'show' ? of.ids : of.show_ids) ?? {},
    season,
    episode,
    ...(title === '' ? {} : { title }),
    ...defined({ series_title: seriesTitle ?? undefined, series_year: seriesYear ?? undefined }),
  }
}
