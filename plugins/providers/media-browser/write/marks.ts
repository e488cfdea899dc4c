// Writes plays, positions and favourites. A play goes to all copies of a work, a position to the copy in use, a
// favourite to the first copy unless one is marked; removals go to all copies.
import { isPlayheadError, type Item } from '@playhead/sdk'
import {
  type ItemOutcome,
  outcomeOfError,
  writeInTurn,
  type WriteItem,
  type WriteRequest,
  type WriteResult,
} from '@playhead/sdk/provider'
import { positionMsOf } from '../items.ts'
import type { Mark } from '../marks.ts'
import { readPlayedItems } from '../playback/playing.ts'
import { CONCURRENCY, type Session } from '../session.ts'
import { favouriteStep, historyStep, progressStep, type Step, type Wish } from './steps.ts'
import { sharedFiles } from './shared-files.ts'
import { findTargets, type Target, withoutTarget } from './targets.ts'
import type { UserData } from '../wire.ts'

type Choose = (targets: readonly Target[]) => readonly Target[]

const all: Choose = (targets) => targets
const inProgress: Choose = (targets) => [targets.find(({ data }) => positionMsOf(data) > 0) ?? targets[0]!]
const marked: Choose = (targets) => [targets.find(({ data }) => data.IsFavorite === true) ?? targets[0]!]

interface Kind {
  readonly decide: (wish: Wish, target: Target) => Step
  /** Chooses the copies to change for an addition. */
  readonly addTo: Choose
  /** Libraries configured for this feature. */
  readonly libraries: (session: Session) => readonly string[]
  /** While an item is played, the player overwrites any write to it. */
  readonly waitsForPlayers?: true
}

const KINDS = {
  history: { decide: historyStep, addTo: all, libraries: ({ profile }) => profile.history.libraries },
  progress: {
    decide: progressStep,
    addTo: inProgress,
    libraries: ({ profile }) => profile.progress.libraries,
    waitsForPlayers: true,
  },
  watchlist: { decide: favouriteStep, addTo: marked, libraries: () => [] },
} as const satisfies Record<string, Kind>

/** Begins to read the index that writes look up their items in. If this fails, the first write reports it. */
export function readAhead(session: Session, feature: Mark['feature'], signal: AbortSignal): void {
  const { libraries }: Kind = KINDS[feature]
  session
    .library(libraries(session))
    .ready(signal)
    .catch(() => {})
}

/** Stop after this many consecutive requests without a response. */
const MAX_UNANSWERED = CONCURRENCY * 2

export async function writeMarks(session: Session, request: WriteRequest, signal: AbortSignal): Promise<WriteResult> {
  const { decide, addTo, libraries, waitsForPlayers }: Kind = KINDS[request.feature as keyof typeof KINDS]
  const { userId } = await session.identity()
  const isHistory = request.feature === 'history'
  const found = await findTargets(session, libraries(session), request.items, signal, isHistory)
  const files = isHistory ? await session.turns.shared(() => sharedFiles(session, userId, request, found)) : undefined
  let unanswered = 0
  let played: Promise<ReadonlySet<string>> | undefined

  async function write(item: WriteItem): Promise<ItemOutcome> {
    const place = found.get(item.key)!
    if ('reason' in place) return withoutTarget(place)
    const { dialect, actsAsUser, profile } = session
    const savesForOther = actsAsUser && profile.access_token !== '' && dialect.savesForToken
    const wish: Wish = { op: request.op, write: item, userId, dialect, nowMs: Date.now(), savesForOther }
    const steps: Step[] = []
    const shared: Target[] = []
    for (const target of request.op === 'remove' ? place.targets : addTo(place.targets))
      if (target.entry.episodes.length > 1) shared.push(target)
      else steps.push(decide(wish, target))
    if (waitsForPlayers === true && steps.some((step) => 'send' in step)) {
      played ??= readPlayedItems(session, signal)
      const ids = await played
      if (place.targets.some(({ entry }) => ids.has(entry.id))) return { outcome: 'failed', reason: 'active_session' }
    }
    let outcome: ItemOutcome | undefined
    for (const step of steps) outcome = worse(outcome, await carryOut(step))
    for (const target of shared)
      outcome = worse(
        outcome,
        files === undefined
          ? await carryOut(decide(wish, target))
          : await files.write(target, (at) =>
              carryOut(decide({ ...wish, write: { ...item, item: withTime(item.item, at) } }, target)),
            ),
      )
    return { ...outcome!, native: { item_id: place.targets[0]!.entry.id } }
  }

  async function carryOut(step: Step): Promise<ItemOutcome> {
    if ('outcome' in step) return step
    if (signal.aborted) return { outcome: 'failed', reason: 'cancelled' }
    if (unanswered >= MAX_UNANSWERED) return { outcome: 'failed', reason: 'unavailable' }
    try {
      // A write in progress is completed: aborting it would leave its outcome unknown.
      const text = await (await session.upstream.request(step.send)).text()
      unanswered = 0
      const data = dataIn(text)
      const isDone = text === '' ? step.isSilent === true : data !== undefined && step.isDone(data)
      return isDone ? { outcome: 'applied' } : { outcome: 'unknown', reason: 'unconfirmed' }
    } catch (error) {
      const { status } = isPlayheadError(error) ? (error.details ?? {}) : {}
      unanswered = typeof status === 'number' && status < 500 ? 0 : unanswered + 1
      if (status === 404) return { outcome: 'not_found', reason: 'not_in_library' }
      // The server may have saved before it failed; only idempotent writes are safe.
      if (status === 500 && step.send.idempotent !== true) return { outcome: 'unknown', reason: 'http_500' }
      if (isPlayheadError(error, 'PLH_AUTH_FAILED') || isPlayheadError(error, 'PLH_RATE_LIMITED')) throw error
      const outcome = outcomeOfError(error)
      if (outcome === undefined) throw error
      return outcome
    }
  }

  // Few items, such as a play that just ended, need not wait for a batch of a run.
  const shared = request.items.length > CONCURRENCY ? { limited: session.turns.writes } : {}
  return writeInTurn(request.items, write, { atOnce: CONCURRENCY, log: session.log, ...shared })
}

function withTime({ watched_at: _time, ...item }: Item, time: string): Item {
  return time === '' ? item : { ...item, watched_at: time }
}

// The most severe outcome counts for all copies.
const CARE: readonly ItemOutcome['outcome'][] = [
  ...(['unknown', 'failed', 'rate_limited', 'rejected', 'not_found', 'applied', 'already'] as const),
]

function worse(before: ItemOutcome | undefined, next: ItemOutcome): ItemOutcome {
  return before === undefined || CARE.indexOf(next.outcome) < CARE.indexOf(before.outcome) ? next : before
}

// Undefined for a response without user data.
function dataIn(text: string): UserData | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && 'Played' in value ? (value as UserData) : undefined
  } catch {
    return undefined
  }
}
