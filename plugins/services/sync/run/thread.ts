// The engine on its thread: reads, compares and decides there, and asks the main thread for providers, features and
// accounts.
import { type AccountChanges, ACCOUNTS, capability, type Remote, type ThreadHost } from '@playhead/sdk'
import type { RunListener, RunOrder, SyncSettings } from '../contract.ts'
import type { ChangeRequest } from './account-changes.ts'
import { createEngine } from './engine.ts'
import type { Reading } from '../library/reading.ts'
import type { UndoOrder } from './undo.ts'

export const DATABASE = 'library'
export const TOLD = capability<Told>('sync:told')
export const READING = capability<Reading>('sync:reading')

/** What a run tells, on the main thread. */
export interface Told {
  take(runId: string, told: readonly Telling[]): Promise<void>
}
export type Telling = {
  readonly [Name in 'event' | 'outcome' | 'left' | 'open' | 'reported']: readonly [
    Name,
    ...Parameters<Required<RunListener>[Name]>,
  ]
}['event' | 'outcome' | 'left' | 'open' | 'reported']

const MOST_TOLD = 250
const TELL_WITHIN_MS = 50

function work(host: ThreadHost) {
  let code = ''
  const engine = createEngine({
    db: host.openDatabase(DATABASE),
    log: host.log.channel('SYNC'),
    now: Date.now,
    use: host.use,
    accounts: host.use(ACCOUNTS),
    reading: host.use(READING),
    code: () => code,
  })
  const told = host.use(TOLD)

  async function telling<Result>(runId: string, run: (listener: RunListener) => Promise<Result>): Promise<Result> {
    const relay = createRelay(told, runId)
    try {
      return await run(relay)
    } finally {
      await relay.end()
    }
  }

  return {
    run: (order: RunOrder, codeOfNow: string, signal: AbortSignal) => {
      code = codeOfNow
      return telling(order.runId, (listener) => engine.run(order, listener, signal))
    },
    undo: (runId: string, order: UndoOrder, signal: AbortSignal) =>
      telling(order.runId, (listener) => engine.undo.run(runId, order, listener, signal)),
    plan: (request: AccountChanges, settings: SyncSettings) => engine.changes.plan(request, settings),
    apply: (request: ChangeRequest, settings: SyncSettings) => engine.changes.apply(request, settings),
  }
}
export default work
export type EngineWork = ReturnType<typeof work>

/** Passes on what a run tells, in its order, many at a time. */
function createRelay(told: Remote<Told>, runId: string) {
  let waiting: Telling[] = []
  let timer: NodeJS.Timeout | undefined
  let passing: Promise<void> = Promise.resolve()

  function pass(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    if (waiting.length === 0) return passing
    const batch = waiting
    waiting = []
    return (passing = told.take(runId, batch))
  }
  function tell(one: Telling): void {
    waiting.push(one)
    if (waiting.length >= MOST_TOLD) pass().catch(() => {})
    else timer ??= setTimeout(() => pass().catch(() => {}), TELL_WITHIN_MS)
  }
  return {
    event: (event) => tell(['event', event]),
    outcome: (outcome) => tell(['outcome', outcome]),
    left: (item) => tell(['left', item]),
    open: (change) => tell(['open', change]),
    reported: (pair, report) => tell(['reported', pair, report]),
    // The run waits for those who take it in.
    rest: () => (waiting.length < MOST_TOLD ? undefined : pass()),
    end: pass,
  } satisfies RunListener & { end(): Promise<void> }
}
