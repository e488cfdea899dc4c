// Works of the random worlds: few, so that they collide, with id problems from practice.
import type { Ids, Item } from '@playhead/sdk'

export interface Work {
  /** Name of the work in tests; accounts do not know it. */
  readonly name: string
  readonly type: 'movie' | 'show' | 'episode'
  readonly title: string
  readonly year: number
  readonly ids: Ids
  readonly showIds?: Ids
  readonly season?: number
  readonly episode?: number
}

/** A film and a series share a number; two films share a title; there are specials, and one film without ids. */
export const WORKS: readonly Work[] = [
  film('heat', 'Heat', 1995, { tmdb: '949', imdb: 'tt0113277' }),
  film('matrix', 'The Matrix', 1999, { tmdb: '603', imdb: 'tt0133093', tvdb: '169' }),
  film('same-number', 'Same Number', 2001, { tmdb: '1399', imdb: 'tt0000001' }),
  film('title-twin', 'Twin', 2010, { tmdb: '7001', imdb: 'tt0007001' }),
  film('title-twin-two', 'Twin', 2011, { tmdb: '7002', imdb: 'tt0007002' }),
  film('alien', 'Alien', 1979, { tmdb: '348', imdb: 'tt0078748' }),
  film('arrival', 'Arrival', 2016, { tmdb: '329865', imdb: 'tt2543164' }),
  film('nameless', 'Nameless', 1950, {}),
  show('thrones', 'Thrones', 2011, { tmdb: '1399', imdb: 'tt0944947', tvdb: '121361' }),
  show('wire', 'The Wire', 2002, { tmdb: '1438', imdb: 'tt0306414', tvdb: '79126' }),
  episode('thrones-special', 0, 1, { tvdb: '900001' }),
  episode('thrones-1-1', 1, 1, { tvdb: '3254641', tmdb: '63056' }),
  episode('thrones-1-2', 1, 2, { tvdb: '3436411' }),
  episode('thrones-2-1', 2, 1, {}),
]

export function workNamed(name: string): Work {
  const work = WORKS.find((one) => one.name === name)
  if (work === undefined) throw new RangeError(`there is no work ${name}`)
  return work
}

/** Additional films for worlds that need many: `film 0`, `film 1` … */
export function numberedWork(index: number): Work {
  return film(`film ${index}`, `Film ${index}`, 1980 + (index % 40), {
    tmdb: String(100_000 + index),
    imdb: `tt${1_000_000 + index}`,
  })
}

/** The work as shown by an account that knows only some id schemes. */
export function toItem(work: Work, schemes: readonly string[]): Item {
  const pick = (ids: Ids): Ids => Object.fromEntries(Object.entries(ids).filter(([scheme]) => schemes.includes(scheme)))
  const base = { type: work.type, ids: pick(work.ids) }
  if (work.type !== 'episode') return { ...base, title: work.title, year: work.year }
  return {
    ...base,
    show_ids: pick(work.showIds ?? {}),
    season: work.season as number,
    episode: work.episode as number,
    series_title: work.title,
    series_year: work.year,
  }
}

function film(name: string, title: string, year: number, ids: Ids): Work {
  return { name, type: 'movie', title, year, ids }
}

function show(name: string, title: string, year: number, ids: Ids): Work {
  return { name, type: 'show', title, year, ids }
}

function episode(name: string, season: number, number: number, ids: Ids): Work {
  return {
    name,
    type: 'episode',
    title: 'Thrones',
    year: 2011,
    ids,
    showIds: { tmdb: '1399', imdb: 'tt0944947', tvdb: '121361' },
    season,
    episode: number,
  }
}
