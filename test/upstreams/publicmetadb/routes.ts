// The routes and their handlers.
import type { UpstreamReply, UpstreamRequest } from '../base/index.ts'
import { type Account, isSame, type List, nextId, type State, titleOf, type Work } from './state.ts'

const BASE = '/api/external'
const WATCHED_SHARE = 0.8
const LEAST_POSITION_MS = 30_000

interface Context {
  readonly state: State
  readonly account: Account
  readonly request: UpstreamRequest
  readonly body: Readonly<Record<string, unknown>>
  readonly params: readonly string[]
}
type Answer = (context: Context) => UpstreamReply

const ROUTES: readonly (readonly [method: string, path: RegExp, answer: Answer])[] = [
  ['GET', /^\/lists$/, readLists],
  ['POST', /^\/lists$/, createList],
  ['DELETE', /^\/lists\/([^/]+)$/, deleteList],
  ['GET', /^\/lists\/([^/]+)\/items$/, readItems],
  ['POST', /^\/lists\/([^/]+)\/items$/, addItem],
  ['DELETE', /^\/lists\/([^/]+)\/items\/([^/]+)$/, removeItem],
  ['GET', /^\/watched$/, readWatched],
  ['POST', /^\/watched$/, addWatched],
  ['DELETE', /^\/watched$/, removeAllWatched],
  ['DELETE', /^\/watched\/([^/]+)$/, ({ account, params }) => removeFrom(account, 'plays', params[0])],
  ['GET', /^\/resume$/, readResume],
  ['POST', /^\/resume$/, setResume],
  ['DELETE', /^\/resume\/([^/]+)$/, ({ account, params }) => removeFrom(account, 'positions', params[0])],
]

export async function handle(state: State, request: UpstreamRequest): Promise<UpstreamReply> {
  const key = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1]
  const account = state.accounts.find(({ apiKey }) => apiKey === key)
  if (account === undefined) return json({ error: 'Unauthorized' }, 401)
  const nowMs = state.nowMs()
  if (nowMs >= account.window.endsAtMs) account.window = { endsAtMs: nowMs + 10_000, used: 0 }
  if (account.window.used >= state.requestsPer10s)
    return json({ error: 'Too many requests' }, 429, { 'retry-after': '10' })
  account.window.used += 1

  const path = request.path.startsWith(BASE) ? request.path.slice(BASE.length) : ''
  for (const [method, pattern, answer] of ROUTES) {
    const match = method === request.method ? pattern.exec(path) : null
    if (match === null) continue
    const body = method === 'POST' ? ((await request.json()) as Context['body']) : {}
    return answer({ state, account, request, body, params: match.slice(1).map(decodeURIComponent) })
  }
  return json({ error: 'Not found' }, 404)
}

function readLists(context: Context): UpstreamReply {
  return page(
    context,
    context.account.lists.map(({ id, name, type, isPublic }) => ({ id, name, type, is_public: isPublic })),
  )
}

function createList({ state, account, body }: Context): UpstreamReply {
  const { name, type } = body
  if (typeof name !== 'string' || (type !== 'watchlist' && type !== 'custom'))
    return json({ error: 'Invalid list' }, 400)
  const list: List = { id: nextId(state), name, type, isPublic: body['is_public'] === true, rows: [] }
  account.lists.push(list)
  return json({ success: true, item: { id: list.id } }, 201)
}

function deleteList(context: Context): UpstreamReply {
  const list = listOf(context)
  context.account.lists = context.account.lists.filter((one) => one !== list)
  return list === undefined ? json({ error: 'Not found' }, 404) : json({ success: true })
}

function readItems(context: Context): UpstreamReply {
  const list = listOf(context)
  if (list === undefined) return json({ error: 'List not found' }, 404)
  return page(
    context,
    list.rows.map(({ id, work, atMs }) => ({ id, ...work, title: titleOf(context.state, work), created: iso(atMs) })),
  )
}

function addItem(context: Context): UpstreamReply {
  const { state } = context
  const list = listOf(context)
  const work = workOf(context)
  if (list === undefined || work === undefined) return json({ error: 'Not found' }, 404)
  if (list.rows.some((row) => isSame(row.work, work))) {
    return state.conflicts === 'status'
      ? json({ error: 'Conflict' }, 409)
      : json({ error: 'The item is already in the list' }, 400)
  }
  const row = { id: nextId(state), work, atMs: state.nowMs() }
  list.rows.push(row)
  return json({ success: true, item: { id: row.id } }, 201)
}

function removeItem(context: Context): UpstreamReply {
  const list = listOf(context)
  const before = list?.rows.length
  if (list !== undefined) list.rows = list.rows.filter(({ id }) => id !== context.params[1])
  return list === undefined || list.rows.length === before ? json({ error: 'Not found' }, 404) : json({ success: true })
}

function readWatched(context: Context): UpstreamReply {
  const newest = context.account.plays.toSorted((a, b) => b.atMs - a.atMs)
  const rows =
    context.request.query.get('dedupe') !== 'true'
      ? newest
      : [
          ...Map.groupBy(newest, ({ work }) =>
            [work.media_type, work.tmdb_id, work.season, work.episode].join('/'),
          ).values(),
        ].map(([first]) => first!)
  return page(
    context,
    rows.map(({ id, work, atMs }) => ({ id, ...work, title: titleOf(context.state, work), watched_at: iso(atMs) })),
  )
}

function addWatched(context: Context): UpstreamReply {
  const { state, account, body } = context
  const work = workOf(context)
  const atMs = Date.parse(String(body['watched_at']))
  if (work === undefined) return json({ error: 'Not found' }, 404)
  if (Number.isNaN(atMs)) return json({ error: 'watched_at is required' }, 422)
  const row = { id: nextId(state), work, atMs }
  account.plays.push(row)
  return json({ success: true, item: { id: row.id } }, 201)
}

/** Without episode numbers, all plays of the series are removed. */
function removeAllWatched({ account, request }: Context): UpstreamReply {
  const wanted = Object.fromEntries(request.query)
  if (wanted['tmdb_id'] === undefined || wanted['media_type'] === undefined) return json({ error: 'Bad request' }, 400)
  const isMeant = (work: Work) =>
    Object.entries(wanted).every(([name, value]) => String(work[name as keyof Work]) === value)
  const before = account.plays.length
  account.plays = account.plays.filter(({ work }) => !isMeant(work))
  const deleted = before - account.plays.length
  return deleted === 0 ? json({ error: 'Not found' }, 404) : json({ success: true, deleted })
}

function readResume(context: Context): UpstreamReply {
  return page(
    context,
    context.account.positions.map(({ id, work, positionMs, runtimeMs, atMs }) => ({
      id,
      ...work,
      title: titleOf(context.state, work),
      position_ms: positionMs,
      runtime_ms: runtimeMs,
      updated: iso(atMs),
    })),
  )
}

function setResume(context: Context): UpstreamReply {
  const { state, account, body } = context
  const work = workOf(context)
  const { position_ms: positionMs, runtime_ms: runtimeMs } = body
  if (work === undefined) return json({ error: 'Not found' }, 404)
  if (typeof positionMs !== 'number' || typeof runtimeMs !== 'number' || runtimeMs <= 0) {
    return json({ error: 'runtime_ms is required' }, 422)
  }
  const old = account.positions.find((row) => isSame(row.work, work))
  if (positionMs < LEAST_POSITION_MS) return json({ success: true, action: 'ignored', item: null })
  account.positions = account.positions.filter((row) => row !== old)
  if (positionMs >= runtimeMs * WATCHED_SHARE) {
    account.plays.push({ id: nextId(state), work, atMs: state.nowMs() })
    return json({ success: true, action: 'completed', item: null })
  }
  const row = { id: old?.id ?? nextId(state), work, positionMs, runtimeMs, atMs: state.nowMs() }
  account.positions.push(row)
  return json({ success: true, action: old === undefined ? 'created' : 'updated', item: { id: row.id } })
}

function removeFrom(account: Account, name: 'plays' | 'positions', id: string | undefined): UpstreamReply {
  const before = account[name].length
  if (name === 'plays') account.plays = account.plays.filter((row) => row.id !== id)
  else account.positions = account.positions.filter((row) => row.id !== id)
  return before === account[name].length ? json({ error: 'Not found' }, 404) : json({ success: true })
}

function listOf({ account, params }: Context): List | undefined {
  return account.lists.find(({ id }) => id === params[0])
}

/** The work in a body, if the service knows it. */
function workOf({ state, body }: Context): Work | undefined {
  const { tmdb_id: id, media_type: media, season, episode } = body
  if (typeof id !== 'number' || (media !== 'movie' && media !== 'tv')) return undefined
  const numbers = typeof season === 'number' && typeof episode === 'number' ? { season, episode } : {}
  const work: Work = { tmdb_id: id, media_type: media, ...numbers }
  return titleOf(state, work) === undefined ? undefined : work
}

function page({ state, request }: Context, rows: readonly object[]): UpstreamReply {
  const number = Math.max(1, Number(request.query.get('page') ?? 1))
  const perPage = Math.min(Number(request.query.get('perPage') ?? 30), state.pageRows)
  return json({
    page: number,
    perPage,
    totalItems: rows.length,
    totalPages: Math.ceil(rows.length / perPage),
    items: rows.slice((number - 1) * perPage, number * perPage),
  })
}

function iso(atMs: number): string {
  return new Date(atMs).toISOString()
}

function json(value: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): UpstreamReply {
  return { status, headers, json: value }
}
