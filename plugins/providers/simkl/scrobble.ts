// Sends playback to SIMKL. A report is sent once; the caller retries. Lost responses are settled by reading the history: the
// library is updated with recent changes. SIMKL has one time for each work, so no play is recorded twice.
import { isPlay, type PlaybackDefinition } from '@playhead/sdk/provider'
import { createScrobble, PLAY_AT_PERCENT, resultOfAction } from '@playhead/trakt-dialect'
import { IDS } from './features.ts'
import { PARTS } from './read/entries.ts'
import type { Session } from './session.ts'
import { addPlay } from './write/history.ts'
import { type ScrobbleName, scrobbleNamesOf } from './write/targets.ts'

/** Only a completed stop may count as a play. */
const MOST_UNFINISHED_PERCENT = 79.99
/** SIMKL processes the scrobbles of an account one by one, and times out after this duration. */
const BUSY_MS = 20_000

const send = createScrobble<Session, ScrobbleName>({
  unfinished: 'pause',
  namesOf: scrobbleNamesOf,
  bodyOf: ({ name, percent, request }) => ({
    ...name,
    progress: isPlay(request) ? percent : Math.min(percent, MOST_UNFINISHED_PERCENT),
  }),
  refusals: {
    400: () => ({ outcome: 'failed', reason: 'busy', retryAfterMs: BUSY_MS }),
    423(headers) {
      const seconds = Number(headers['retry-after'] ?? Number.NaN)
      const retryAfterMs = Number.isFinite(seconds) && seconds >= 0 ? Math.ceil(seconds * 1_000) : BUSY_MS
      return { outcome: 'rate_limited', reason: 'locked', retryAfterMs }
    },
  },
  judge: (answer, request) => resultOfAction(answer, request, { hasPlayId: false }),
  addPlay,
  done({ library, now }, { action }) {
    if (action === 'stop') library.expect(PARTS, now())
  },
})

export const PLAYBACK: PlaybackDefinition<Session> = {
  scrobble: { kinds: ['movie', 'episode'], needsAnyId: IDS, playAtPercent: PLAY_AT_PERCENT, smooth: true, send },
}
