// The anime of a library: entries with their titles and ids.
import { defined } from '@playhead/sdk'
import { collectIds, type Ids } from '@playhead/sdk/items'
import { overlappingPages } from '@playhead/sdk/provider'
import type { Api, User } from './api.ts'
import { type Anime, type EntryAttributes, EntryPage, type Included, type Mapping } from './wire.ts'

/** A season, a part of one, a film or a special. */
export interface Title {
  /** Kitsu's id. */
  readonly id: string
  readonly ids: Ids
  readonly title: string | undefined
  readonly year: number | undefined
  /** Undefined: Kitsu does not know. */
  readonly kind: 'movie' | 'show' | undefined
  /** Episodes; undefined if unknown. */
  readonly total: number | undefined
}

export interface Entry extends EntryAttributes {
  /** Id of the library entry. */
  readonly id: string
  readonly anime: Title
}

export interface Library {
  /** Account id. */
  readonly account: string
  readonly entries: readonly Entry[]
  /** Why the entries are not proven to be complete. */
  readonly flaw?: string
}

/**
 * Sites of Kitsu's mappings whose ids are those of an entry. Ids at TheTVDB and Trakt are of a whole show, which several entries share:
 * the anime mapping of the service finds them with the season.
 */
const SITES: Readonly<Record<string, 'mal' | 'anilist' | 'anidb'>> = {
  'myanimelist/anime': 'mal',
  'anilist/anime': 'anilist',
  anidb: 'anidb',
}
/** By scheme, to look a title up. */
export const SITE_OF = new Map(Object.entries(SITES).map(([site, scheme]) => [scheme, site]))

export const ANIME_FIELDS = { 'fields[anime]': 'canonicalTitle,titles,subtype,startDate,episodeCount,mappings' }
const MAPPING_FIELDS = { 'fields[mappings]': 'externalSite,externalId' }
export const WITH_ANIME = { include: 'anime,anime.mappings', ...ANIME_FIELDS, ...MAPPING_FIELDS }
export const WITH_MAPPINGS = { include: 'mappings', ...ANIME_FIELDS, ...MAPPING_FIELDS }

export async function loadLibrary(api: Api, user: User, pageSize: number, signal: AbortSignal): Promise<Library> {
  const { rows, flaw } = await overlappingPages({
    async fetchPage(offset) {
      const page = await api.get(
        'library-entries',
        {
          ...{ 'filter[userId]': user.id, 'filter[kind]': 'anime', ...WITH_ANIME, sort: 'id' },
          ...{ 'page[limit]': pageSize, 'page[offset]': offset },
        },
        EntryPage,
        signal,
      )
      return { rows: entriesOf(page), hasMore: page.links.next != null, total: page.meta.count }
    },
    idOf: ({ id }) => id,
  })
  return { account: user.id, entries: rows, ...defined({ flaw }) }
}

export function entriesOf({ data, included = [] }: EntryPage): Entry[] {
  const titles = new Map(included.filter(isAnime).map((anime) => [anime.id, titleOf(anime, included)]))
  return data.map(({ id, attributes, relationships: { anime } }) => {
    const animeId = anime.data?.id ?? ''
    return { ...attributes, id, anime: titles.get(animeId) ?? nameless(animeId) }
  })
}

export function titleOf({ id, attributes, relationships }: Anime, included: Included = []): Title {
  const { canonicalTitle, titles, subtype, startDate, episodeCount } = attributes
  const own = new Set(relationships.mappings?.data?.map((one) => one.id))
  const others = included
    .filter(isMapping)
    .filter((one) => own.has(one.id))
    .flatMap(({ attributes: { externalSite: site, externalId } }) =>
      SITES[site] === undefined ? [] : [[SITES[site], externalId] as const],
    )
  return {
    id,
    ids: collectIds({ ids: { kitsu: id, ...Object.fromEntries(others) } }).ids,
    title: titles?.['en'] || canonicalTitle || undefined,
    year: /^\d{4}/.test(startDate ?? '') ? Number(startDate?.slice(0, 4)) : undefined,
    kind: subtype === 'movie' ? 'movie' : subtype == null ? undefined : 'show',
    total: episodeCount || undefined,
  }
}

function nameless(id: string): Title {
  return { id, ids: {}, title: undefined, year: undefined, kind: undefined, total: undefined }
}

function isAnime(one: NonNullable<Included>[number]): one is Anime {
  return one.type === 'anime'
}

function isMapping(one: NonNullable<Included>[number]): one is Mapping {
  return one.type === 'mappings'
}
