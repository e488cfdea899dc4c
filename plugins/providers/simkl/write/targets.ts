// Names items in the body of a write: by ids, or as an episode of its show. Never by title.
import { type Item, kindOf, ownIds } from '@playhead/sdk/items'
import { wireIds, type WriteItem } from '@playhead/sdk/provider'
import {
  bodyOf as bodyOfTargets,
  GROUPS,
  nameById,
  nameByNumber,
  type Target as TargetOf,
} from '@playhead/trakt-dialect'
import { parseNative } from '../items.ts'

export interface Target extends TargetOf {
  /** Anime are among the shows. */
  readonly group: 'movies' | 'shows'
  /** Numbers within the whole show, not within an anime entry. */
  readonly byShowNumbers?: boolean
}

/** The SDK's scheme, SIMKL's scheme, and whether the value is a number. */
const SCHEMES = [
  ['trackb', 'simkl', true],
  ['imdb', 'imdb', false],
  ['tmdb', 'tmdb', true],
  ['tvdb', 'tvdb', true],
  ['mal', 'mal', true],
  ['anidb', 'anidb', true],
  ['anilist', 'anilist', true],
  ['kitsu', 'kitsu', true],
] as const
const OF_SHOW = ['imdb', 'tmdb', 'tvdb']

/** Undefined for an item without ids. */
export function targetOf({ key, item }: Pick<WriteItem, 'key' | 'item'>, extra: Target['extra']): Target | undefined {
  const kind = kindOf(item)
  if (kind === 'movie' || kind === 'show') {
    const name = nameById(item, SCHEMES)
    return name && { ...name, key, group: groupOf(item), extra }
  }
  const name = nameByNumber(item, SCHEMES)
  if (name?.episode === undefined) return undefined
  // For a known show the numbers count within the show; the ids of an anime entry, with its own numbering, would be
  // wrong.
  const ofShow = Object.entries(name.ids).filter(([scheme]) => OF_SHOW.includes(scheme))
  const { tvdb } = wireIds(ownIds(item), SCHEMES)
  return {
    ...name,
    key,
    group: 'shows',
    ...(ofShow.length > 0 ? { ids: Object.fromEntries(ofShow), byShowNumbers: true } : {}),
    // Ids of the episode itself take precedence over its numbers.
    extra: tvdb === undefined ? extra : { ...extra, ids: { tvdb } },
  }
}

function groupOf(item: Item): Target['group'] {
  return kindOf(item) === 'movie' && item.type !== 'anime' ? 'movies' : 'shows'
}

/** Members of a scrobble body that identify the item. */
export type ScrobbleName = Readonly<Record<string, unknown>>

const OF_ANIME = ['mal', 'anidb', 'anilist', 'kitsu'] as const
/** Films and shows are numbered separately there, and an anime may be either. */
const OF_A_KIND = ['tmdb', 'tvdb']

/** An item with an id of an anime catalogue is tried as an anime first. */
export function scrobbleNamesOf(item: Item): ScrobbleName[] {
  const target = targetOf({ key: '', item }, {})
  if (target === undefined) return []
  const isKnown = OF_ANIME.some((scheme) => (item.ids[scheme] ?? item.show_ids?.[scheme]) !== undefined)
  const { kind, group, ids, season, episode } = target
  const numbers = season === undefined ? {} : { episode: { season, number: episode } }
  const certain = Object.entries(ids).filter(([name]) => kind === 'episodes' || !OF_A_KIND.includes(name))
  const anime = { anime: { ids: Object.fromEntries(certain) }, ...numbers }
  const other = kind === 'episodes' ? 'show' : 'movie'
  const plain = { [other]: { ids }, ...numbers }
  const isAnime = isKnown || (kind !== 'episodes' && group === 'shows')
  return isAnime && certain.length > 0 ? [anime, plain] : [plain]
}

/** The row id of the account, required for removals. */
export function ownTargetOf({ key, item, current }: WriteItem): Target | undefined {
  const native = parseNative(item.native?.item_id) ?? parseNative(current?.native?.item_id)
  const kind = kindOf(item)
  if (kind === 'season') return undefined
  if (native === undefined) {
    const id = item.ids.trackb ?? current?.ids.trackb
    if (kind === 'episode' || id === undefined) return undefined
    return { key, kind: GROUPS[kind], group: groupOf(item), ids: { simkl: Number(id) }, extra: {} }
  }
  const { part, id, season, episode } = native
  if ((kind === 'episode') !== (season !== undefined)) return undefined
  return {
    key,
    kind: GROUPS[kind],
    group: part === 'movies' ? 'movies' : 'shows',
    ids: { simkl: Number(id) },
    extra: {},
    ...(season === undefined || episode === undefined ? {} : { season, episode }),
  }
}

/** The body of a write. A whole show is never sent instead of its episodes. */
export function bodyOf(targets: readonly Target[]): object {
  const place = ({ ids, byShowNumbers }: Target) =>
    byShowNumbers === true ? { ids, use_tvdb_anime_seasons: true } : { ids }
  return bodyOfTargets(targets, place, ['movies', 'shows'])
}
