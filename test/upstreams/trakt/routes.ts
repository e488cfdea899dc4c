// The route table, and the order of checks for a request.
import { readActivities } from './activities.ts'
import type { Context } from './context.ts'
import { authenticate, checkApplication, checkForm, takeRequest } from './gate.ts'
import { readDropped } from './hidden.ts'
import { addToHistory, readHistory, removeFromHistory } from './history.ts'
import {
  addToList,
  createList,
  deleteList,
  readListItems,
  readLists,
  removeFromList,
  reorderList,
  updateList,
} from './lists.ts'
import { lookUp, readMovie, readSeasons, readShow } from './lookups.ts'
import { OAUTH_ROUTES } from './oauth.ts'
import type { RateLimits } from './plans.ts'
import { readPlayback, removePlayback, scrobble } from './playback.ts'
import { addRatings, readRatings, removeRatings } from './ratings.ts'
import { Refusal, refuse, type Reply, type Request } from './replies.ts'
import { readSettings } from './settings.ts'
import type { State } from './state.ts'
import { addToWatchlist, noteOnWatchlist, readWatchlist, removeFromWatchlist, reorderWatchlist } from './watchlist.ts'
import { readWatched } from './watched.ts'

interface Route {
  readonly method: string
  readonly path: RegExp
  readonly answer: (context: Context) => Reply
}

const ROUTES: readonly Route[] = [
  { method: 'GET', path: /^\/users\/settings$/, answer: readSettings },
  { method: 'GET', path: /^\/users\/hidden\/dropped$/, answer: readDropped },
  { method: 'GET', path: /^\/sync\/last_activities$/, answer: readActivities },
  { method: 'GET', path: /^\/sync\/watchlist(?:\/([a-z]+)(?:\/([a-z]+)\/([a-z]+))?)?$/, answer: readWatchlist },
  { method: 'POST', path: /^\/sync\/watchlist$/, answer: addToWatchlist },
  { method: 'POST', path: /^\/sync\/watchlist\/remove$/, answer: removeFromWatchlist },
  { method: 'POST', path: /^\/sync\/watchlist\/reorder$/, answer: reorderWatchlist },
  { method: 'PUT', path: /^\/sync\/watchlist\/(\d+)$/, answer: noteOnWatchlist },
  { method: 'GET', path: /^\/users\/me\/lists$/, answer: readLists },
  { method: 'POST', path: /^\/users\/me\/lists$/, answer: createList },
  { method: 'PUT', path: /^\/users\/me\/lists\/([^/]+)$/, answer: updateList },
  { method: 'DELETE', path: /^\/users\/me\/lists\/([^/]+)$/, answer: deleteList },
  {
    method: 'GET',
    path: /^\/users\/me\/lists\/([^/]+)\/items(?:\/([a-z,]+)(?:\/([a-z]+)\/([a-z]+))?)?$/,
    answer: readListItems,
  },
  { method: 'POST', path: /^\/users\/me\/lists\/([^/]+)\/items$/, answer: addToList },
  { method: 'POST', path: /^\/users\/me\/lists\/([^/]+)\/items\/remove$/, answer: removeFromList },
  { method: 'POST', path: /^\/users\/me\/lists\/([^/]+)\/items\/reorder$/, answer: reorderList },
  { method: 'GET', path: /^\/sync\/history(?:\/([a-z]+)(?:\/([^/]+))?)?$/, answer: readHistory },
  { method: 'POST', path: /^\/sync\/history$/, answer: addToHistory },
  { method: 'POST', path: /^\/sync\/history\/remove$/, answer: removeFromHistory },
  { method: 'GET', path: /^\/sync\/watched\/([a-z]+)$/, answer: readWatched },
  { method: 'GET', path: /^\/sync\/ratings(?:\/([a-z]+)(?:\/([\d,]+))?)?$/, answer: readRatings },
  { method: 'POST', path: /^\/sync\/ratings$/, answer: addRatings },
  { method: 'POST', path: /^\/sync\/ratings\/remove$/, answer: removeRatings },
  { method: 'GET', path: /^\/sync\/playback(?:\/([a-z]+))?$/, answer: readPlayback },
  { method: 'DELETE', path: /^\/sync\/playback\/(\d+)$/, answer: removePlayback },
  { method: 'POST', path: /^\/scrobble\/(start|pause|stop)$/, answer: scrobble },
  { method: 'GET', path: /^\/search\/(trakt|imdb|tmdb|tvdb)\/([^/]+)$/, answer: lookUp },
  { method: 'GET', path: /^\/movies\/([^/]+)$/, answer: readMovie },
  { method: 'GET', path: /^\/shows\/([^/]+)$/, answer: readShow },
  { method: 'GET', path: /^\/shows\/([^/]+)\/seasons$/, answer: readSeasons },
]

export interface Rules {
  /** `undefined`: unlimited. */
  readonly rateLimits: RateLimits | undefined
  readonly overLimit: Context['overLimit']
}

export async function handle(state: State, rules: Rules, request: Request): Promise<Reply> {
  const body = await readBody(request)
  try {
    return answer(state, rules, request, body)
  } catch (error) {
    if (error instanceof Refusal) return error.reply
    throw error
  }
}

function answer(state: State, rules: Rules, request: Request, body: unknown): Reply {
  checkForm(request)
  const members = isRecord(body) ? body : refuse(400)
  const oauth = Object.hasOwn(OAUTH_ROUTES, request.path) ? OAUTH_ROUTES[request.path] : undefined
  if (oauth !== undefined) return request.method === 'POST' ? oauth(state, members) : refuse(405)
  checkApplication(state, request)
  const account = authenticate(state, request)
  const nowMs = state.nowMs()
  if (rules.rateLimits !== undefined) takeRequest(account, request.method, rules.rateLimits, nowMs)
  const here = ROUTES.filter(({ path }) => path.test(request.path))
  const route = here.find(({ method }) => method === request.method) ?? refuse(here.length === 0 ? 404 : 405)
  const params = (route.path.exec(request.path) ?? [])
    .slice(1)
    .filter((param) => param !== undefined)
    .map(decodeURIComponent)
  return route.answer({ state, account, request, params, body: members, nowMs, overLimit: rules.overLimit })
}

async function readBody(request: Request): Promise<unknown> {
  return (await request.body()).length === 0 ? {} : await request.json()
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
