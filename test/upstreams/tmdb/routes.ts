// The route table, and the order of checks for a request.
import { readImage } from './images.ts'
import { readRated, readStates, readWatchlist, rateWork, unrateWork, writeWatchlist } from './lists.ts'
import { findByExternal, readDetails, readEpisode, readExternalIds, readImages, readSeason, search } from './lookups.ts'
import {
  addToOwnList,
  createOwnList,
  deleteOwnList,
  readOwnList,
  readOwnLists,
  removeFromOwnList,
} from './own-lists.ts'
import { type Answer, coded, Refusal, refuse, type Reply, type Request } from './replies.ts'
import { checkKey, endSession, newRequestToken, newSession, readAccount } from './sign-in.ts'
import type { State } from './state.ts'

const ROUTES: readonly (readonly [method: string, path: RegExp, answer: Answer])[] = [
  ['GET', /^\/authentication$/, checkKey],
  [
    'GET',
    /^\/configuration$/,
    () => ({ status: 200, json: { images: { secure_base_url: 'https://image.tmdb.org/t/p/' } } }),
  ],
  ['GET', /^\/authentication\/token\/new$/, newRequestToken],
  ['POST', /^\/authentication\/session\/new$/, newSession],
  ['DELETE', /^\/authentication\/session$/, endSession],
  ['GET', /^\/account$/, readAccount],
  ['GET', /^\/account\/(\d+)\/watchlist\/(movies|tv)$/, readWatchlist],
  ['POST', /^\/account\/(\d+)\/watchlist$/, writeWatchlist],
  ['GET', /^\/account\/(\d+)\/rated\/(movies|tv\/episodes|tv)$/, readRated],
  ['GET', /^\/account\/(\d+)\/lists$/, readOwnLists],
  ['POST', /^\/list$/, createOwnList],
  ['GET', /^\/list\/(\d+)$/, readOwnList],
  ['DELETE', /^\/list\/(\d+)$/, deleteOwnList],
  ['POST', /^\/list\/(\d+)\/add_item$/, addToOwnList],
  ['POST', /^\/list\/(\d+)\/remove_item$/, removeFromOwnList],
  ['POST', /^\/(movie|tv)\/(\d+)(?:\/season\/(\d+)\/episode\/(\d+))?\/rating$/, rateWork],
  ['DELETE', /^\/(movie|tv)\/(\d+)(?:\/season\/(\d+)\/episode\/(\d+))?\/rating$/, unrateWork],
  ['GET', /^\/(movie|tv)\/(\d+)(?:\/season\/(\d+)\/episode\/(\d+))?\/account_states$/, readStates],
  ['GET', /^\/tv\/(\d+)\/season\/(\d+)\/episode\/(\d+)$/, readEpisode],
  ['GET', /^\/tv\/(\d+)\/season\/(\d+)$/, readSeason],
  ['GET', /^\/(movie|tv)\/(\d+)$/, readDetails],
  ['GET', /^\/(movie|tv)\/(\d+)\/external_ids$/, readExternalIds],
  ['GET', /^\/(movie|tv)\/(\d+)\/images$/, readImages],
  ['GET', /^\/find\/([^/]+)$/, findByExternal],
  ['GET', /^\/search\/(movie|tv|multi)$/, search],
]

export async function handle(state: State, request: Request): Promise<Reply> {
  const image = readImage(state, request.path)
  if (image !== undefined) return image
  try {
    if (!request.path.startsWith('/3/')) return coded(34)
    checkApplication(state, request)
    takeRequest(state)
    const path = request.path.slice('/3'.length)
    const [, pattern, answer] =
      ROUTES.find(([method, one]) => method === request.method && one.test(path)) ?? refuse(34)
    const params = (pattern.exec(path) ?? [])
      .slice(1)
      .filter((param) => param !== undefined)
      .map(decodeURIComponent)
    const body: unknown = (await request.body()).length === 0 ? {} : await request.json()
    return answer({ state, request, params, body: body as Readonly<Record<string, unknown>> })
  } catch (error) {
    if (error instanceof Refusal) return error.reply
    throw error
  }
}

function checkApplication(state: State, { query, headers }: Request): void {
  const isKnown = query.get('api_key') === state.apiKey || headers.authorization === `Bearer ${state.bearer}`
  if (!isKnown) refuse(7)
}

function takeRequest({ window, perSecond, nowMs }: State): void {
  if (perSecond === undefined) return
  if (window.endsAtMs <= nowMs()) Object.assign(window, { endsAtMs: nowMs() + 1_000, used: 0 })
  window.used += 1
  if (window.used > perSecond) refuse(25, { 'retry-after': '1' })
}
