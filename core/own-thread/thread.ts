// The startup code of a plugin's thread, before its module.
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { tokenOf } from '@playhead/sdk/host'
import type { Logger, ThreadHost, ThreadSetup } from '@playhead/sdk'
import { openTables } from '../own-database/tables.ts'
import { createChannel } from './channel.ts'
import { HOST_LOG, type Relay, type StartData, WORK } from './start.ts'

const port = parentPort as MessagePort
const { module, databases } = workerData as StartData
let work: object | undefined
const early: unknown[] = []
const channel = createChannel(
  () => port,
  (token) => (token === WORK ? work : undefined),
)
// Calls that arrive while the module is loading are queued.
port.on('message', (message) => (work === undefined ? early.push(message) : channel.take(message)))

const relay = channel.use<Relay>(HOST_LOG)
const log = loggerOf([])
const host: ThreadHost = {
  use: (reference) => channel.use(tokenOf(reference)),
  log,
  openDatabase: (name) => openTables(join(databases, `${name}.sqlite`)),
}
const { default: setup } = (await import(pathToFileURL(module).href)) as { readonly default: ThreadSetup<object> }
const made = setup(host)
work = made
for (const message of early) channel.take(message)

function loggerOf(channels: readonly string[]): Logger {
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
    channel: (tag) => loggerOf([...channels, tag]),
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
