// The route table, and the order of checks for a request.
import type { UpstreamReply, UpstreamRequest } from '../base/index.ts'
import { lookUp, readActivities, readAll, readPlayback, readRatings } from './reads.ts'
import { askPin, authenticate, exchangeV1, revoke, startDevice, startPin, token } from './sign-in.ts'
import type { Account, State } from './state.ts'
import type { Part } from './works.ts'
import {
  addRatings,
  addToHistory,
  addToList,
  removeFromHistory,
  removePaused,
  removeRatings,
  scrobble,
  type Write,
} from './writes.ts'

const WRITES: Readonly<Record<string, (write: Write) => UpstreamReply>> = {
  '/sync/history': addToHistory,
  '/sync/history/remove': removeFromHistory,
  '/sync/add-to-list': addToList,
  '/sync/ratings': addRatings,
  '/sync/ratings/remove': removeRatings,
  '/scrobble/start': (write) => scrobble(write, 'start'),
  '/scrobble/pause': (write) => scrobble(write, 'pause'),
  '/scrobble/stop': (write) => scrobble(write, 'stop'),
}
const OAUTH = { device: startDevice, token, revoke } as const
/** Reads that use POST. */
const QUESTIONS: readonly string[] = ['/users/settings', '/sync/activities', '/sync/watched']
const BLOCK_MS = 60_000
const READS_A_SECOND = 10
const MOST_LOOKED_UP = 100

export async function handle(state: State, hasLimits: boolean, request: UpstreamRequest): Promise<UpstreamReply> {
  const { method, path, headers, query } = request
  const isNamed = query.has('app-name') && query.has('app-version') && (headers['user-agent'] ?? '') !== ''
  if (state.isSuspended || !isNamed) return { status: 412, json: { error: 'client_id_failed' } }
  const oauth = /^\/oauth2\/(device|token|revoke)$/.exec(path)?.[1] as keyof typeof OAUTH | undefined
  if (oauth !== undefined && method === 'POST') {
    // Only form bodies are read.
    const isForm = String(headers['content-type'] ?? '').startsWith('application/x-www-form-urlencoded')
    return OAUTH[oauth](state, isForm ? Object.fromEntries(new URLSearchParams((await request.body()).toString())) : {})
  }
  const id = query.get('client_id') ?? headers['simkl-api-key']
  if (id !== state.clientId && id !== state.v1ClientId) return { status: 412, json: { error: 'client_id_failed' } }
  const text = await request.body()
  const body: unknown = text.length === 0 ? {} : await request.json()
  if (path.startsWith('/oauth/') && id === state.clientId)
    return { status: 400, json: { error: 'unauthorized_client' } }
  const pin = /^\/oauth\/pin(?:\/([^/]+))?$/.exec(path)
  if (pin !== null && method === 'GET')
    return pin[1] === undefined ? startPin(state) : askPin(state, decodeURIComponent(pin[1]))
  if (path === '/oauth/token' && method === 'POST') return exchangeV1(state, body as Readonly<Record<string, unknown>>)

  const [scheme, access = ''] = String(headers.authorization ?? '').split(' ')
  const found = scheme === 'Bearer' ? authenticate(state, access, id) : undefined
  if (found === undefined) return { status: 401, json: { error: 'user_token_failed' } }
  const isWrite = method !== 'GET' && !QUESTIONS.includes(path)
  if (isWrite && !found.scopes.includes('media:write')) return { status: 403, json: { error: 'insufficient_scope' } }
  const { account } = found
  const limited = hasLimits ? limit(state, method) : undefined
  return limited ?? answer(state, account, request, body)
}

function answer(state: State, account: Account, request: UpstreamRequest, body: unknown): UpstreamReply {
  const { method, path } = request
  const nowMs = state.nowMs()
  if (path === '/users/settings' && method === 'POST') {
    const { id, name, plan } = account
    return {
      status: 200,
      json: {
        user: { name, joined_at: '2020-01-01T00:00:00Z' },
        account: { id, timezone: 'Europe/Amsterdam', type: plan },
        connections: {},
      },
    }
  }
  if (path === '/sync/activities') return readActivities(account)
  const all = /^\/sync\/all-items\/(movies|shows|anime)(?:\/(\w+))?$/.exec(path)
  if (all !== null && method === 'GET') return readAll(state, account, all[1] as Part, all[2], request)
  const ratings = /^\/sync\/ratings\/(movies|shows|anime)$/.exec(path)
  if (ratings !== null) return readRatings(account, ratings[1] as Part, request)
  if (path === '/sync/playback' && method === 'GET') return readPlayback(account, nowMs)
  const paused = /^\/sync\/playback\/(\d+)$/.exec(path)
  if (paused !== null && method === 'DELETE') return removePaused(account, paused[1] as string, nowMs)
  if (method !== 'POST') return { status: 404, json: { error: 'url_failed' } }
  if (path === '/sync/watched') {
    return Array.isArray(body) && body.length <= MOST_LOOKED_UP
      ? lookUp(state, account, body)
      : { status: 400, json: { error: 'empty_field' } }
  }
  const write = WRITES[path]
  if (write === undefined) return { status: 404, json: { error: 'url_failed' } }
  return write({ state, account, body: body as Write['body'], nowMs })
}

/** Reads are limited per second; writing too fast blocks writes for a while. */
function limit({ windows, nowMs }: State, method: string): UpstreamReply | undefined {
  const now = nowMs()
  const second = Math.floor(now / 1_000)
  if (windows.second !== second) Object.assign(windows, { second, reads: 0, writes: 0 })
  const refused = { status: 429, headers: { 'retry-after': '1' }, json: { error: 'rate_limit' } }
  if (method === 'GET') return (windows.reads += 1) > READS_A_SECOND * 2 ? refused : undefined
  if (now < windows.blockedUntilMs)
    return { ...refused, headers: { 'retry-after': String(Math.ceil((windows.blockedUntilMs - now) / 1_000)) } }
  // Client and server seconds start at different times.
  if ((windows.writes += 1) <= 2) return undefined
  windows.blockedUntilMs = now + BLOCK_MS
  return { ...refused, headers: { 'retry-after': String(BLOCK_MS / 1_000) } }
}
