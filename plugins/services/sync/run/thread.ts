// Entry of the engine's thread. Rows are read and shaped on the main thread; matching, planning and all writes to the
// database happen here.
import { ACCOUNTS, capability, type Remote, type ThreadHost } from '@playhead/sdk'
import type { EngineFact, RunListener, RunOrder } from '../contract.ts'
import type { Reading } from '../library/reading.ts'
import { createEngine, createEngineParts } from './engine.ts'
import type { RunHooks } from './tapped.ts'

export const DATABASE = 'library'
export const RUN_NOTIFICATIONS = capability<NotificationReceiver>('sync:notifications')
export const READING = capability<Reading>('sync:reading')
export const HOOKS = capability<RunHooks>('sync:hooks')

/** Receives the notifications of a run on the main thread. */
export interface NotificationReceiver {
  receive(runId: string, batch: readonly EngineFact[]): Promise<void>
}

export type EngineWork = ReturnType<typeof work>

const MAX_WAITING = 250
const FLUSH_AFTER_MS = 50

export default function work(host: ThreadHost) {
  const receiver = host.use(RUN_NOTIFICATIONS)
  const { run, undo, runAccountPlan, ...engine } = createEngine(
    createEngineParts({
      db: host.openDatabase(DATABASE),
      log: host.log.channel('SYNC'),
      work: host.work,
      now: Date.now,
      stay: host.stay,
      use: host.use,
      accounts: host.use(ACCOUNTS),
      reading: host.use(READING),
      hooks: host.use(HOOKS),
    }),
  )

  /** The listener of a run is on the main thread. */
  function relayed<Report, More extends unknown[]>(
    work: (order: RunOrder, listener: RunListener, signal: AbortSignal, ...more: More) => Promise<Report>,
  ) {
    return async (order: RunOrder, signal: AbortSignal, ...more: More): Promise<Report> => {
      const relay = createRelay(receiver, order.runId)
      try {
        return await work(order, relay, signal, ...more)
      } finally {
        await relay.end()
      }
    }
  }
  return { ...engine, run: relayed(run), undo: relayed(undo), runAccountPlan: relayed(runAccountPlan) }
}

/** Sends notifications in order and in batches. */
function createRelay(receiver: Remote<NotificationReceiver>, runId: string) {
  let waiting: EngineFact[] = []
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
  return {
    event(fact) {
      waiting.push(fact)
      if (waiting.length >= MAX_WAITING) send().catch(() => {})
      else timer ??= setTimeout(() => send().catch(() => {}), FLUSH_AFTER_MS)
    },
    // A full queue makes the run wait for the main thread.
    flush: () => (waiting.length < MAX_WAITING ? undefined : send()),
    end: send,
  } satisfies RunListener & { end(): Promise<void> }
}
