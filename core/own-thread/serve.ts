// Serves a module on its thread.
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { PlayheadError, tokenOf } from '@playhead/sdk/host'
import type { Remote, Tables, ThreadHost, ThreadSetup, ThreadWorkRegistry, WorkHold } from '@playhead/sdk'
import { createChannel } from './channel.ts'
import { HOST_LIFE, HOST_LOG, HOST_WORK, type LifeRelay, type StartData, WORK, type WorkRelay } from './names.ts'
import { loggerOf, type Relay } from './relayed-log.ts'

/** Calls that arrived before are taken then. @param openTables for the path of a database */
export function serveWith(setup: ThreadSetup<object>, openTables: (file: string) => Tables): void {
  const port = parentPort as MessagePort
  const { databases } = workerData as StartData
  let work: object | undefined
  const channel = createChannel(
    () => port,
    (token) => (token === WORK ? work : undefined),
  )
  const relay = channel.use<Relay>(HOST_LOG)
  work = setup({
    use: (reference) => channel.use(tokenOf(reference)),
    log: loggerOf(relay, []),
    work: workOf(channel.use<WorkRelay>(HOST_WORK)),
    load: async ({ file }) => ((await import(pathToFileURL(file).href)) as { readonly default: unknown }).default,
    openDatabase: (name) => openTables(join(databases, `${name}.sqlite`)),
    stay: stayOf(channel.use<LifeRelay>(HOST_LIFE)),
  } satisfies ThreadHost)
  port.on('message', (message) => channel.take(message))
}

function stayOf(relay: Remote<LifeRelay>): ThreadHost['stay'] {
  let count = 0
  const change = (by: 1 | -1) => {
    const before = count
    count += by
    // Without the main thread nothing ends it either.
    if ((before === 0) !== (count === 0)) void relay.stay(count > 0).catch(() => {})
  }
  return () => {
    change(1)
    let isReleased = false
    return () => {
      if (isReleased) return
      isReleased = true
      change(-1)
    }
  }
}

function workOf(relay: Remote<WorkRelay>): ThreadWorkRegistry {
  const holdOf = (id: string): WorkHold => {
    // Without the main thread there is no hold either.
    const release = () => void relay.release(id).catch(() => {})
    return { id, release, [Symbol.dispose]: release }
  }
  return {
    begin: async (work) => holdOf(await relay.begin(work)),
    async beginWhenFree(work, { signal } = {}) {
      const hold = holdOf(await relay.beginWhenFree(work, signal ?? null))
      if (signal?.aborted !== true) return hold
      hold.release()
      throw new PlayheadError('PLH_ABORTED', `"${work.label}" was cancelled while it waited.`)
    },
  }
}
