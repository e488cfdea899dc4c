// Names items in the body of a write: by ids, or as an episode of its show. Never by title.
import { defined } from '@playhead/sdk'
import { type Item, kindOf, ownIds, partOf } from '@playhead/sdk/items'
import { type WireIds, wireIds, type WriteItem } from '@playhead/sdk/provider'
import { parseNative } from '../items.ts'

type Group = 'movies' | 'shows'
type Extra = Readonly<Record<string, unknown>>

export interface Target {
  readonly key: string
  readonly kind: 'movie' | 'show' | 'episode'
  /** Member of the body; anime are among the shows. */
  readonly group: Group
  /** Ids of the work, or of the show of an episode. */
  readonly ids: WireIds
  readonly season?: number
  readonly episode?: number
  /** Ids of the episode itself: they take precedence over its numbers. */
  readonly episodeIds?: WireIds
  /** Numbers within the whole show, not within an anime entry. */
  readonly byShowNumbers?: boolean
  readonly extra: Extra
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
export function targetOf({ key, item }: Pick<WriteItem, 'key' | 'item'>, extra: Extra): Target | undefined {
  const kind = kindOf(item)
  if (kind === 'movie' || kind === 'show') {
    const { tvdb, ...ofMovie } = wireIds(item.ids, SCHEMES)
    const ids = kind === 'show' && tvdb !== undefined ? { ...ofMovie, tvdb } : ofMovie
    const isAmongFilms = kind === 'movie' && item.type !== 'anime'
    return Object.keys(ids).length === 0
      ? undefined
      : { key, kind, group: isAmongFilms ? 'movies' : 'shows', ids, extra }
  }
  const part = partOf(item)
  const known = Object.entries(wireIds(item.show_ids ?? {}, SCHEMES))
  // For a known show the numbers count within the show; the ids of an anime entry, with its own numbering, would be
  // wrong.
  const ofShow = known.filter(([name]) => OF_SHOW.includes(name))
  const ids = Object.fromEntries(ofShow.length > 0 ? ofShow : known)
  if (kind !== 'episode' || part?.episode === undefined || Object.keys(ids).length === 0) return undefined
  const { tvdb } = wireIds(ownIds(item), SCHEMES)
  return {
    key,
    kind,
    group: 'shows',
    ids,
    season: part.season,
    episode: part.episode,
    extra,
    ...(tvdb === undefined ? {} : { episodeIds: { tvdb } }),
    ...(ofShow.length > 0 ? { byShowNumbers: true } : {}),
  }
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
  const numbers = kind === 'episode' ? { episode: { season, number: episode } } : {}
  const certain = Object.entries(ids).filter(([name]) => kind === 'episode' || !OF_A_KIND.includes(name))
  const anime = { anime: { ids: Object.fromEntries(certain) }, ...numbers }
  const other = kind === 'episode' ? 'show' : 'movie'
  const plain = { [other]: { ids }, ...numbers }
  const isAnime = isKnown || (kind !== 'episode' && group === 'shows')
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
    const isAmongFilms = kind === 'movie' && item.type !== 'anime'
    return { key, kind, group: isAmongFilms ? 'movies' : 'shows', ids: { simkl: Number(id) }, extra: {} }
  }
  const { part, id, season, episode } = native
  if ((kind === 'episode') !== (season !== undefined)) return undefined
  return {
    key,
    kind,
    group: part === 'movies' ? 'movies' : 'shows',
    ids: { simkl: Number(id) },
    extra: {},
    ...(season === undefined || episode === undefined ? {} : { season, episode }),
  }
}

/** The body of a write. Episodes of one show are grouped; a whole show is never sent instead of its episodes. */
export function bodyOf(targets: readonly Target[]): Record<Group, unknown[]> {
  const body: Record<Group, unknown[]> = { movies: [], shows: [] }
  const shows = new Map<string, Target[]>()
  for (const target of targets) {
    if (target.kind !== 'episode') body[target.group].push({ ids: target.ids, ...target.extra })
    else {
      const name = JSON.stringify(target.ids)
      shows.set(name, [...(shows.get(name) ?? []), target])
    }
  }
  for (const parts of shows.values()) {
    const { ids, byShowNumbers } = parts[0] as Target
    const seasons = [...Map.groupBy(parts, ({ season }) => season)].map(([number, episodes]) => ({
      number,
      episodes: episodes.map(({ episode, episodeIds, extra }) => ({
        number: episode,
        ...extra,
        ...defined({ ids: episodeIds }),
      })),
    }))
    body.shows.push({ ids, ...(byShowNumbers === true ? { use_tvdb_anime_seasons: true } : {}), seasons })
  }
  return body
}
