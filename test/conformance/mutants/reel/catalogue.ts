// The works of Reel. Movies and shows have the same numbers at tmdb, and neighbours have the same title.
export interface Work {
  readonly kind: 'movie' | 'show' | 'season' | 'episode'
  readonly title: string
  readonly year: number
  /** For a season or episode: the ids of its show. */
  readonly ids: { readonly imdb?: string; readonly tmdb: number; readonly tvdb?: number }
  readonly season?: number
  readonly episode?: number
  readonly key: string
}

const MOST = 100_000
const FIRST_IMDB = 1_000_000
const FIRST_TVDB = 500_000
/** Numbers of the episodes of a show that are handed out, specials first. */
const EPISODES = [
  [0, 1],
  [1, 1],
  [1, 2],
  [1, 3],
  [2, 1],
  [2, 2],
] as const

export const kindOfShow = (kind: Work['kind']): boolean => kind !== 'movie'

export function movie(number: number): Work {
  const ids = { imdb: `tt${FIRST_IMDB + number}`, tmdb: number }
  return { kind: 'movie', title: titleOf(number), year: 1950 + (number % 70), ids, key: `movie ${number}` }
}

export function show(number: number): Work {
  const ids = { tmdb: number, tvdb: FIRST_TVDB + number }
  return { kind: 'show', title: titleOf(number), year: 1990 + (number % 30), ids, key: `show ${number}` }
}

function part(number: number, season: number, episode?: number): Work {
  const kind = episode === undefined ? 'season' : 'episode'
  return {
    ...show(number),
    kind,
    season,
    ...(episode === undefined ? {} : { episode }),
    key: `${kind} ${number} ${season} ${episode ?? ''}`,
  }
}

/** The n-th work of a kind. */
export function nth(kind: Work['kind'], index: number): Work {
  if (kind === 'movie') return movie(index + 1)
  if (kind === 'show') return show(index + 1)
  if (kind === 'season') return part(20_000 + Math.floor(index / 3), index % 3)
  const [season, episode] = EPISODES[index % EPISODES.length] as readonly [number, number]
  return part(40_000 + Math.floor(index / EPISODES.length), season, episode)
}

/** Consecutive episodes of one show that nth() never returns. */
export function episodesInOrder(index: number, count: number): readonly Work[] {
  return Array.from({ length: count }, (_, at) => part(60_000 + index, 1, at + 1))
}

/** The work that a request names; undefined if there is none. */
export function workOf(asked: {
  readonly kind: Work['kind']
  readonly ids: Readonly<Record<string, unknown>>
  readonly season?: number
  readonly episode?: number
}): Work | undefined {
  const { kind, ids, season, episode } = asked
  const number = numberOf(kind, ids)
  if (number === undefined || !(number > 0 && number < MOST)) return undefined
  if (kind === 'movie') return movie(number)
  if (kind === 'show') return show(number)
  if (!Number.isInteger(season) || Number(season) > 9) return undefined
  if (kind === 'season') return part(number, season as number)
  return Number.isInteger(episode) ? part(number, season as number, episode) : undefined
}

function numberOf(kind: Work['kind'], { imdb, tmdb, tvdb }: Readonly<Record<string, unknown>>): number | undefined {
  if (typeof tmdb === 'number') return tmdb
  if (kind === 'movie' && typeof imdb === 'string' && imdb.startsWith('tt')) return Number(imdb.slice(2)) - FIRST_IMDB
  if (kind !== 'movie' && typeof tvdb === 'number') return tvdb - FIRST_TVDB
  return undefined
}

const titleOf = (number: number): string => `Work ${Math.floor(number / 2)}`
