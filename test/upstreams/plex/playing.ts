// The endpoints of a player: played, unplayed, rating, and position. A position near the end counts as a play.
import type { UpstreamReply } from '../base/index.ts'
import { visibleItem } from './library.ts'
import { markPlayed, markUnplayed, PLAYED_SHARE, play, rate, setOffset } from './play-state.ts'
import type { Route } from './router.ts'
import { itemRow } from './rows.ts'
import { type Item, type Session, takeId } from './state.ts'
import { type AccountCall, answer, container, done, plexValue, present, serverError, wholeNumber } from './wire.ts'

const LIBRARY = 'com.plexapp.plugins.library'
const STATES = ['stopped', 'buffering', 'playing', 'paused']

export const playingRoutes: readonly Route[] = [
  ['account', 'PUT|GET', '/:/scrobble', scrobble],
  ['account', 'PUT|GET', '/:/unscrobble', unscrobble],
  ['account', 'PUT|GET', '/:/rate', (call: AccountCall) => withItem(call, 'key', (item) => takeRating(call, item))],
  [
    'account',
    'PUT|GET',
    '/:/progress',
    (call: AccountCall) => withItem(call, 'key', (item) => takeProgress(call, item)),
  ],
  [
    'account',
    'POST|GET',
    '/:/timeline',
    (call: AccountCall) => withItem(call, 'ratingKey', (item) => takeTimeline(call, item)),
  ],
  ['owner', 'GET', '/status/sessions', liveSessions],
]

function scrobble(call: AccountCall): UpstreamReply {
  return withItem(call, 'key', (item) => markPlayed(call.state, call.account, item, call.nowMs))
}

function unscrobble(call: AccountCall): UpstreamReply {
  return withItem(call, 'key', (item) => markUnplayed(call.state, call.account, item))
}

/** Finds the item of a call and returns the result of `work`, or an empty 200. */
function withItem(call: AccountCall, parameter: string, work: (item: Item) => UpstreamReply | void): UpstreamReply {
  // A player report may omit the provider.
  const identifier = call.query.get('identifier') ?? (parameter === 'ratingKey' ? LIBRARY : null)
  const key = call.query.get(parameter)
  if (identifier === null || key === null) return serverError(400)
  // Rating keys are numbers: anything else is a client error, not a missing item.
  if (wholeNumber(key) === undefined) return serverError(400)
  const item = identifier === LIBRARY ? visibleItem(call.state, call.account, key) : undefined
  return item === undefined ? serverError(404) : (work(item) ?? done())
}

function takeRating({ state, account, query, nowMs }: AccountCall, item: Item): UpstreamReply | void {
  const rating = Number(query.get('rating') ?? Number.NaN)
  const ratedAt = query.get('ratedAt')
  const atMs = ratedAt === null ? nowMs : Number(ratedAt) * 1_000
  if (!((rating >= 0 && rating <= 10) || rating === -1) || !(atMs <= nowMs)) return serverError(400)
  rate(state, account, item, rating === -1 ? null : rating, atMs)
}

function takeProgress(call: AccountCall, item: Item): UpstreamReply | void {
  const timeMs = wholeNumber(call.query.get('time'))
  if (timeMs === undefined || !STATES.includes(call.query.get('state') ?? '')) return serverError(400)
  report(call, item, timeMs, call.nowMs)
}

function takeTimeline(call: AccountCall, item: Item): UpstreamReply | void {
  const { query, nowMs, state } = call
  const timeMs = wholeNumber(query.get('time'))
  const client = plexValue(call.request, 'X-Plex-Client-Identifier')
  if (timeMs === undefined || client === undefined || !STATES.includes(query.get('state') ?? ''))
    return serverError(400)
  // An offline client reports the past time of the event; future times are refused.
  const offline = query.get('offline') === '1'
  const updated = wholeNumber(query.get('updated'))
  report(
    call,
    item,
    timeMs,
    offline && updated !== undefined && !state.stampsReports ? Math.min(updated * 1_000, nowMs) : nowMs,
    offline ? undefined : client,
  )
  return answer(call, 'MediaContainer', { size: 0 })
}

function report(call: AccountCall, item: Item, timeMs: number, atMs: number, client?: string): void {
  const { state, account, query } = call
  const session = client === undefined ? undefined : follow(call, item, client, timeMs)
  const durationMs = item.durationMs ?? wholeNumber(query.get('duration')) ?? Infinity
  if (timeMs < durationMs * PLAYED_SHARE) {
    if (session?.counted !== true) setOffset(state, account, item, timeMs, atMs)
    return
  }
  if (session?.counted !== true) play(state, account, item, atMs)
  if (session !== undefined) session.counted = true
}

/** Finds the session of a live report; a stop ends it. */
function follow({ state, account, query }: AccountCall, item: Item, client: string, timeMs: number): Session {
  const id = `${client} ${account.id} ${item.ratingKey}`
  const session = state.sessions.getOrInsertComputed(id, () => ({
    sessionKey: String(takeId(state)),
    accountId: account.id,
    ratingKey: item.ratingKey,
    clientIdentifier: client,
    state: 'playing',
    viewOffsetMs: 0,
    counted: false,
  }))
  session.state = query.get('state') ?? session.state
  session.viewOffsetMs = timeMs
  if (session.state === 'stopped') state.sessions.delete(id)
  return session
}

function liveSessions(call: AccountCall): UpstreamReply {
  const { state } = call
  return container(call, {
    of: [...state.sessions.values()].filter(({ ratingKey }) => state.items.has(ratingKey)),
    row: (session) => {
      const user = session.guest ?? state.accounts.find(({ id }) => id === session.accountId) ?? call.account
      const machineIdentifier = session.clientIdentifier
      const item = state.items.get(session.ratingKey) as Item
      // As players report it, regardless of the library; sections are strings here, and external ids are omitted.
      return present({
        ...itemRow(state, user, item, false),
        librarySectionID: item.sectionKey,
        sessionKey: session.sessionKey,
        viewOffset: session.viewOffsetMs,
        User: { id: String(user.localId), title: user.title, thumb: `https://plex.tv/users/${user.uuid}/avatar` },
        Player: {
          machineIdentifier,
          title: session.device ?? 'Living room',
          product: 'Plex for LG',
          platform: 'webOS',
          state: session.state,
          local: true,
          address: '192.168.1.30',
          userID: user.localId,
        },
        Session: { id: `session-${session.sessionKey}`, bandwidth: 8_000, location: 'lan' },
        ...session.row,
      })
    },
  })
}
