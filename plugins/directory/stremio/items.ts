// Titles of the library as items. A title stays in the account when it leaves the library, with its plays and its position,
// so each feature is read regardless of the others. The fields are those of stremio-core (src/types/library).
import { type IdScheme, type Ids, normaliseId } from '@playhead/sdk/items'
import type { Item } from '@playhead/sdk'
import { timeAt, titleAt, yearAt } from '@playhead/sdk/provider'
import type { Entry } from './api.ts'

/** The fields of the state that this plugin uses, in valid values. */
export interface State {
  /** Of a movie, or of any episode of a show. ISO 8601. */
  readonly lastWatched: string | undefined
  readonly timesWatched: number
  /** The video `videoId` was watched. */
  readonly isFlagged: boolean
  /** Position in the video `videoId`, milliseconds. 1 means that the video is the next one. */
  readonly offsetMs: number
  readonly durationMs: number
  readonly videoId: string | undefined
  /** Undefined: no episode was watched. */
  readonly watched: string | undefined
}

export type Kind = 'movie' | 'show'
/** Types of the apps that are neither movies nor shows. */
const OTHER_TYPES: readonly unknown[] = ['channel', 'tv', 'other', 'events', 'radio', 'podcasts']
const PREFIXES = ['tmdb', 'tvdb', 'kitsu', 'mal', 'anilist', 'anidb'] as const satisfies readonly IdScheme[]
/** The apps mark the next episode of a show with a position of one millisecond. */
const NEXT_MS = 1
/** Some tools write 1970 for no time. */
const FIRST_MS = Date.parse('1980-01-01T00:00:00Z')

/** Undefined for a title that is neither, or has a type of an add-on. */
export function kindOfEntry({ type }: Entry): Kind | undefined {
  return type === 'movie' ? 'movie' : type === 'series' ? 'show' : undefined
}

/** Titles that no service of Playhead has: they are left out without a word. */
export function isOther({ type }: Entry): boolean {
  return OTHER_TYPES.includes(type)
}

/** `tt0133093`, or the id of an add-on such as `kitsu:12`. */
export function idsOfEntry(id: string): Ids {
  if (/^tt\d+$/.test(id)) {
    const imdb = normaliseId('imdb', id)
    return imdb === undefined ? {} : { imdb }
  }
  const [scheme, number, more] = id.split(':')
  const known = PREFIXES.find((one) => one === scheme)
  const value = known === undefined || more !== undefined ? undefined : normaliseId(known, number)
  return known === undefined || value === undefined ? {} : { [known]: value }
}

/** Ids under which the account may have the work, or the show of an episode; IMDb's first. */
export function entryIdsOf(item: Item): readonly string[] {
  const { imdb, ...ids }: Ids = (item.type === 'episode' ? item.show_ids : item.ids) ?? {}
  return [
    ...(imdb === undefined ? [] : [imdb]),
    ...PREFIXES.flatMap((scheme) => (ids[scheme] === undefined ? [] : [`${scheme}:${ids[scheme]}`])),
  ]
}

const whole = (value: unknown) =>
  typeof value === 'number' && Number.isFinite(value) ? Math.max(0, Math.round(value)) : 0
const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined)

export function stateOf({ state }: Entry): State {
  const fields = (typeof state === 'object' && state !== null ? state : {}) as Readonly<Record<string, unknown>>
  const at = text(fields['lastWatched'])
  return {
    lastWatched: at !== undefined && Date.parse(at) >= FIRST_MS ? at : undefined,
    timesWatched: whole(fields['timesWatched']),
    isFlagged: whole(fields['flaggedWatched']) > 0,
    offsetMs: whole(fields['timeOffset']),
    durationMs: whole(fields['duration']),
    videoId: text(fields['video_id']),
    watched: text(fields['watched']),
  }
}

export const isNextOnly = ({ offsetMs }: State) => offsetMs === NEXT_MS
export const hasPosition = ({ offsetMs }: State) => offsetMs > NEXT_MS
export const isInLibrary = ({ removed, temp }: Entry) => removed !== true && temp !== true

/** The movie or show. */
export function workOf(entry: Entry, kind: Kind): Item {
  return {
    type: kind,
    ids: idsOfEntry(entry._id),
    ...titleAt('title', entry.name),
    ...yearAt('year', Number(entry.year) || undefined),
    native: { item_id: entry._id },
  }
}

export function episodeOf(entry: Entry, season: number, episode: number): Item {
  return {
    type: 'episode',
    ids: {},
    show_ids: idsOfEntry(entry._id),
    season,
    episode,
    ...titleAt('series_title', entry.name),
    ...yearAt('series_year', Number(entry.year) || undefined),
  }
}

/** `tt0306414:1:2` */
export function videoId(entryId: string, { season, episode }: Pick<Item, 'season' | 'episode'>): string {
  return `${entryId}:${season}:${episode}`
}

/** The item of a position; undefined for a video whose numbers its id does not have. */
export function playedOf(entry: Entry, kind: Kind, { videoId: id }: State): Item | undefined {
  if (kind === 'movie') return workOf(entry, 'movie')
  const [, season, episode] =
    (id?.startsWith(`${entry._id}:`) && /^(\d+):(\d+)$/.exec(id.slice(entry._id.length + 1))) || []
  return season === undefined || episode === undefined || Number(episode) < 1
    ? undefined
    : episodeOf(entry, Number(season), Number(episode))
}

/** When a title without any trace of playback was put into the library: it was made for that. */
export function addedAt(entry: Entry): Pick<Item, 'added_at'> {
  const { timesWatched, offsetMs, videoId: video, watched } = stateOf(entry)
  const isUntouched = timesWatched === 0 && offsetMs === 0 && video === undefined && watched === undefined
  return isUntouched ? timeAt('added_at', entry._ctime) : {}
}

/**
 * A movie has one time for its last play and for its position. With both it may be that of either, so that neither has
 * one.
 */
export function timeOf(kind: Kind, state: State): string | undefined {
  return kind === 'movie' && state.timesWatched > 0 && hasPosition(state) ? undefined : state.lastWatched
}
