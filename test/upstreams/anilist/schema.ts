// The part of AniList's published schema that the stand-in supports, with the resolver of each field.
import type { Media } from './catalogue.ts'
import { type Args, FieldRefusal, type Schema } from './execute.ts'
import { collectionOf } from './lists.ts'
import {
  type Account,
  type Entry,
  type EntryChange,
  entryOf,
  nameLists,
  saveEntry,
  SCORE_FORMATS,
  type ScoreFormat,
  type State,
  STATUSES,
} from './state.ts'

export interface Context {
  readonly state: State
  /** The signed-in account; most of the catalogue is public. */
  readonly viewer: Account | undefined
}

interface OwnedEntry {
  readonly owner: Account
  readonly entry: Entry
}

const MOST_PER_PAGE = 50
const ENTRY =
  (read: (entry: Entry) => unknown) =>
  ({ entry }: OwnedEntry) =>
    read(entry)
const SCORES: Readonly<Record<ScoreFormat, (raw: number) => number>> = {
  POINT_100: (raw) => raw,
  POINT_10_DECIMAL: (raw) => raw / 10,
  POINT_10: (raw) => Math.round(raw / 10),
  POINT_5: (raw) => Math.round(raw / 20),
  POINT_3: (raw) => (raw === 0 ? 0 : raw <= 35 ? 1 : raw <= 60 ? 2 : 3),
}

export const SCHEMA: Schema<Context> = {
  enums: {
    MediaType: ['ANIME', 'MANGA'],
    MediaListStatus: STATUSES,
    ScoreFormat: SCORE_FORMATS,
    MediaFormat: ['TV', 'TV_SHORT', 'MOVIE', 'SPECIAL', 'OVA', 'ONA', 'MUSIC'],
    MediaSeason: ['WINTER', 'SPRING', 'SUMMER', 'FALL'],
  },
  inputs: { MediaListOptionsInput: { customLists: '[String]', sectionOrder: '[String]' } },
  types: {
    Query: {
      Viewer: { type: 'User', resolve: (_: never, _args, { viewer }) => viewer ?? refuse(401, 'Unauthorized.') },
      Media: {
        type: 'Media',
        args: { id: 'Int', idMal: 'Int', search: 'String', type: 'MediaType' },
        resolve: (_: never, args, { state }) => mediaOf(state, args)[0] ?? refuse(404, 'Not Found.'),
      },
      MediaList: {
        type: 'MediaList',
        args: { userId: 'Int', mediaId: 'Int', type: 'MediaType' },
        resolve: (_: never, { userId, mediaId }, context) => {
          const owner = visible(context, userId)
          const entry = entryOf(owner, Number(mediaId)) ?? refuse(404, 'Not Found.')
          return { owner, entry }
        },
      },
      MediaListCollection: {
        type: 'MediaListCollection',
        args: { userId: 'Int', type: 'MediaType', status: 'MediaListStatus', chunk: 'Int', perChunk: 'Int' },
        resolve: (_: never, args, context) => {
          if (args['type'] === undefined) refuse(400, 'validation', { type: ['The type field is required.'] })
          return collectionOf(visible(context, args['userId']), args)
        },
      },
      Page: { type: 'Page', args: { page: 'Int', perPage: 'Int' }, resolve: (_: never, args) => pageOf(args) },
    },
    Mutation: {
      SaveMediaListEntry: {
        type: 'MediaList',
        args: {
          id: 'Int',
          mediaId: 'Int',
          status: 'MediaListStatus',
          scoreRaw: 'Int',
          progress: 'Int',
          repeat: 'Int',
          notes: 'String',
          hiddenFromStatusLists: 'Boolean',
          customLists: '[String]',
        },
        resolve: (_: never, args, { state, viewer }) => save(state, viewer, args),
      },
      UpdateUser: {
        type: 'User',
        args: { animeListOptions: 'MediaListOptionsInput' },
        resolve: (_: never, { animeListOptions: options }, { viewer }) => {
          if (viewer === undefined) return refuse(401, 'Unauthorized.')
          const { customLists } = (options ?? {}) as { readonly customLists?: readonly string[] }
          if (customLists !== undefined) nameLists(viewer, customLists)
          return viewer
        },
      },
      DeleteMediaListEntry: {
        type: 'Deleted',
        args: { id: 'Int' },
        resolve: (_: never, { id }, { viewer }) => {
          if (viewer === undefined) return refuse(401, 'Unauthorized.')
          return viewer.entries.delete(Number(id)) ? { deleted: true } : refuse(404, 'Not Found.')
        },
      },
    },
    User: {
      id: { type: 'Int' },
      name: { type: 'String' },
      mediaListOptions: {
        type: 'MediaListOptions',
        resolve: ({ scoreFormat, customLists }: Account) => ({ scoreFormat, animeList: { customLists } }),
      },
    },
    MediaListOptions: { scoreFormat: { type: 'ScoreFormat' }, animeList: { type: 'MediaListTypeOptions' } },
    MediaListTypeOptions: { customLists: { type: '[String]' } },
    Page: {
      pageInfo: { type: 'PageInfo', last: true, resolve: (page: Page) => page.info },
      media: {
        type: '[Media]',
        args: { id_in: '[Int]', idMal_in: '[Int]', search: 'String', type: 'MediaType' },
        resolve: (page: Page, args, { state }) => page.take(mediaOf(state, args)),
      },
    },
    PageInfo: {
      hasNextPage: { type: 'Boolean', resolve: (info: PageInfo) => info.hasNextPage() },
      currentPage: { type: 'Int' },
      perPage: { type: 'Int' },
    },
    Media: {
      id: { type: 'Int' },
      idMal: { type: 'Int' },
      format: { type: 'MediaFormat', args: {} },
      episodes: { type: 'Int' },
      season: { type: 'MediaSeason' },
      seasonYear: { type: 'Int' },
      startDate: { type: 'FuzzyDate' },
      title: { type: 'MediaTitle' },
      mediaListEntry: {
        type: 'MediaList',
        resolve: (media: Media, _args, { viewer }) => {
          const entry = viewer === undefined ? undefined : entryOf(viewer, media.id)
          return entry === undefined ? null : { owner: viewer, entry }
        },
      },
    },
    MediaTitle: { romaji: { type: 'String' }, english: { type: 'String' }, native: { type: 'String' } },
    FuzzyDate: { year: { type: 'Int' }, month: { type: 'Int' }, day: { type: 'Int' } },
    MediaListCollection: { hasNextChunk: { type: 'Boolean' }, lists: { type: '[MediaListGroup]' } },
    MediaListGroup: {
      name: { type: 'String' },
      isCustomList: { type: 'Boolean' },
      isSplitCompletedList: { type: 'Boolean' },
      status: { type: 'MediaListStatus' },
      entries: { type: '[MediaList]' },
    },
    MediaList: {
      id: { type: 'Int', resolve: ENTRY(({ id }) => id) },
      mediaId: { type: 'Int', resolve: ENTRY(({ media }) => media.id) },
      status: { type: 'MediaListStatus', resolve: ENTRY(({ status }) => status) },
      score: {
        type: 'Float',
        args: { format: 'ScoreFormat' },
        resolve: ({ owner, entry }: OwnedEntry, { format }) =>
          SCORES[(format as ScoreFormat | undefined) ?? owner.scoreFormat](entry.scoreRaw),
      },
      progress: { type: 'Int', resolve: ENTRY(({ progress }) => progress) },
      repeat: { type: 'Int', resolve: ENTRY(({ repeat }) => repeat) },
      notes: { type: 'String', resolve: ENTRY(({ notes }) => notes) },
      hiddenFromStatusLists: { type: 'Boolean', resolve: ENTRY((entry) => entry.hiddenFromStatusLists) },
      customLists: {
        type: 'Json',
        args: { asArray: 'Boolean' },
        resolve: ({ owner, entry }: OwnedEntry, { asArray }) => {
          const lists = owner.customLists.map((name) => ({ name, enabled: entry.customLists.includes(name) }))
          if (lists.length === 0) return null
          return asArray === true ? lists : Object.fromEntries(lists.map(({ name, enabled }) => [name, enabled]))
        },
      },
      startedAt: { type: 'FuzzyDate', resolve: ENTRY(({ startedAt }) => startedAt) },
      completedAt: { type: 'FuzzyDate', resolve: ENTRY(({ completedAt }) => completedAt) },
      createdAt: { type: 'Int', resolve: ENTRY(({ createdAtMs }) => Math.floor(createdAtMs / 1_000)) },
      updatedAt: { type: 'Int', resolve: ENTRY(({ updatedAtMs }) => Math.floor(updatedAtMs / 1_000)) },
      media: { type: 'Media', resolve: ENTRY(({ media }) => media) },
    },
    Deleted: { deleted: { type: 'Boolean' } },
  },
}

interface PageInfo {
  readonly currentPage: number
  readonly perPage: number
  hasNextPage(): boolean
}
interface Page {
  readonly info: PageInfo
  take<Row>(rows: readonly Row[]): Row[]
}

function pageOf(args: Args): Page {
  const currentPage = Math.max(1, Number(args['page'] ?? 1))
  const perPage = Math.min(MOST_PER_PAGE, Math.max(1, Number(args['perPage'] ?? MOST_PER_PAGE)))
  let total = 0
  return {
    info: { currentPage, perPage, hasNextPage: () => total > currentPage * perPage },
    take(rows) {
      total = rows.length
      return rows.slice((currentPage - 1) * perPage, currentPage * perPage)
    },
  }
}

function mediaOf({ catalogue }: State, args: Args): Media[] {
  if (args['type'] === 'MANGA') return []
  const search = typeof args['search'] === 'string' ? args['search'].toLowerCase() : undefined
  const ids = (name: string) => (args[name] === undefined ? undefined : new Set([args[name]].flat().map(Number)))
  const [id, mal] = [ids('id_in') ?? ids('id'), ids('idMal_in') ?? ids('idMal')]
  return catalogue.filter(
    (media) =>
      (id === undefined || id.has(media.id)) &&
      (mal === undefined || (media.idMal !== null && mal.has(media.idMal))) &&
      (search === undefined ||
        [media.title.romaji, media.title.english].some((title) => title?.toLowerCase().includes(search) === true)),
  )
}

function save(state: State, viewer: Account | undefined, args: Args): OwnedEntry {
  if (viewer === undefined) return refuse(401, 'Unauthorized.')
  const known = args['id'] === undefined ? undefined : viewer.entries.get(Number(args['id']))
  const media = known?.media ?? state.catalogue.find(({ id }) => id === args['mediaId'])
  if (media === undefined) return refuse(404, 'validation', { mediaId: ['The selected media id is invalid.'] })
  const score = args['scoreRaw']
  if (typeof score === 'number' && (score < 0 || score > 100))
    refuse(400, 'validation', { scoreRaw: ['The score raw may not be greater than 100.'] })
  return { owner: viewer, entry: saveEntry(state, viewer, media, args as EntryChange) }
}

function visible({ state, viewer }: Context, userId: unknown): Account {
  const account = state.accounts.find(({ id }) => id === userId)
  if (account === undefined) return refuse(404, 'User not found')
  return account.isPrivate && account !== viewer ? refuse(404, 'Private User') : account
}

function refuse(status: number, message: string, validation?: Readonly<Record<string, readonly string[]>>): never {
  throw new FieldRefusal(status, message, validation)
}
