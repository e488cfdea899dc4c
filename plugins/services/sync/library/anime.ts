// Anime mapping of a run: adds the ids and positions of other services to rows, for matching and writing only.
// Stored rows stay unchanged, so a new mapping applies to them in the next run.
import {
  type AnimeMapping,
  ANIME_MAPPING,
  type Coordinates,
  defined,
  type Enriched,
  type EntryScheme,
  type FeatureSupport,
  type MappingReason,
  type Remote,
  type Side,
  failureCode,
} from '@playhead/sdk'
import {
  animeTokensOf,
  entryTokens,
  type Ids,
  isAnime,
  isAnimeScheme,
  type Item,
  kindOf,
  type TextNumbers,
} from '@playhead/sdk/items'
import { type FeatureRun, other, type RunMapping, SIDES } from '../feature-run.ts'
import type { SideRows } from './rows.ts'
import { numbersOf } from './token-numbers.ts'

const PAGE = 500
const AIRED_SCHEMES = ['tvdb', 'tmdb', 'imdb'] as const
/** History is matched by the ids of the accounts alone unless a person enables the mapping for it. */
const ON_BY_DEFAULT = new Set(['watchlist', 'ratings'])
/** Reasons that also occur for titles that are not anime. */
const NO_ANIME = new Set<MappingReason>(['no_mapping', 'no_identity', 'not_mappable', 'no_position'])

/** Undefined if this run is not mapped. If the mapping fails, fewer items match; no item is ever written by title. */
export async function mappingOf(run: FeatureRun): Promise<RunMapping | undefined> {
  const { engine, feature, options, sides } = run
  const isOn = options['use_anime_mapping'] ?? ON_BY_DEFAULT.has(feature)
  if (isOn !== true) return undefined
  const api = engine.use(ANIME_MAPPING)
  try {
    const { providers, features } = await api.scope()
    const isMeant = providers.includes('*') || SIDES.some((side) => providers.includes(sides[side].provider))
    if (!isMeant || !features.includes(feature)) return undefined
    const revision = await api.revision()
    return revision === null ? undefined : { revision, api }
  } catch (error) {
    const code = failureCode(error)
    // The anime-mapping plugin is not installed.
    if (code !== 'capability_unavailable')
      engine.log.warn({ feature, error: code }, 'the anime mapping could not be used')
    return undefined
  }
}

type BothRows = Readonly<Record<Side, SideRows>>

/** Adds ids and tokens to the rows of both sides. */
export async function mapRows(run: FeatureRun, rows: BothRows, numbers: TextNumbers): Promise<void> {
  const { mapping } = run
  if (mapping !== undefined) {
    try {
      const entries = { a: airedIdsOfEntries(rows.a), b: airedIdsOfEntries(rows.b) }
      for (const side of SIDES)
        await addNames(run, mapping.api, { rows: rows[side], others: entries[other(side)], side }, numbers)
    } catch (error) {
      if (run.signal.aborted) throw error
      run.engine.log.warn({ feature: run.feature, error: failureCode(error) }, 'the anime mapping failed')
    }
  }
  if (run.options['anime_only_sync'] !== true) return
  for (const side of SIDES)
    for (let index = 0; index < rows[side].size; index += 1)
      if (rows[side].skip(index) === undefined && !isAnime(rows[side].item(index)))
        rows[side].markSkipped(index, 'not_anime')
}

/** Show ids that occur in the account's own entries. */
function airedIdsOfEntries(rows: SideRows): ReadonlySet<string> {
  const found = new Set<string>()
  for (let index = 0; index < rows.size; index += 1) {
    const item = rows.item(index)
    if (item.type !== 'episode' && isAnime(item))
      for (const scheme of AIRED_SCHEMES) if (item.ids[scheme] !== undefined) found.add(`${scheme}:${item.ids[scheme]}`)
  }
  return found
}

async function addNames(
  run: FeatureRun,
  api: Remote<AnimeMapping>,
  { rows, others, side }: { readonly rows: SideRows; readonly others: ReadonlySet<string>; readonly side: Side },
  numbers: TextNumbers,
): Promise<void> {
  const numbered = numbersOf(run, numbers, side)
  const wanted = entrySchemesOf(run.sides[other(side)].support)
  const works: { readonly index: number; readonly item: Item; readonly found: Enriched }[] = []
  for (let from = 0; from < rows.size; from += PAGE) {
    run.signal.throwIfAborted()
    const page = Array.from({ length: Math.min(PAGE, rows.size - from) }, (_, offset) => {
      const item = rows.item(from + offset)
      return { index: from + offset, item, isWork: ['movie', 'show'].includes(kindOf(item)) }
    })
    const ofWorks = page.filter(({ isWork }) => isWork)
    const episodes = page.filter(({ item }) => item.type === 'episode')
    const found = ofWorks.length === 0 ? [] : await api.enrich(ofWorks.map(({ item }) => item))
    const places =
      episodes.length === 0
        ? []
        : await api.coordinates(
            episodes.map(({ item }) => item),
            SPECIALS,
          )
    for (const [at, { index, item }] of ofWorks.entries()) works.push({ index, item, found: found[at]! })
    for (const [at, { index, item }] of episodes.entries())
      placeEpisode({ rows, index, item, wanted, numbers }, places[at]!)
  }
  const owners = countShared(works)
  for (const { index, item, found } of works) {
    const isLeft = (name: string) => run.feature === 'ratings' || owners.get(name) !== 1 || others.has(name)
    const named = withIds(item, found, isLeft)
    // With the mapping on, entries of different services match by their ids.
    const tokens = entryTokens(named ?? item)
    if (named !== undefined || tokens.length > 0)
      rows.rename(index, named ?? item, [...numbered(named ?? item), ...tokens.map(numbers.numberOf)])
    const reason = reasonOf(item, found.reason ?? (found.ambiguous.length > 0 ? 'ambiguous' : undefined))
    if (reason !== undefined) rows.noteUnmapped(index, reason)
  }
}

/** Specials match only specials: their numbers are compared within season 0. */
const SPECIALS = { specials: true } as const

/** The number of rows of the account that are part of a show. */
function countShared(works: readonly { readonly found: Enriched }[]): ReadonlyMap<string, number> {
  const owners = new Map<string, number>()
  for (const { found } of works)
    for (const scheme of found.shared) {
      const name = `${scheme}:${found.ids[scheme]}`
      owners.set(name, (owners.get(name) ?? 0) + 1)
    }
  return owners
}

/**
 * Does not give a show's id to an entry that shares the show with others, to the rating of a part, or to an item for which
 * the other account has entries of its own. Undefined if the mapping does not know the item.
 */
function withIds(
  item: Item,
  { ids, shared, added, replaced, type }: Enriched,
  isLeft: (name: string) => boolean,
): Item | undefined {
  const isFilm = item.type === 'anime' && type === 'movie' && item.film !== true
  if (added.length + replaced.length === 0 && !isFilm) return undefined
  const left = shared.filter((scheme) => isLeft(`${scheme}:${ids[scheme]}`))
  const given: Ids = Object.fromEntries(left.map((scheme) => [scheme, item.ids[scheme]]))
  return { ...item, ids: defined({ ...ids, ...given }), ...(isFilm ? { film: true } : {}) }
}

/** The ids that an account needs, if only entries have them: its episodes are numbered within an entry. */
function entrySchemesOf({ needsAnyId = [] }: Pick<FeatureSupport, 'needsAnyId'>): readonly EntryScheme[] {
  return needsAnyId.every(isAnimeScheme) ? needsAnyId : []
}

interface Placing {
  readonly rows: SideRows
  readonly index: number
  readonly item: Item
  /** `entrySchemesOf` the account that may get the episode. */
  readonly wanted: readonly EntryScheme[]
  readonly numbers: TextNumbers
}

function placeEpisode({ rows, index, item, wanted, numbers }: Placing, { aired, entries, reason }: Coordinates): void {
  if (reason !== undefined) {
    const why = reasonOf(item, reason)
    if (why !== undefined) rows.noteUnmapped(index, why)
    return
  }
  const tokens = [
    ...animeTokensOf({ showIds: {}, coordinates: aired }),
    ...entries.flatMap(({ scheme, id, episode }) =>
      scheme === 'trackb' ? [] : animeTokensOf({ showIds: { [scheme]: id }, absolute: episode }),
    ),
  ]
  rows.rename(index, placed(item, wanted, { aired, entries }), [...rows.tokens(index), ...tokens.map(numbers.numberOf)])
}

/** The item with the numbers of the other account: those of an entry, or those of a show with seasons. */
function placed(
  item: Item,
  wanted: readonly EntryScheme[],
  { aired, entries }: Pick<Coordinates, 'aired' | 'entries'>,
): Item {
  const { show_ids: showIds = {} } = item
  const isOfEntry = (showIds.tvdb ?? showIds.tmdb ?? showIds.imdb) === undefined
  if (isOfEntry && wanted.some((scheme) => showIds[scheme] !== undefined)) return item
  const [entry] = wanted.flatMap((scheme) => entries.find((one) => one.scheme === scheme) ?? [])
  if (entry !== undefined) return { ...item, show_ids: { [entry.scheme]: entry.id }, season: 1, episode: entry.episode }
  const [place] = aired
  return isOfEntry && place !== undefined
    ? { ...item, show_ids: { [place.scheme]: place.id }, season: place.season, episode: place.episode }
    : item
}

/** A reason code for an item without a match; undefined for titles that are not anime. */
function reasonOf(item: Item, reason: MappingReason | undefined): string | undefined {
  if (reason === undefined || (NO_ANIME.has(reason) && !isAnime(item))) return undefined
  return reason === 'mapping_off' || reason === 'no_index' ? undefined : `anime_${reason}`
}
