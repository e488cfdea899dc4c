// Sends playback to SIMKL. A report is sent once; the caller retries. Lost responses are settled by reading the history: the
// library is updated with recent changes. SIMKL has one time for each work, so no play is recorded twice.
import {
  alreadyPlayed,
  isPlay,
  playAdded,
  type PlaybackDefinition,
  playToAdd,
  type ScrobbleRequest,
  type ScrobbleResult,
  type ScrobbleStep,
  scrobbleStep,
} from '@playhead/sdk/provider'
import { IDS } from './features.ts'
import { PARTS } from './read/entries.ts'
import type { Session } from './session.ts'
import { Scrobble } from './wire.ts'
import { addPlay } from './write/history.ts'
import { type ScrobbleName, scrobbleNamesOf } from './write/targets.ts'

const PLAY_AT_PERCENT = 80
/** Only a completed stop may count as a play. */
const MOST_UNFINISHED_PERCENT = 79.99
/** SIMKL processes the scrobbles of an account one by one, and times out after this duration. */
const BUSY_MS = 20_000
const ACCEPTED = [400, 404, 409, 423]
/** SIMKL recorded a completed playback as a pause. */
const NOT_RECORDED: ScrobbleResult = { outcome: 'rejected', reason: 'not_recorded' }

export const PLAYBACK: PlaybackDefinition<Session> = {
  scrobble: { kinds: ['movie', 'episode'], needsAnyId: IDS, playAtPercent: PLAY_AT_PERCENT, smooth: true, send },
}

async function send(session: Session, request: ScrobbleRequest, signal: AbortSignal): Promise<ScrobbleResult> {
  const step = scrobbleStep(request, { playAtPercent: PLAY_AT_PERCENT, unfinished: 'pause' })
  if (step.type === 'nothing') return { outcome: 'applied' }
  if (step.type === 'history') return add(session, request, signal)
  try {
    const result = await session.scrobbled.send(request.item, scrobbleNamesOf(request.item), (name) =>
      call(session, { name, step, request }, signal),
    )
    return result === NOT_RECORDED ? await add(session, request, signal) : result
  } finally {
    session.activities.drop()
    if (step.action === 'stop') session.library.expect(PARTS, session.now())
  }
}

interface Call {
  readonly name: ScrobbleName
  readonly step: Extract<ScrobbleStep, { readonly type: 'call' }>
  readonly request: ScrobbleRequest
}

async function call(session: Session, { name, step, request }: Call, signal: AbortSignal): Promise<ScrobbleResult> {
  const completes = isPlay(request)
  const answer = await session.upstream.request({
    method: 'POST',
    path: `/scrobble/${step.action}`,
    json: { ...name, progress: completes ? step.percent : Math.min(step.percent, MOST_UNFINISHED_PERCENT) },
    accept: ACCEPTED,
    // Longer pauses are reported to the caller instead of awaited.
    timeoutMs: session.account.profile.timeout * 1_000,
    signal,
  })
  const { status, headers } = answer
  if (!ACCEPTED.includes(status)) {
    // A proxy page may have a success status; only SIMKL returns the action.
    const { action } = await answer.json(Scrobble)
    if (action === 'scrobble') return { outcome: 'applied', play: { watchedAtMs: null } }
    return completes ? NOT_RECORDED : { outcome: 'applied' }
  }
  const text = await answer.text()
  if (status === 409) return alreadyPlayed(text, request)
  if (status === 404) return { outcome: 'not_found', reason: 'not_found' }
  if (status === 400) return { outcome: 'failed', reason: 'busy', retryAfterMs: BUSY_MS }
  const seconds = Number(headers['retry-after'] ?? Number.NaN)
  const retryAfterMs = Number.isFinite(seconds) && seconds >= 0 ? Math.ceil(seconds * 1_000) : BUSY_MS
  return { outcome: 'rate_limited', reason: 'locked', retryAfterMs }
}

async function add(session: Session, request: ScrobbleRequest, signal: AbortSignal): Promise<ScrobbleResult> {
  const play = playToAdd(request)
  return playAdded(await addPlay(session, play, signal), play)
}
