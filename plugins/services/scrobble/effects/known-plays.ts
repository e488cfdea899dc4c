// Reports existing and expected plays of trackers to the sync, so that no run adds them a second time: a media server may
// show a play before it is delivered.
import { createTurns, type ExpectedPlay, type LibraryService, type Logger, type Remote } from '@playhead/sdk'
import { toShared } from '../deliver/attempt.ts'
import type { Emission } from '../decide/viewing.ts'
import type { LaneDecision } from '../decide/decisions.ts'
import type { Delivery } from '../store/delivery.ts'

export interface KnownPlays {
  /** Playback starts, continues, or ends without a play. */
  follow(decision: LaneDecision): void
  /** A play will be delivered. */
  expect(delivery: Delivery): Promise<void>
  /** A play will never be delivered. */
  withdraw(delivery: Delivery): Promise<void>
  /** The tracker has the play. Rejects if the sync could not store it. */
  record(delivery: Delivery): Promise<void>
}

const SLACK_MS = 30 * 60_000
const UNKNOWN_LENGTH_MS = 3 * 3_600_000
/** A person may finish a paused film later. */
const OPEN_MS = 6 * 3_600_000
/** As long as a delivery is retried. */
const WAITING_MS = 60 * 24 * 3_600_000

export function createKnownPlays({
  library,
  log,
  now,
}: {
  readonly library: () => Pick<Remote<LibraryService>, 'expectPlays' | 'recordPlays'> | undefined
  readonly log: Logger
  readonly now: () => number
}): KnownPlays {
  const inTurn = createTurns()

  // Without this record a run may add the play; the delivery then finds it there.
  const expectPlay = (play: ExpectedPlay) =>
    inTurn(async () => {
      try {
        const sync = library()
        await sync?.expectPlays([play])
        return sync !== undefined
      } catch (error) {
        log.warn({ err: error }, 'a play could not be reported to the sync')
        return false
      }
    })

  /** Ids of deliveries that the sync knows. */
  const expected = new Map<string, Promise<void>>()
  function expectDelivery(delivery: Delivery): Promise<void> {
    const known = expected.get(delivery.id)
    if (known !== undefined) return known
    const expecting = expectPlay({ ...spanOf(delivery), untilMs: now() + WAITING_MS }).then((isKnown) => {
      if (!isKnown) expected.delete(delivery.id)
    })
    expected.set(delivery.id, expecting)
    return expecting
  }

  return {
    follow({ lane, observation, verdict, deliveries }) {
      // At once: while the tracker is down for days, a sync may run before the delivery.
      for (const delivery of deliveries) if (delivery.completed) void expectDelivery(delivery)
      const emission = verdict?.emission
      if (emission === undefined || emission.completed || emission.action === 'pause') return
      const { startedAtMs, atMs } = emission
      const goesOn = emission.action === 'start'
      const endedAtMs = goesOn ? Math.round(atMs + remainingMs(emission)) : atMs
      const untilMs = goesOn ? endedAtMs + OPEN_MS : 0
      void expectPlay({ ...lane.sink, item: toShared(observation.item), startedAtMs, endedAtMs, untilMs })
    },
    expect: expectDelivery,
    async withdraw(delivery) {
      expected.delete(delivery.id)
      await expectPlay({ ...spanOf(delivery), untilMs: 0 })
    },
    record(delivery) {
      expected.delete(delivery.id)
      return inTurn(async () => {
        await library()?.recordPlays([{ ...spanOf(delivery), watchedAtMs: delivery.watchedAtMs }])
      })
    },
  }
}

function spanOf({ sink, item, startedAtMs, atMs }: Delivery): Omit<ExpectedPlay, 'untilMs'> {
  return { ...sink, item: toShared(item), startedAtMs, endedAtMs: atMs }
}

function remainingMs({ durationMs, percent }: Emission): number {
  return (durationMs === null ? UNKNOWN_LENGTH_MS : durationMs * (1 - percent / 100)) + SLACK_MS
}
