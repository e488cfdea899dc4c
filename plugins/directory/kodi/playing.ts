// Playback: notifications of the socket say when to look, and the players are then asked over HTTP.
import {
  isPlayheadError,
  type Item,
  parseJson,
  pause,
  type PlaySession,
  PlayheadError,
  type UpstreamSocket,
  type WatchOptions,
  type WatchPart,
} from '@playhead/sdk'
import { pollSessions } from '@playhead/sdk/provider'
import { episodeItem, showItem } from './items.ts'
import { isAbsent } from './rpc.ts'
import type { Session } from './session.ts'
import { type Clock, type PlayedVideo, PlayerState, Players, Playing } from './wire.ts'

/** Without a notification for this long the players are asked, which also shows whether the socket still works. */
const CHECK_MS = 30_000
/** Sessions are polled for this long after a failure of the socket. */
const RETRY_MS = 60_000
const ITEM_FIELDS = ['title', 'year', 'uniqueid', 'imdbnumber', 'tvshowid', 'season', 'episode', 'showtitle'] as const
const PLAYER_FIELDS = ['speed', 'time', 'totaltime', 'live'] as const

export async function readPlaying(
  session: Session,
  _options: WatchOptions,
  signal: AbortSignal,
): Promise<readonly PlaySession[]> {
  const players = await session.rpc.call('Player.GetActivePlayers', {}, Players, signal)
  const sessions: PlaySession[] = []
  for (const { playerid } of players.filter(({ type }) => type === 'video')) {
    try {
      const played = await readPlayer(session, playerid, signal)
      if (played !== undefined) sessions.push(played)
    } catch (error) {
      // It stopped between two requests.
      if (!isAbsent(error)) throw error
    }
  }
  return sessions
}

/** Undefined for anything but films and episodes. */
async function readPlayer(session: Session, playerid: number, signal: AbortSignal): Promise<PlaySession | undefined> {
  const { rpc, known } = session
  const { item: row } = await rpc.call('Player.GetItem', { playerid, properties: ITEM_FIELDS }, Playing, signal)
  const item = await itemOf(session, row, signal)
  if (item === undefined) return undefined
  const state = await rpc.call('Player.GetProperties', { playerid, properties: PLAYER_FIELDS }, PlayerState, signal)
  const { account, name, id } = await known.get(signal)
  const [positionMs, durationMs] = [msOf(state.time), msOf(state.totaltime)]
  return {
    key: `player-${playerid}`,
    item,
    state: state.speed === 0 ? 'paused' : 'playing',
    ...(durationMs > 0 ? { durationMs, positionMs: Math.min(positionMs, durationMs) } : { positionMs }),
    // A box has no users: all that it plays counts for its library.
    account: { id: account, name, relation: 'own' },
    deviceId: id,
    device: name,
    server: id,
    ...(state.live === true ? { live: true } : {}),
  }
}

async function itemOf({ showFacts }: Session, row: PlayedVideo, signal: AbortSignal): Promise<Item | undefined> {
  const native = row.id === undefined || row.id < 1 ? {} : { native: { item_id: `${row.type}/${row.id}` } }
  if (row.type === 'movie') return { ...showItem(row), type: 'movie', ...native }
  const { type, season = -1, episode = 0, tvshowid = -1 } = row
  if (type !== 'episode' || season < 0 || episode < 1) return undefined
  const show = tvshowid < 1 ? undefined : (await showFacts.get([String(tvshowid)], signal)).get(String(tvshowid))
  return { ...episodeItem({ ...row, season, episode }, show), ...native }
}

function msOf({ hours, minutes, seconds, milliseconds }: Clock): number {
  return ((hours * 60 + minutes) * 60 + seconds) * 1_000 + milliseconds
}

export async function* watchPlaying(
  session: Session,
  options: WatchOptions,
  signal: AbortSignal,
): AsyncGenerator<WatchPart> {
  const read = (until: AbortSignal) => readPlaying(session, options, until)
  for (;;) {
    let reason = 'socket_off'
    if (session.events !== undefined) {
      try {
        yield* push(await session.events(signal), read, signal)
      } catch (error) {
        if (signal.aborted || !isPlayheadError(error)) throw error
        reason = 'socket_lost'
        session.account.log.debug({ code: error.code }, 'what is playing is polled, because the socket failed')
      }
    }
    const untilMs = Date.now() + RETRY_MS
    for await (const part of pollSessions({ read, others: false, reason, signal })) {
      yield part
      if (session.events !== undefined && Date.now() >= untilMs) break
    }
  }
}

/** Ends only with an error. */
async function* push(
  socket: UpstreamSocket,
  read: (signal: AbortSignal) => Promise<readonly PlaySession[]>,
  signal: AbortSignal,
): AsyncGenerator<WatchPart> {
  const messages = socket[Symbol.asyncIterator]()
  try {
    let last = await read(signal)
    yield { type: 'connected', by: 'push', others: false }
    yield { type: 'sessions', sessions: last, atMs: Date.now() }
    let next = nextOf(messages)
    for (;;) {
      const turn = await within(next, CHECK_MS, signal)
      if (turn !== undefined) {
        if (turn.done === true) throw new PlayheadError('PLH_UPSTREAM', 'Kodi closed the socket.')
        next = nextOf(messages)
        const { method, end } = parse(turn.value)
        if (!method.startsWith('Player.On')) continue
        // Kodi itself says that the end was reached.
        if (method === 'Player.OnStop' && end)
          for (const ended of last)
            yield { type: 'session', session: { ...ended, state: 'stopped', completed: true }, atMs: Date.now() }
      }
      last = await read(signal)
      yield { type: 'sessions', sessions: last, atMs: Date.now() }
    }
  } finally {
    socket.close()
  }
}

function nextOf(messages: AsyncIterator<string>): Promise<IteratorResult<string>> {
  const next = messages.next()
  // It may reject after the loop was left.
  next.catch(() => {})
  return next
}

/** Undefined after the time. */
async function within<Result>(work: Promise<Result>, ms: number, signal: AbortSignal): Promise<Result | undefined> {
  const end = new AbortController()
  const wait = pause(ms, AbortSignal.any([signal, end.signal]))
  try {
    return await Promise.race([work, wait.then(() => undefined)])
  } finally {
    end.abort()
    wait.catch(() => {})
  }
}

/** `{ "method": "Player.OnStop", "params": { "data": { "end": true } } }`; anything else is ignored. */
function parse(text: string): { readonly method: string; readonly end: boolean } {
  try {
    const { method, params } = parseJson(text) as {
      readonly method?: unknown
      readonly params?: { readonly data?: { readonly end?: unknown } | null }
    }
    return { method: typeof method === 'string' ? method : '', end: params?.data?.end === true }
  } catch {
    return { method: '', end: false }
  }
}
