// The videos of shows, and the names of titles, by Cinemeta, the catalogue that Stremio's apps use. A list is kept with the field
// that was read with it: a field of an older list can only be read with that list, and a changed one with that of today.
import { isPlayheadError, type Static, type TSchema, Type, type UpstreamAccount } from '@playhead/sdk'
import { type AccountContext, serviceOptions } from '@playhead/sdk/provider'
import { bitsOf, decodeWatched, type Watched } from './bitfield.ts'
import { type Profile, VIDEOS_URL } from './settings.ts'

const AT_ONCE = 4
/** Cinemeta sends requests for a title there. */
const LIVE_URL = 'https://cinemeta-live.strem.io'

const Video = Type.Object({
  id: Type.String({ minLength: 1 }),
  season: Type.Optional(Type.Unknown()),
  episode: Type.Optional(Type.Unknown()),
  released: Type.Optional(Type.Unknown()),
})
const Meta = Type.Object({
  id: Type.String({ minLength: 1 }),
  name: Type.String({ minLength: 1 }),
  poster: Type.Optional(Type.Unknown()),
  posterShape: Type.Optional(Type.Unknown()),
  behaviorHints: Type.Optional(Type.Unknown()),
  videos: Type.Optional(Type.Union([Type.Array(Video), Type.Null()])),
})
export type Meta = Static<typeof Meta>
/** A title that Cinemeta does not know is an empty object, or has one in place of its facts. */
const Answer = Type.Object({
  meta: Type.Optional(Type.Union([Meta, Type.Null(), Type.Object({}, { maxProperties: 0 })])),
})

export interface Part {
  readonly id: string
  readonly season: number
  readonly episode: number
  /** Epoch milliseconds; 0 if unknown. */
  readonly releasedMs: number
}

/** The last playback of a show. */
export interface LastPlayed {
  readonly videoId: string
  /** The video itself was watched. Otherwise it follows the watched video. */
  readonly isWatched: boolean
  /** ISO 8601. */
  readonly at: string
}

/** Why the bits of a show cannot be read: Cinemeta fails for now, or does not know the show or its list. */
export type NoList = 'videos_unavailable' | 'videos_unknown'

/** The field of a title, and its bits. */
export interface WatchedField {
  readonly text: string
  readonly bits: Watched
}

export interface WatchedParts {
  readonly videos: readonly Part[]
  readonly bits: readonly boolean[]
  /** Watched by an earlier list, and not by this one: the list changed, the person did nothing. */
  readonly gone: readonly Part[]
  /** Times of watched videos by their ids, as far as they were seen while they were the last ones of their show. */
  readonly times: Readonly<Record<string, string>>
}

export interface Videos {
  /** Undefined: Cinemeta does not know the title. */
  meta(type: 'movie' | 'series', id: string, signal?: AbortSignal): Promise<Meta | undefined>
  /** The episodes of a show in the order of the bits, with their bits; without a field none has one. */
  watched(id: string, field: WatchedField | undefined, options: Options): Promise<WatchedParts | NoList>
}

interface Options {
  readonly signal?: AbortSignal
  /** A write needs the list of today, with which the apps read it. */
  readonly isForWrite?: boolean
  /** The show, if it was just requested. */
  readonly meta?: Meta | undefined
  readonly last?: LastPlayed | undefined
  /** Shared by the shows of a read: after a failure Cinemeta is not asked again. */
  readonly pass?: { hasFailed: boolean }
}

/** Id, season, episode, time of the release. */
type Row = readonly [string, number, number, number]

/** A list, and the field that was read with it: the same field is always read with the same list. */
interface Stored {
  readonly text: string
  readonly videos: readonly Row[]
  readonly gone: readonly Row[]
  readonly times: Readonly<Record<string, string>>
}

export function openVideos(account: AccountContext<Profile>): Videos {
  const { store, profile } = account
  // Another person may sign in to the profile.
  const keyOf = (id: string) => `videos/${profile.user_id}/${id}`
  const open = (baseUrl: string, name: string) =>
    account.ctx.upstream.account({
      ...serviceOptions(account),
      account: `${account.name}/${name}`,
      baseUrl,
      limits: { concurrency: AT_ONCE },
    })
  const cinemeta = open(profile.videos_url, 'cinemeta')
  let live: UpstreamAccount | undefined

  async function ask<Schema extends TSchema>(
    request: { readonly path: string; readonly signal?: AbortSignal },
    schema: Schema,
  ): Promise<Static<Schema>> {
    if (live !== undefined) return live.json(request, schema)
    try {
      return await cinemeta.json(request, schema)
    } catch (error) {
      const target = isPlayheadError(error) ? error.details?.['redirect'] : undefined
      if (target !== LIVE_URL || profile.videos_url !== VIDEOS_URL) throw error
      live = open(LIVE_URL, 'cinemeta-live')
      return live.json(request, schema)
    }
  }

  async function meta(type: string, id: string, signal?: AbortSignal): Promise<Meta | undefined> {
    const request = { path: `meta/${type}/${encodeURIComponent(id)}.json`, ...(signal === undefined ? {} : { signal }) }
    try {
      const { meta: found } = await ask(request, Answer)
      return found != null && 'id' in found && found.id === id ? (found as Meta) : undefined
    } catch (error) {
      if (isPlayheadError(error, 'PLH_NOT_FOUND')) return undefined
      throw error
    }
  }

  /** The list of today; `videos_unavailable` while Cinemeta fails. */
  async function fetched(id: string, { signal, pass, meta: known }: Options): Promise<readonly Part[] | NoList> {
    if (pass?.hasFailed === true) return 'videos_unavailable'
    try {
      const found = known ?? (await meta('series', id, signal))
      const videos = found === undefined ? [] : ordered(found)
      return videos.length === 0 ? 'videos_unknown' : videos
    } catch (error) {
      signal?.throwIfAborted()
      if (!isPlayheadError(error)) throw error
      if (pass !== undefined) pass.hasFailed = true
      return 'videos_unavailable'
    }
  }

  async function watched(
    id: string,
    field: WatchedField | undefined,
    options: Options,
  ): Promise<WatchedParts | NoList> {
    const { isForWrite = false } = options
    const before = await store.get<Stored>(keyOf(id))
    const known = before === undefined ? undefined : readWith(before, field)
    const isSame = field !== undefined && before?.text === field.text
    if (known !== undefined && isSame && !isForWrite) return kept(id, { field, before, found: known }, options)
    // A device counted with the list that it had just loaded: with a list without its new videos other bits would be theirs.
    const videos = await fetched(id, options)
    if (typeof videos === 'string') return videos
    const now = isSame && known !== undefined ? movedTo(videos, known) : bitsIn(videos, field)
    if (now === undefined) return isForWrite ? 'videos_unknown' : (known ?? 'videos_unknown')
    if (isForWrite || field === undefined) return { videos, bits: now, gone: [], times: {} }
    const isWatched = watchedIds(videos, now)
    const gone = before === undefined ? [] : (await lostBy(videos, before)).filter(({ id }) => !isWatched.has(id))
    const times = timesOf(before?.times ?? {}, isWatched)
    return kept(id, { field, before: undefined, found: { videos, bits: now, gone, times } }, options)
  }

  /** Adds the time of the last playback, and stores what differs from `before`. */
  async function kept(
    id: string,
    {
      field: { text },
      before,
      found,
    }: { readonly field: WatchedField; readonly before: Stored | undefined; readonly found: WatchedParts },
    { last }: Options,
  ): Promise<WatchedParts> {
    const video = last === undefined ? undefined : lastWatched(found, last)
    const times = video === undefined ? found.times : { ...found.times, [video]: last!.at }
    if (before?.text !== text || JSON.stringify(times) !== JSON.stringify(before.times))
      await store.set(keyOf(id), {
        text,
        videos: found.videos.map(rowOf),
        gone: found.gone.map(rowOf),
        times,
      } satisfies Stored)
    return { ...found, times }
  }

  return { meta, watched }
}

const rowOf = ({ id, season, episode, releasedMs }: Part): Row => [id, season, episode, releasedMs]
const partOf = ([id, season, episode, releasedMs]: Row): Part => ({ id, season, episode, releasedMs })
const watchedIds = (videos: readonly Part[], bits: readonly boolean[]) =>
  new Set(videos.filter((_, index) => bits[index]).map(({ id }) => id))

function bitsIn(videos: readonly Part[], field: WatchedField | undefined): readonly boolean[] | undefined {
  return field === undefined ? videos.map(() => false) : bitsOf(field.bits, videos)
}

/** The bits of the same videos in another list. */
function movedTo(videos: readonly Part[], known: WatchedParts): readonly boolean[] {
  const isWatched = watchedIds(known.videos, known.bits)
  return videos.map(({ id }) => isWatched.has(id))
}

/** The stored list with the bits of a field; undefined if the field is of another list. */
function readWith({ videos: rows, gone, times }: Stored, field: WatchedField | undefined): WatchedParts | undefined {
  const videos = rows.map(partOf)
  const bits = bitsIn(videos, field)
  if (bits === undefined) return undefined
  const isWatched = watchedIds(videos, bits)
  return {
    videos,
    bits,
    gone: gone.map(partOf).filter(({ id }) => !isWatched.has(id)),
    times: timesOf(times, isWatched),
  }
}

function timesOf(times: Stored['times'], isWatched: ReadonlySet<string>): Stored['times'] {
  return Object.fromEntries(Object.entries(times).filter(([id]) => isWatched.has(id)))
}

/**
 * Episodes that were watched when the field was stored, and that a device loses when it reads that field with another list: it moves
 * all bits by the place of the anchor, and has none without the anchor.
 */
async function lostBy(videos: readonly Part[], before: Stored): Promise<readonly Part[]> {
  const bits = await decodeWatched(before.text)
  const field = bits === undefined ? undefined : { text: before.text, bits }
  const known = field === undefined ? undefined : readWith(before, field)
  if (known === undefined) return []
  const kept = watchedIds(videos, bitsIn(videos, field) ?? [])
  const earlier = [...known.gone, ...known.videos.filter((_, index) => known.bits[index])]
  return [...new Map(earlier.map((part) => [part.id, part])).values()].filter(({ id }) => !kept.has(id))
}

/** The watched video that the time of the show belongs to; undefined if it may be that of a release. */
function lastWatched({ videos, bits }: WatchedParts, { videoId, isWatched, at }: LastPlayed): string | undefined {
  // The apps give a show the release of an episode that a person marks, if that is later.
  if (videos.some(({ releasedMs }) => releasedMs === Date.parse(at))) return undefined
  const index = videos.findIndex(({ id }) => id === videoId) - (isWatched ? 0 : 1)
  return bits[index] === true ? videos[index]?.id : undefined
}

/** By season, episode and release, as the apps order them before they count bits. */
function ordered({ videos }: Meta): readonly Part[] {
  const number = (value: unknown) => (typeof value === 'number' && Number.isInteger(value) ? value : -1)
  const unique = new Map((videos ?? []).toReversed().map((video) => [video.id, video]))
  return [...unique.values()]
    .toReversed()
    .map(({ id, season, episode, released }) => ({
      id,
      season: number(season),
      episode: number(episode),
      releasedMs: typeof released === 'string' ? Date.parse(released) || 0 : 0,
    }))
    .toSorted((a, b) => a.season - b.season || a.episode - b.episode || a.releasedMs - b.releasedMs)
}
