// Reading plays, newest first. Tracearr counts no rows: the cursor that ends proves that all of them came.
import { type Item, type ReadPart, type ReadRequest, type Static, Type } from '@playhead/sdk'
import {
  createCheckpoints,
  createLatestPlays,
  isWholeNumber,
  readEnd,
  type ReadItem,
  rowParts,
  timeAt,
  titleAt,
  unchangedEnd,
  unreadableRow,
  type Unreadable,
  wantedItems,
  yearAt,
} from '@playhead/sdk/provider'
import { idsOf, me, type Session, type Show, showOf } from './session.ts'
import { type Play, Plays, textOf } from './wire.ts'

const MAX_PAGES = 20_000
/** Plays that are compared with the last read: a play that is resumed keeps its place. */
const RECENT = 100

const Fields = Type.Object({ recent: Type.String() })
const checkpoints = createCheckpoints(Fields)

export async function* readHistory(
  session: Session,
  request: ReadRequest,
  signal: AbortSignal,
): AsyncGenerator<ReadPart> {
  const { id: account } = await me(session, signal)
  const recent = await pageOf(session, account, undefined, RECENT, signal)
  const state: Static<typeof Fields> = { recent: printOf(recent.data) }
  const since = checkpoints.decode(request.since, { account, nowMs: Date.now() })
  if (since !== undefined && request.since !== undefined && since.recent === state.recent) {
    yield unchangedEnd(account, request.since)
    return
  }
  const collected = collector(session, account, request, signal)
  const size = session.account.profile.page_size
  const seen = new Set<string>()
  let flaw: string | undefined
  let page = size === RECENT ? recent : await pageOf(session, account, undefined, size, signal)
  for (let pages = 1; ; pages += 1) {
    yield* rowParts(await collected.add(page.data))
    const next = page.meta.nextCursor
    if (next === null) break
    if (seen.has(next)) flaw = 'repeated_page'
    else if (pages >= MAX_PAGES) flaw = 'too_many_pages'
    if (flaw !== undefined) break
    seen.add(next)
    page = await pageOf(session, account, next, size, signal)
  }
  yield* rowParts(collected.rest())
  const { unreadable } = collected
  const isWhole = unreadable.length === 0
  yield readEnd({
    account,
    reason: flaw ?? collected.flaw(),
    unreadable,
    // With plays that could not be read the next read looks again.
    checkpoint: isWhole ? checkpoints.encode({ account, fullAtMs: Date.now(), ...state }) : undefined,
  })
}

function pageOf(
  { api }: Session,
  userId: string,
  cursor: string | undefined,
  pageSize: number,
  signal: AbortSignal,
): Promise<Static<typeof Plays>> {
  const query = { user_id: userId, watched: true, pageSize, ...(cursor === undefined ? {} : { cursor }) }
  return api.json({ path: 'api/v2/public/history', query, signal }, Plays)
}

/** Short, and another one if a play was added, resumed or taken off. */
function printOf(plays: readonly Play[]): string {
  const text = JSON.stringify(plays.map(({ id, stopped_at: at, state }) => [id, at, state]))
  let [a, b] = [0x811c9dc5, 5_381]
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index)
    a = Math.imul(a ^ code, 0x01000193)
    b = (Math.imul(b, 33) + code) | 0
  }
  return `${plays.length}-${(a >>> 0).toString(36)}-${(b >>> 0).toString(36)}`
}

/** Plays one by one, or the latest of each work at the end. */
function collector(session: Session, account: string, request: ReadRequest, signal: AbortSignal) {
  const unreadable: Unreadable[] = []
  const ids = new Set<string>()
  const shows = new Map<string, Promise<Show>>()
  const latest = createLatestPlays()
  let flaw: string | undefined

  function show(id: string): Promise<Show> {
    const known = shows.get(id) ?? showOf(session, id, signal)
    shows.set(id, known)
    return known
  }

  return {
    unreadable,
    flaw: () => flaw,
    async add(plays: readonly Play[]): Promise<readonly Item[]> {
      const found: ReadItem[] = []
      for (const play of plays) {
        if (ids.has(play.id)) flaw ??= 'repeated_page'
        // A version that does not know the filter.
        if (play.user?.id !== undefined && play.user.id !== account) {
          flaw ??= 'other_user'
          continue
        }
        if (ids.has(play.id) || !isPlay(play)) continue
        ids.add(play.id)
        found.push(await itemOf(play, show))
      }
      const items = wantedItems(found, request, unreadable)
      if (request.plays === true) return items
      for (const item of items) latest.add(item)
      return []
    },
    rest: latest.items,
  }
}

/** A film or an episode that was watched to its end, and is over. */
function isPlay({ media_type: type, watched, state, stopped_at: stopped }: Play): boolean {
  return (
    (type === 'movie' || type === 'episode') && watched === true && state === 'stopped' && textOf(stopped) !== undefined
  )
}

async function itemOf(play: Play, show: (id: string) => Promise<Show>): Promise<ReadItem> {
  const title = textOf(play.media_title)
  const watched = { watched: true, ...timeAt('watched_at', play.stopped_at), native: { event_id: play.id } }
  if (watched.watched_at === undefined) return unreadableRow('fields_missing', title)
  const ids = idsOf(play)
  if (play.media_type === 'movie') {
    if (Object.keys(ids).length === 0) return unreadableRow('missing_ids', title)
    return { item: { type: 'movie', ids, ...titleAt('title', title), ...yearAt('year', play.year), ...watched } }
  }
  const showId = textOf(play.show_media_id)
  const series: Show = showId === undefined ? { ids: {} } : await show(showId)
  const showIds = series.ids
  if (Object.keys(ids).length === 0 && Object.keys(showIds).length === 0) return unreadableRow('missing_ids', title)
  const { season_number: season, episode_number: episode } = play
  if (!isWholeNumber(season, 0) || !isWholeNumber(episode, 1)) return unreadableRow('episode_missing', title)
  return {
    item: {
      type: 'episode',
      ids,
      ...(Object.keys(showIds).length === 0 ? {} : { show_ids: showIds }),
      season,
      episode,
      ...titleAt('title', title),
      ...titleAt('series_title', series.title ?? textOf(play.show_title)),
      ...yearAt('series_year', series.year),
      ...watched,
    },
  }
}
