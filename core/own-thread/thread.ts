// Serves a plugin's thread module on its thread.
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { PlayheadError, tokenOf } from '@playhead/sdk/host'
import type { Logger, Remote, ThreadHost, ThreadSetup, ThreadWorkRegistry, WorkHold } from '@playhead/sdk'
import { openTables } from '../own-database/tables.ts'
import { createChannel } from './channel.ts'
import { HOST_LOG, HOST_WORK, type Relay, type StartData, WORK, type WorkRelay } from './names.ts'

/** Calls that arrived before are taken then. */
export function serve(setup: ThreadSetup<object>): void {
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
  } satisfies ThreadHost)
  port.on('message', (message) => channel.take(message))
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

function loggerOf(relay: Relay, channels: readonly string[]): Logger {
  const write =
    (level: 'trace' | 'debug' | 'info' | 'warn' | 'error') =>
    (fields: object | string, text?: string): void => {
      const line =
        typeof fields === 'string'
          ? { text: fields }
          : {
              fields: Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, plain(value)])),
              text: text ?? '',
            }
      relay.log(channels, level, line).catch(() => {})
    }
  return {
    trace: write('trace'),
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    channel: (tag) => loggerOf(relay, [...channels, tag]),
  }
}

/** Unserializable values become text. */
function plain(value: unknown): unknown {
  if (value instanceof Error)
    return {
      type: value.name,
      message: value.message,
      stack: value.stack,
      ...('code' in value ? { code: value.code } : {}),
    }
  try {
    return structuredClone(value)
  } catch {
    return String(value)
  }
}
