// Sends playback to MDBList, and finds unconfirmed plays. A report is sent once; the caller retries.
import type { Item } from '@playhead/sdk'
import {
  alreadyPlayed,
  certainPlays,
  isPlay,
  mayBeWithin,
  playAdded,
  type PlaybackDefinition,
  type PlaysRequest,
  playToAdd,
  readConfirmation,
  type ScrobbleRequest,
  type ScrobbleResult,
  type ScrobbleStep,
  scrobbleStep,
  uncertainPlays,
} from '@playhead/sdk/provider'
import { IDS } from './features.ts'
import { readRecentPlays } from './read/read.ts'
import type { Session } from './session.ts'
import { Fields } from './wire.ts'
import { WRITES } from './write/features.ts'
import { plausible, type ScrobbleName, scrobbleNamesOf } from './write/targets.ts'

const PLAY_AT_PERCENT = 80
const DAY_MS = 86_400_000
const REFUSED = [400, 422]
const ACCEPTED = [404, 409, ...REFUSED]

export const PLAYBACK: PlaybackDefinition<Session> = {
  scrobble: { kinds: ['movie', 'episode'], needsAnyId: IDS, playAtPercent: PLAY_AT_PERCENT, smooth: true, send },
  plays,
}

async function send(session: Session, request: ScrobbleRequest, signal: AbortSignal): Promise<ScrobbleResult> {
  const step = scrobbleStep(request, { playAtPercent: PLAY_AT_PERCENT, unfinished: 'pause' })
  if (step.type === 'nothing') return { outcome: 'applied' }
  const item = plausible(request.item)
  if (step.type === 'history') {
    const play = playToAdd({ ...request, item })
    return playAdded(await WRITES.addPlay(session, play, signal), play)
  }
  try {
    return await session.scrobbled.send(item, scrobbleNamesOf(item), (name) =>
      call(session, { name, step, request }, signal),
    )
  } finally {
    session.activities.drop()
  }
}

interface Call {
  readonly name: ScrobbleName
  readonly step: Extract<ScrobbleStep, { readonly type: 'call' }>
  readonly request: ScrobbleRequest
}

async function call(session: Session, { name, step, request }: Call, signal: AbortSignal): Promise<ScrobbleResult> {
  const { ctx, profile } = session.account
  const answer = await session.writes.request({
    method: 'POST',
    path: `/scrobble/${step.action}`,
    json: { ...name, progress: step.percent, app_version: ctx.host.version },
    accept: ACCEPTED,
    // Longer pauses are reported to the caller instead of awaited.
    timeoutMs: profile.timeout * 1_000,
    signal,
  })
  const { status } = answer
  if (!ACCEPTED.includes(status)) {
    if (!isPlay(request)) {
      await readConfirmation(answer)
      return { outcome: 'applied' }
    }
    // An empty response does not prove a play.
    await answer.json(Fields)
    return { outcome: 'applied', play: { watchedAtMs: null } }
  }
  const text = await answer.text()
  if (status === 409) return alreadyPlayed(text, request)
  if (REFUSED.includes(status)) return { outcome: 'rejected', reason: 'refused_by_service' }
  return { outcome: 'not_found', reason: 'not_found' }
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
