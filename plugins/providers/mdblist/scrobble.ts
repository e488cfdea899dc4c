// Sends playback to MDBList, and finds unconfirmed plays. A report is sent once; the caller retries.
import type { Item } from '@playhead/sdk'
import {
  certainPlays,
  isPlay,
  mayBeWithin,
  type PlaybackDefinition,
  type PlaysRequest,
  readConfirmation,
  type ScrobbleResult,
  uncertainPlays,
} from '@playhead/sdk/provider'
import { createScrobble, PLAY_AT_PERCENT } from '@playhead/trakt-dialect'
import { IDS } from './features.ts'
import { readRecentPlays } from './read/read.ts'
import type { Session } from './session.ts'
import { Fields } from './wire.ts'
import { WRITES } from './write/features.ts'
import { plausible, type ScrobbleName, scrobbleNamesOf } from './write/targets.ts'

const DAY_MS = 86_400_000

const refused = (): ScrobbleResult => ({ outcome: 'rejected', reason: 'refused_by_service' })

const send = createScrobble<Session, ScrobbleName>({
  unfinished: 'pause',
  itemOf: plausible,
  namesOf: scrobbleNamesOf,
  bodyOf: ({ session, name, percent }) => ({
    ...name,
    progress: percent,
    app_version: session.account.ctx.host.version,
  }),
  refusals: { 400: refused, 422: refused },
  async judge(answer, request) {
    // An empty response does not prove a play.
    await (isPlay(request) ? answer.json(Fields) : readConfirmation(answer))
    return { outcome: 'applied', ...(isPlay(request) ? { play: { watchedAtMs: null } } : {}) }
  },
  addPlay: WRITES.addPlay,
})

export const PLAYBACK: PlaybackDefinition<Session> = {
  scrobble: { kinds: ['movie', 'episode'], needsAnyId: IDS, playAtPercent: PLAY_AT_PERCENT, smooth: true, send },
  plays,
}

/** The plays since the previous day, whether the service counts from the play or from its recording. */
async function plays(session: Session, request: PlaysRequest, signal: AbortSignal): Promise<readonly Item[]> {
  const { rows, reason } = await readRecentPlays(
    session,
    request.fromMs - DAY_MS,
    (watchedAt) => mayBeWithin(watchedAt, request),
    signal,
  )
  if (reason !== undefined) throw uncertainPlays()
  return certainPlays(rows, request)
}
