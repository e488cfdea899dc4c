// The key and the own ids of an item.
import { bestId, type Ids, type IdScheme, SCHEMES, STRONG_SCHEMES } from './id-schemes.ts'
import type { Item } from './item.ts'
import { type ItemKey, slugOf } from './key.ts'
import { kindOf } from './kind.ts'
import { accept, refuse, type Result } from './result.ts'

/**
 * The key of an item: its best id; for seasons and episodes the show's best id and the numbers, else their own id; the
 * title if there is no id.
 *
 * @example keyOf({ type: 'movie', ids: { tmdb: '603' } }) // movie:tmdb:603
 * @example keyOf({ type: 'episode', ids: {}, show_ids: { tmdb: '1399' }, season: 0, episode: 2 }) //
 * show:tmdb:1399#s00e02
 */
export function keyOf(item: Item): Result<ItemKey> {
  const kind = kindOf(item)
  if (kind === 'movie' || kind === 'show') {
    const best = bestId(item.ids)
    if (best !== undefined) return accept({ base: { kind, by: 'id', ...best } })
    return titleKey(kind, item.title, item.year)
  }
  const part = partOf(item)
  const show = part === undefined ? undefined : bestId(item.show_ids)
  if (part !== undefined && show !== undefined) return accept({ base: { kind: 'show', by: 'id', ...show }, part })
  const own = bestId(ownIds(item))
  if (own !== undefined) return accept({ base: { kind, by: 'id', ...own } })
  if (part === undefined) return refuse('no_identity', `a ${kind} needs its own id, or its show and numbers`)
  const base = titleKey('show', item.series_title, item.series_year)
  return base.ok ? accept({ ...base.value, part }) : base
}

/**
 * The ids of the item itself. Some services copy the show's ids into its episodes, so ids equal to the show's are
 * removed.
 */
export function ownIds({ ids, show_ids: showIds }: Pick<Item, 'ids' | 'show_ids'>): Ids {
  if (showIds === undefined) return ids
  const own: { [scheme in IdScheme]?: string } = {}
  for (const scheme of SCHEMES)
    if (ids[scheme] !== undefined && ids[scheme] !== showIds[scheme]) own[scheme] = ids[scheme]
  return own
}

/** The season and episode numbers, if complete. */
export function partOf({ type, season, episode }: Pick<Item, 'type' | 'season' | 'episode'>): ItemKey['part'] {
  if (season == null) return undefined
  if (type === 'season') return { season }
  return type === 'episode' && episode != null ? { season, episode } : undefined
}

/** Whether the item has a strong id. Other items are never removed. */
export function isRemovable(item: Item): boolean {
  const known = (ids: Ids | undefined) => STRONG_SCHEMES.some((scheme) => ids?.[scheme] !== undefined)
  return known(ownIds(item)) || (partOf(item) !== undefined && known(item.show_ids))
}

function titleKey(
  kind: 'movie' | 'show',
  title: string | null | undefined,
  year: number | null | undefined,
): Result<ItemKey> {
  const slug = slugOf(title ?? '')
  if (slug === '') return refuse('no_identity', `a ${kind} without an id needs a title`)
  return accept({ base: { kind, by: 'title', slug, year: year ?? null } })
}
