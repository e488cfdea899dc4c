// Lookups: by an external id, and the seasons and episodes of a show.
import { episodeEntry, type EntryType, seasonEntry } from './catalogue.ts'
import type { Context } from './context.ts'
import { isFull, page, refuse, type Reply } from './replies.ts'
import { summary } from './summary.ts'

const TYPES: readonly EntryType[] = ['movie', 'show', 'episode']

export function lookUp({ state, request, params }: Context): Reply {
  const [name = '', id] = params
  const types = request.query.get('type')?.split(',')
  const found = TYPES.filter((type) => types === undefined || types.includes(type)).flatMap(
    (type) => state.catalogue.find(type, { [name]: id }) ?? [],
  )
  return page(
    request,
    found.map((entry) => ({ score: null, ...summary(entry, isFull(request)) })),
  )
}

export function readMovie(context: Context): Reply {
  return { status: 200, json: summary(itemOf(context, 'movie'), isFull(context.request))['movie'] }
}

export function readShow(context: Context): Reply {
  return { status: 200, json: summary(itemOf(context, 'show'), isFull(context.request))['show'] }
}

export function readSeasons(context: Context): Reply {
  const item = itemOf(context, 'show')
  if (item.type !== 'show') refuse(404)
  const full = isFull(context.request)
  const withEpisodes = (context.request.query.get('extended') ?? '').split(',').includes('episodes')
  const rows = item.show.seasons.map((season) => ({
    ...(summary(seasonEntry(item.show, season), full)['season'] as object),
    ...(withEpisodes
      ? { episodes: season.episodes.map((episode) => summary(episodeEntry(item.show, episode), full)['episode']) }
      : {}),
  }))
  return { status: 200, json: rows }
}

/** A path identifies an item by its number, its slug or its imdb id. */
function itemOf({ state, params }: Context, type: EntryType) {
  return (
    ['trakt', 'slug', 'imdb']
      .map((name) => state.catalogue.find(type, { [name]: params[0] }))
      .find((entry) => entry !== undefined) ?? refuse(404)
  )
}
