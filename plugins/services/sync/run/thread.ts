// Entry of the engine's thread. Rows are read and shaped on the main thread; matching, planning and all writes to the
// database happen here.
import { type AccountChanges, ACCOUNTS, capability, type Remote, type ThreadHost } from '@playhead/sdk'
import type { RunListener, RunOrder, SyncSettings } from '../contract.ts'
import type { ChangeRequest } from './account-changes.ts'
import { createEngine } from './engine.ts'
import type { Reading } from '../library/reading.ts'
import type { ForgetRequest } from '../library/forget-rows.ts'
import type { RunHooks } from './tapped.ts'
import type { RefreshRequest } from '../library/refresh.ts'
import type { UndoOrder } from './undo-entry.ts'

export const DATABASE = 'library'
export const RUN_NOTIFICATIONS = capability<NotificationReceiver>('sync:notifications')
export const READING = capability<Reading>('sync:reading')
export const HOOKS = capability<RunHooks>('sync:hooks')

/** Receives the notifications of a run on the main thread. */
export interface NotificationReceiver {
  receive(runId: string, batch: readonly RunNotification[]): Promise<void>
}
export type RunNotification = {
  readonly [Name in 'event' | 'outcome' | 'skipped' | 'unresolved' | 'reported']: readonly [
    Name,
    ...Parameters<Required<RunListener>[Name]>,
  ]
}['event' | 'outcome' | 'skipped' | 'unresolved' | 'reported']

const MAX_WAITING = 250
const FLUSH_AFTER_MS = 50

function work(host: ThreadHost) {
  let code = ''
  const engine = createEngine({
    db: host.openDatabase(DATABASE),
    log: host.log.channel('SYNC'),
    work: host.work,
    now: Date.now,
    stay: host.stay,
    use: host.use,
    accounts: host.use(ACCOUNTS),
    reading: host.use(READING),
    hooks: host.use(HOOKS),
    code: () => code,
  })
  const receiver = host.use(RUN_NOTIFICATIONS)

  async function withRelay<Result>(runId: string, run: (listener: RunListener) => Promise<Result>): Promise<Result> {
    const relay = createRelay(receiver, runId)
    try {
      return await run(relay)
    } finally {
      await relay.end()
    }
  }

  return {
    run: (order: RunOrder, codeOfNow: string, signal: AbortSignal) => {
      code = codeOfNow
      return withRelay(order.runId, (listener) => engine.run(order, listener, signal))
    },
    undo: (runId: string, order: UndoOrder, signal: AbortSignal) =>
      withRelay(order.runId, (listener) => engine.undo.run(runId, order, listener, signal)),
    holdings: engine.holdings,
    forgetRows: (request: ForgetRequest) => engine.forgetRows(request),
    refresh: (request: RefreshRequest, settings: SyncSettings, signal: AbortSignal) =>
      engine.refresh(request, settings, signal),
    plan: (request: AccountChanges, settings: SyncSettings) => engine.changes.plan(request, settings),
    apply: (request: ChangeRequest, settings: SyncSettings, signal?: AbortSignal) =>
      engine.changes.apply(request, settings, signal),
    beginTarget: engine.changes.targets.begin,
    addToTarget: engine.changes.targets.add,
    planTarget: engine.changes.targets.plan,
    dropTarget: engine.changes.targets.drop,
    runPlan: (order: RunOrder, signal: AbortSignal) =>
      withRelay(order.runId, (listener) => engine.changes.run(order, listener, signal)),
    readList: engine.lists.read,
    listsOf: engine.lists.all,
    createList: engine.lists.create,
    planList: engine.lists.plan,
    applyWaiting: (planId: string, waitMs: number, settings: SyncSettings) =>
      engine.changes.waiting.apply(planId, waitMs, settings),
    resumeWaiting: (settings: SyncSettings) => engine.changes.waiting.resume(settings),
    retireWaiting: () => engine.changes.waiting.retire(),
    nextEnded: () => engine.changes.waiting.nextEnded(),
  }
}
export default work
export type EngineWork = ReturnType<typeof work>

/** Sends notifications in order and in batches. */
function createRelay(receiver: Remote<NotificationReceiver>, runId: string) {
  let waiting: RunNotification[] = []
  let timer: NodeJS.Timeout | undefined
  let sending: Promise<void> = Promise.resolve()

  function send(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    if (waiting.length === 0) return sending
    const batch = waiting
    waiting = []
    return (sending = receiver.receive(runId, batch))
  }
  function push(one: RunNotification): void {
    waiting.push(one)
    if (waiting.length >= MAX_WAITING) send().catch(() => {})
    else timer ??= setTimeout(() => send().catch(() => {}), FLUSH_AFTER_MS)
  }
  return {
    event: (event) => push(['event', event]),
    outcome: (outcome) => push(['outcome', outcome]),
    skipped: (item) => push(['skipped', item]),
    unresolved: (change) => push(['unresolved', change]),
    reported: (pair, report) => push(['reported', pair, report]),
    // A full queue makes the run wait for the main thread.
    flush: () => (waiting.length < MAX_WAITING ? undefined : send()),
    end: send,
  } satisfies RunListener & { end(): Promise<void> }
}
