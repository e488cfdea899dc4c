// Sends playback to Trakt, and finds unconfirmed plays. A report is sent once; the caller retries.
import { type Item, kindOf } from '@playhead/sdk/items'
import {
  mayBeWithin,
  type PlaybackDefinition,
  type PlaysRequest,
  sortPlays,
  uncertainPlays,
} from '@playhead/sdk/provider'
import { createScrobble, type ListRequest, type Name, PLAY_AT_PERCENT, resultOfAction } from '@playhead/trakt-dialect'
import { playItem } from './items.ts'
import { idsInTrakt } from './read/lookup.ts'
import { rowId } from './read/list.ts'
import { DIALECT } from './read/pages.ts'
import type { Session } from './session.ts'
import type { Row } from './wire.ts'
import { WRITES } from './write/features.ts'
import { namesOf, workOf } from './write/targets.ts'

const DAY_MS = 86_400_000
const IDS = ['tracka', 'imdb', 'tmdb', 'tvdb'] as const

const send = createScrobble<Session, Name>({
  unfinished: 'stop',
  namesOf: (item) => namesOf(item, true),
  findNames: async (session, item, signal) => {
    const kind = kindOf(item) === 'movie' ? 'movies' : 'episodes'
    return (await idsInTrakt(session, item, signal)).map((ids) => ({ kind, group: kind, ids }))
  },
  bodyOf: ({ session, item, name, percent }) => ({
    ...workOf(kindOf(item), name),
    progress: percent,
    app_version: session.account.ctx.host.version,
  }),
  refusals: { 422: () => ({ outcome: 'rejected', reason: 'refused_by_service' }) },
  judge: (answer, request) => resultOfAction(answer, request, { hasPlayId: true }),
  addPlay: WRITES.addPlay,
  done({ sizes }, { action }) {
    if (action !== 'start') for (const feature of ['history', 'watchlist'] as const) sizes.delete(feature)
  },
})

export const PLAYBACK: PlaybackDefinition<Session> = {
  scrobble: { kinds: ['movie', 'episode'], needsAnyId: IDS, playAtPercent: PLAY_AT_PERCENT, send },
  plays,
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
