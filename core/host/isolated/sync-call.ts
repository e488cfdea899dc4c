// Synchronous calls from a plugin's thread to the host: the thread waits, the host answers in its next turn. For the
// members of the plugin context that return a value immediately.
import { type MessagePort, receiveMessageOnPort } from 'node:worker_threads'
import { countUsable, PlayheadError } from '@playhead/sdk/host'
import { fromWire, toWire, type WireError } from '../../own-thread/wire-error.ts'

const LIMIT_MS = 10_000
const SLICE_MS = 250

export type SyncFunctions = Readonly<Record<string, (...args: never[]) => unknown>>

interface SyncQuestion {
  readonly id: number
  readonly name: string
  readonly args: readonly unknown[]
}

interface SyncAnswer {
  readonly id: number
  readonly value?: unknown
  readonly error?: WireError
}

/** Runs on the plugin's thread. Throws what the host's function throws. */
export function createSyncCaller(port: MessagePort, bell: Int32Array): (name: string, ...args: unknown[]) => unknown {
  let lastId = 0
  return (name, ...args) => {
    const id = ++lastId
    Atomics.store(bell, 0, 0)
    port.postMessage({ id, name, args } satisfies SyncQuestion)
    const counts = countUsable()
    let [leftMs, atMs] = [LIMIT_MS, performance.now()]
    for (;;) {
      const received = receiveMessageOnPort(port) as { message: SyncAnswer } | undefined
      if (received?.message.id === id) {
        if (received.message.error !== undefined) throw fromWire(received.message.error)
        return received.message.value
      }
      if (received !== undefined) continue
      const nowMs = performance.now()
      if (nowMs - atMs >= SLICE_MS) {
        // Time in which the host is stopped, or waits for the processor, does not count.
        leftMs -= counts(SLICE_MS)
        atMs = nowMs
      }
      if (leftMs <= 0) throw new PlayheadError('PLH_ABORTED', `The service did not answer "${name}" in time.`)
      Atomics.wait(bell, 0, 0, SLICE_MS)
      Atomics.store(bell, 0, 0)
    }
  }
}

/** Runs in the host. The functions must not wait for anything. */
export function answerSyncCalls(port: MessagePort, bell: Int32Array, functions: SyncFunctions): void {
  port.on('message', ({ id, name, args }: SyncQuestion) => {
    let answer: SyncAnswer
    try {
      answer = { id, value: (functions[name] as (...given: readonly unknown[]) => unknown)(...args) }
      port.postMessage(answer)
    } catch (error) {
      port.postMessage({ id, error: toWire(error) } satisfies SyncAnswer)
    }
    Atomics.store(bell, 0, 1)
    Atomics.notify(bell, 0)
  })
}
