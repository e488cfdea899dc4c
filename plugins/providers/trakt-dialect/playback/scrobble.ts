// Sends playback to a tracker. A report is sent once; the caller retries.
import { defined, Type, type UpstreamAnswer } from '@playhead/sdk'
import type { Item } from '@playhead/sdk/items'
import {
  alreadyPlayed,
  idText,
  isPlay,
  type NamesInTurn,
  playAdded,
  playToAdd,
  type ScrobbleRequest,
  type ScrobbleResult,
  type ScrobbleStep,
  scrobbleStep,
  type ScrobbleSteps,
  type WriteResult,
} from '@playhead/sdk/provider'
import type { TrackerSession } from '../session.ts'

/** Trackers record a stop as a play from this position. */
export const PLAY_AT_PERCENT = 80

/** The service recorded a completed playback as a pause: its play is added to the history. */
const NOT_RECORDED: ScrobbleResult = { outcome: 'rejected', reason: 'not_recorded' }

interface ScrobbleSession<Name> extends Pick<TrackerSession, 'account' | 'writes' | 'activities'> {
  /** The name with which the service last found each item. */
  readonly scrobbled: NamesInTurn<Name>
}

type Call = Extract<ScrobbleStep, { readonly type: 'call' }>

export interface ScrobbleDialect<Session, Name> {
  /** As in `ScrobbleSteps`. */
  readonly unfinished: ScrobbleSteps['unfinished']
  /** Converts the item for sending. Default: unchanged. */
  readonly itemOf?: (item: Item) => Item
  /** Identifications of an item, most reliable first. */
  readonly namesOf: (item: Item) => readonly Name[]
  /** Further identifications, for a service that knows none of the previous ones. */
  readonly findNames?: (session: Session, item: Item, signal: AbortSignal) => Promise<readonly Name[]>
  readonly bodyOf: (call: {
    readonly session: Session
    readonly item: Item
    readonly name: Name
    readonly percent: number
    readonly request: ScrobbleRequest
  }) => object
  /** Meanings of statuses other than 404 and 409. */
  readonly refusals: Readonly<Record<number, (headers: UpstreamAnswer['headers']) => ScrobbleResult>>
  /** The result of a success. */
  readonly judge: (answer: UpstreamAnswer, request: ScrobbleRequest) => Promise<ScrobbleResult>
  readonly addPlay: (session: Session, play: Item, signal: AbortSignal) => Promise<WriteResult>
  /** Called after each call, also a failed one. */
  readonly done?: (session: Session, step: Call) => void
}

/** The `send` of a `ScrobbleSupport`. */
export function createScrobble<Session extends ScrobbleSession<Name>, Name extends NonNullable<unknown>>(
  dialect: ScrobbleDialect<Session, Name>,
): (session: Session, request: ScrobbleRequest, signal: AbortSignal) => Promise<ScrobbleResult> {
  const { itemOf = (item) => item, findNames, refusals } = dialect
  const accept = [404, 409, ...Object.keys(refusals).map(Number)]

  return async (session, request, signal) => {
    const step = scrobbleStep(request, { playAtPercent: PLAY_AT_PERCENT, unfinished: dialect.unfinished })
    if (step.type === 'nothing') return { outcome: 'applied' }
    const item = itemOf(request.item)
    if (step.type === 'history') return add()
    try {
      const more = findNames && (() => findNames(session, item, signal))
      const result = await session.scrobbled.send(item, dialect.namesOf(item), (name) => call(name, step), more)
      return result === NOT_RECORDED ? await add() : result
    } finally {
      session.activities.drop()
      dialect.done?.(session, step)
    }

    async function add(): Promise<ScrobbleResult> {
      const play = playToAdd({ ...request, item })
      return playAdded(await dialect.addPlay(session, play, signal), play)
    }

    async function call(name: Name, { action, percent }: Call): Promise<ScrobbleResult> {
      const answer = await session.writes.request({
        method: 'POST',
        path: `/scrobble/${action}`,
        json: dialect.bodyOf({ session, item, name, percent, request }),
        accept,
        // Longer pauses are reported to the caller instead of awaited.
        timeoutMs: session.account.profile.timeout * 1_000,
        signal,
      })
      const { status, headers } = answer
      if (!accept.includes(status)) return dialect.judge(answer, request)
      const text = await answer.text()
      if (status === 409) return alreadyPlayed(text, request)
      return refusals[status]?.(headers) ?? { outcome: 'not_found', reason: 'not_found' }
    }
  }
}

/** A proxy page may have a success status; only the service returns the action. */
export const Scrobbled = Type.Object({ action: Type.String(), id: Type.Optional(Type.Unknown()) })

/** The result of a success by its action. The response may contain the id of the play, but not its time. */
export async function resultOfAction(
  answer: UpstreamAnswer,
  request: ScrobbleRequest,
  { hasPlayId }: { readonly hasPlayId: boolean },
): Promise<ScrobbleResult> {
  const { action, id } = await answer.json(Scrobbled)
  if (action !== 'scrobble') return isPlay(request) ? NOT_RECORDED : { outcome: 'applied' }
  const eventId = hasPlayId ? idText(id) : undefined
  return { outcome: 'applied', play: { watchedAtMs: null, ...defined({ eventId }) } }
}
