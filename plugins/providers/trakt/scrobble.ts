// Sends playback to Trakt, and finds unconfirmed plays. A report is sent once; the caller retries.
import { defined } from '@playhead/sdk'
import { type Item, kindOf } from '@playhead/sdk/items'
import {
  alreadyPlayed,
  idText,
  mayBeWithin,
  playAdded,
  type PlaybackDefinition,
  type PlaysRequest,
  playToAdd,
  type ScrobbleRequest,
  type ScrobbleResult,
  type ScrobbleStep,
  scrobbleStep,
  sortPlays,
  uncertainPlays,
} from '@playhead/sdk/provider'
import type { ListRequest, Name } from '@playhead/trakt-dialect'
import { playItem } from './items.ts'
import { idsInTrakt } from './read/lookup.ts'
import { rowId } from './read/list.ts'
import { DIALECT } from './read/pages.ts'
import type { Session } from './session.ts'
import { type Row, Scrobble } from './wire.ts'
import { WRITES } from './write/features.ts'
import { namesOf } from './write/targets.ts'

/** Trakt records a stop as a play from this position. */
const PLAY_AT_PERCENT = 80
const DAY_MS = 86_400_000
const IDS = ['tracka', 'imdb', 'tmdb', 'tvdb'] as const
const ACCEPTED = [404, 409, 422]

export const PLAYBACK: PlaybackDefinition<Session> = {
  scrobble: { kinds: ['movie', 'episode'], needsAnyId: IDS, playAtPercent: PLAY_AT_PERCENT, send },
  plays,
}

async function send(session: Session, request: ScrobbleRequest, signal: AbortSignal): Promise<ScrobbleResult> {
  const step = scrobbleStep(request, { playAtPercent: PLAY_AT_PERCENT, unfinished: 'stop' })
  if (step.type === 'nothing') return { outcome: 'applied' }
  if (step.type === 'history') return add(session, request, signal)
  const { item } = request
  try {
    const result = await session.scrobbled.send(
      item,
      namesOf(item, true),
      (name) => call(session, { name, step, request }, signal),
      async () => (await idsInTrakt(session, item, signal)).map(({ trakt }) => nameOf(item, trakt)),
    )
    return result === NOT_RECORDED ? await add(session, request, signal) : result
  } finally {
    session.activities.drop()
    if (step.action !== 'start') for (const feature of ['history', 'watchlist'] as const) session.sizes.delete(feature)
  }
}

/** Trakt recorded a completed playback as a pause. */
const NOT_RECORDED: ScrobbleResult = { outcome: 'rejected', reason: 'not_recorded' }

interface Call {
  readonly name: Name
  readonly step: Extract<ScrobbleStep, { readonly type: 'call' }>
  readonly request: ScrobbleRequest
}

async function call(session: Session, { name, step, request }: Call, signal: AbortSignal): Promise<ScrobbleResult> {
  const { ctx, profile } = session.account
  const answer = await session.upstream.request({
    method: 'POST',
    path: `/scrobble/${step.action}`,
    json: { ...workOf(request.item, name), progress: step.percent, app_version: ctx.host.version },
    accept: ACCEPTED,
    // Longer pauses are reported to the caller instead of awaited.
    timeoutMs: profile.timeout * 1_000,
    signal,
  })
  if (answer.status === 409) return alreadyPlayed(await answer.text(), request)
  if (ACCEPTED.includes(answer.status)) {
    await answer.text()
    return answer.status === 404
      ? { outcome: 'not_found', reason: 'not_found' }
      : { outcome: 'rejected', reason: 'refused_by_service' }
  }
  // A proxy page may have a success status; only Trakt returns the action.
  const { action, id } = await answer.json(Scrobble)
  if (action !== 'scrobble') return request.completed && step.action === 'stop' ? NOT_RECORDED : { outcome: 'applied' }
  const eventId = idText(id)
  // The response contains the id of the play, but not its time.
  return { outcome: 'applied', play: { watchedAtMs: null, ...defined({ eventId }) } }
}

async function add(session: Session, request: ScrobbleRequest, signal: AbortSignal): Promise<ScrobbleResult> {
  const play = playToAdd(request)
  return playAdded(await WRITES.addPlay(session, play, signal), play)
}

function workOf(item: Item, { ids, season, episode }: Name): Readonly<Record<string, unknown>> {
  return season === undefined ? { [kindOf(item)]: { ids } } : { show: { ids }, episode: { season, number: episode } }
}

function nameOf(item: Item, trakt: number): Name {
  const kind = kindOf(item) === 'movie' ? 'movies' : 'episodes'
  return { kind, group: kind, ids: { trakt } }
}

/**
 * Requests all plays around that time with all their ids, so the item is found without its Trakt id. The Trakt id is looked up only
 * if another item without a common id was watched then.
 */
async function plays(session: Session, request: PlaysRequest, signal: AbortSignal): Promise<readonly Item[]> {
  const { item, fromMs, toMs } = request
  const list: ListRequest = {
    path: `/sync/history/${kindOf(item)}s`,
    // The range is in days of an unknown time zone.
    query: { start_at: dayOf(fromMs - DAY_MS), end_at: dayOf(toMs + 2 * DAY_MS) },
    signal,
  }
  const rows = await readAll(session, list, ({ watched_at: at }) => mayBeWithin(at, request))
  const { found, undecided } = sortPlays(rows, request)
  if (found.length > 0 || undecided.length === 0) return found
  const ids = new Set((await idsInTrakt(session, item, signal)).map(({ trakt }) => String(trakt)))
  if (ids.size === 0) throw uncertainPlays()
  return undecided.filter(({ ids: { tracka } }) => tracka !== undefined && ids.has(tracka))
}

async function readAll(
  { upstream }: Session,
  list: ListRequest,
  isWithin: (row: Row) => boolean,
): Promise<readonly Item[]> {
  const pages = DIALECT.readPages(upstream, list, rowId)
  const found: Item[] = []
  for await (const rows of pages.rows) {
    for (const row of rows.filter(isWithin)) {
      const read = playItem(row)
      // A play of an item without ids may be the requested one.
      if ('unreadable' in read) throw uncertainPlays()
      found.push(read.item)
    }
  }
  if (pages.flaw() !== undefined) throw uncertainPlays()
  return found
}

function dayOf(atMs: number): string {
  return new Date(atMs).toISOString().slice(0, 10)
}
