// Entries of the catalogue that the Trakt stand-in shares with others: a stock of all kinds, and each as an item.
import type { Feature, Item, ItemKind } from '@playhead/sdk'
import { type Catalogue, type Entry, episodeEntry, seasonEntry } from '../../upstreams/trakt/catalogue.ts'
import { seededCatalogue } from '../../upstreams/trakt/seeded.ts'
import { idsOf, mixedStock, showWithSpecials, valued } from './support.ts'

const SHOWS = 27
/** The last shows are reserved for neighbours of an episode and for dropping. */
const WHOLE = 4
/** Position of the first show that can be dropped. */
export const DROPPED = SHOWS + 1 - WHOLE

export function catalogueOf(size: number): Catalogue {
  return seededCatalogue(1, Math.ceil(size * 1.1) + 20, SHOWS, [showWithSpecials()])
}

/** @param has whether the service has an id for the entry */
export function entryStock(
  catalogue: Catalogue,
  kinds: { readonly [feature in Feature]?: readonly ItemKind[] },
  has: (ids: Item['ids']) => boolean = (ids) => Object.keys(ids).length > 0,
) {
  const { movies, shows } = catalogue
  const [few, special] = [shows.slice(0, -WHOLE).filter(({ ids }) => has(idsOf(ids))), shows.at(-1)!]
  const find = (type: 'movie' | 'show', ids: object) => catalogue.find(type, ids)!
  const stock = mixedStock<Entry>({
    movie: movies.filter(({ ids }) => has(idsOf(ids))).map(({ ids }) => find('movie', ids)),
    // Specials first, and then the first episode of each season.
    episode: [special, ...few].flatMap((show) =>
      show.seasons
        .slice(0, show === special ? 1 : 3)
        .flatMap(({ episodes }) => episodes.slice(0, 2))
        .map((one) => episodeEntry(show, one)),
    ),
    show: few.map(({ ids }) => find('show', ids)),
    season: few.flatMap((show) => show.seasons.slice(0, 2).map((season) => seasonEntry(show, season))),
  })
  const whole = special.seasons.filter(({ number }) => number > 0).flatMap(({ episodes }) => episodes)
  const take = (feature: Feature, count: number) => stock.take(kinds[feature] ?? ['movie'], count)
  return {
    take,
    fresh: (feature: Feature, count: number) => take(feature, count).map((entry) => freshItem(feature, entry)),
    episodes: (feature: Feature, count: number) =>
      whole.splice(0, count).map((one) => freshItem(feature, episodeEntry(special, one))),
  }
}

export function itemOf(entry: Entry): Item {
  if (entry.type === 'movie') return { type: 'movie', title: entry.movie.title, ids: idsOf(entry.movie.ids) }
  const { show } = entry
  if (entry.type === 'show') return { type: 'show', title: show.title, year: show.year, ids: idsOf(show.ids) }
  const part = { series_title: show.title, series_year: show.year, show_ids: idsOf(show.ids) }
  return entry.type === 'season'
    ? { type: 'season', ...part, season: entry.season.number, ids: idsOf(entry.season.ids) }
    : {
        type: 'episode',
        ...part,
        title: entry.episode.title,
        season: entry.episode.season,
        episode: entry.episode.number,
        ids: idsOf(entry.episode.ids),
      }
}

export function durationOf(entry: Entry): number {
  const { runtimeMinutes } =
    entry.type === 'movie' ? entry.movie : entry.type === 'episode' ? entry.episode : { runtimeMinutes: 90 }
  return runtimeMinutes * 60_000
}

function freshItem(feature: Feature, entry: Entry): Item {
  return valued(feature, itemOf(entry), { durationMs: durationOf(entry) })
}
