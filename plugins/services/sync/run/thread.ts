// Entry of the engine's thread. Rows are read and shaped on the main thread; matching, planning and all writes to the
// database happen here.
import { ACCOUNTS, capability, type Remote, type ThreadHost } from '@playhead/sdk'
import type { EngineFact, RunListener } from '../contract.ts'
import { createEngine } from './engine.ts'
import type { Reading } from '../library/reading.ts'
import type { RunHooks } from './tapped.ts'

export const DATABASE = 'library'
export const RUN_NOTIFICATIONS = capability<NotificationReceiver>('sync:notifications')
export const READING = capability<Reading>('sync:reading')
export const HOOKS = capability<RunHooks>('sync:hooks')
/** Stands for a listener on the main thread, with its id as the value. */
export const LISTENER = 'sync:listener'

/** Receives the notifications of a run on the main thread. */
export interface NotificationReceiver {
  receive(listener: string, batch: readonly EngineFact[]): Promise<void>
}

export interface EngineWork {
  /**
   * Calls a function of the engine.
   * @param path as `changes.apply`
   * @param given a listener is `{ [LISTENER]: id }`
   */
  call(path: string, ...given: readonly unknown[]): Promise<unknown>
}

const MAX_WAITING = 250
const FLUSH_AFTER_MS = 50

export default function work(host: ThreadHost): EngineWork {
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
  })
  const receiver = host.use(RUN_NOTIFICATIONS)

  return {
    async call(path, ...given) {
      const relays: Relay[] = []
      const received = given.map((one) => {
        const id = (one as { readonly [LISTENER]?: string } | null | undefined)?.[LISTENER]
        if (id === undefined) return one
        const relay = createRelay(receiver, id)
        relays.push(relay)
        return relay
      })
      let part: unknown = engine
      for (const name of path.split('.')) part = (part as Readonly<Record<string, unknown>>)[name]
      try {
        return await (part as (...given: readonly unknown[]) => unknown)(...received)
      } finally {
        for (const relay of relays) await relay.end()
      }
    },
  }
}

type Relay = ReturnType<typeof createRelay>

/** Sends notifications in order and in batches. */
function createRelay(receiver: Remote<NotificationReceiver>, listener: string) {
  let waiting: EngineFact[] = []
  let timer: NodeJS.Timeout | undefined
  let sending: Promise<void> = Promise.resolve()

  function send(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    if (waiting.length === 0) return sending
    const batch = waiting
    waiting = []
    return (sending = receiver.receive(listener, batch))
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
