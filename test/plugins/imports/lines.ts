// Rows of an import as lines, to compare.
import type { Item } from '@playhead/sdk'
import type { World } from './world.ts'

/** `history movie tmdb:949 2024-01-01T10:00:00Z`, one line per row. */
export function linesIn(world: World) {
  return async (data: Parameters<World['upload']>[0], name?: string, query?: string) => {
    const { status, body } = await world.upload(data, name, query)
    if (status !== 200) throw new Error(JSON.stringify(body))
    const rows = await world.rows(body.import_id)
    return { body, lines: rows.map(({ feature, item }) => lineOf(feature, item)).sort(), rows }
  }
}

function lineOf(feature: string, item: Item): string {
  const id = ({ tmdb, tvdb, imdb, mal }: Item['ids'] = {}) =>
    tmdb !== undefined
      ? `tmdb:${tmdb}`
      : tvdb !== undefined
        ? `tvdb:${tvdb}`
        : (imdb ?? (mal === undefined ? '' : `mal:${mal}`))
  const isPart = item.type === 'episode' || item.type === 'season'
  const number = isPart ? `s${item.season ?? '?'}${item.type === 'episode' ? `e${item.episode ?? '?'}` : ''}` : ''
  const work = isPart ? id(item.show_ids) || `"${item.series_title}"` : id(item.ids) || `"${item.title}"`
  const value =
    feature === 'ratings'
      ? `${item.rating} ${item.rated_at ?? ''}`
      : feature === 'history'
        ? (item.watched_at ?? 'no time')
        : ''
  return [feature, item.type, work, number, value]
    .filter((part) => part !== '')
    .join(' ')
    .trim()
}
