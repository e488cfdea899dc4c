// Converts works inside rows to items.
import { type Ids, type ItemKind, readIds } from '@playhead/sdk/items'
import { isWholeNumber, type ReadItem, titleAt, unreadableRow, yearAt } from '@playhead/sdk/provider'

/** A movie, show, season or episode inside a row. */
export interface Work {
  readonly title?: unknown
  readonly year?: unknown
  /** Of an episode. */
  readonly season?: unknown
  /** Of a season or an episode. */
  readonly number?: unknown
  readonly ids?: unknown
}

/**
 * @param show of a season or episode
 * @param idNames as for `readIds`
 */
export function itemOfWork(
  type: ItemKind,
  work: Work | null | undefined,
  show: Work | null | undefined,
  idNames: Parameters<typeof readIds>[1],
): ReadItem {
  if (work == null) return unreadableRow('no_identity')
  const ids = readIds(work.ids, idNames)
  const item = { type, ...titleAt('title', work.title), ids }
  if (type === 'movie' || type === 'show')
    return isEmpty(ids) ? unreadableRow('no_identity', work.title) : { item: { ...item, ...yearAt('year', work.year) } }
  const showIds = show == null ? {} : readIds(show.ids, idNames)
  const [season, episode] = type === 'season' ? [work.number] : [work.season, work.number]
  const hasNumbers = isWholeNumber(season, 0) && (type === 'season' || isWholeNumber(episode, 1))
  if (isEmpty(ids) && (isEmpty(showIds) || !hasNumbers)) return unreadableRow('no_identity', work.title)
  return {
    item: {
      ...item,
      ...(isEmpty(showIds) ? {} : { show_ids: showIds }),
      ...(isWholeNumber(season, 0) ? { season } : {}),
      ...(isWholeNumber(episode, 1) ? { episode } : {}),
      ...titleAt('series_title', show?.title),
      ...yearAt('series_year', show?.year),
    },
  }
}

function isEmpty(ids: Ids): boolean {
  return Object.keys(ids).length === 0
}
