// Serves a plugin's thread module on its thread.
import { join } from 'node:path'
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { tokenOf } from '@playhead/sdk/host'
import type { Logger, ThreadHost, ThreadSetup } from '@playhead/sdk'
import { openTables } from '../own-database/tables.ts'
import { createChannel } from './channel.ts'
import { HOST_LOG, type Relay, type StartData, WORK } from './names.ts'

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
    openDatabase: (name) => openTables(join(databases, `${name}.sqlite`)),
  } satisfies ThreadHost)
  port.on('message', (message) => channel.take(message))
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
