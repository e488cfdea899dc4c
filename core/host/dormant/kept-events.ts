// Events that a dormant plugin wants, but that need not load it (`activation: ["kept:<name>"]`): one file for each plugin,
// a line for each event, until the plugin is loaded. They are delivered in order, after a crash possibly twice.
import { appendFile, mkdir, readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { createTurns, type Logger, type PlayheadEvent } from '@playhead/sdk'

const MAX_BYTES = 1024 * 1024
const OWNER_ONLY = { folder: 0o700, file: 0o600 }

export interface KeptEvent {
  /** The name of the listener. */
  readonly on: string
  readonly event: PlayheadEvent
}

export interface KeptEvents {
  /** Resolves when it is written. */
  keep(plugin: string, kept: KeptEvent): Promise<void>
  /** Delivers the stored events, then deletes them. */
  deliver(plugin: string, take: (kept: KeptEvent) => Promise<void>): Promise<void>
  /** Deletes the stored events. */
  discard(plugin: string): Promise<void>
  /** Resolves when nothing is being written or handed over. */
  settled(): Promise<void>
}

export function createKeptEvents({ folder, log }: { readonly folder: string; readonly log: Logger }): KeptEvents {
  const turns = new Map<string, ReturnType<typeof createTurns>>()
  const inTurn = <Result>(plugin: string, work: () => Promise<Result>): Promise<Result> =>
    turns.getOrInsertComputed(plugin, createTurns)(work)
  const fileOf = (plugin: string) => join(folder, `${plugin}.jsonl`)

  return {
    keep: (plugin, kept) =>
      inTurn(plugin, async () => {
        const file = fileOf(plugin)
        const { size } = await stat(file).catch(() => ({ size: 0 }))
        if (size > MAX_BYTES)
          return log.warn(
            { plugin, event: kept.event.name },
            'an event is dropped: its plugin was not loaded for too long',
          )
        await mkdir(folder, { recursive: true, mode: OWNER_ONLY.folder })
        await appendFile(file, `${JSON.stringify(kept)}\n`, { mode: OWNER_ONLY.file })
      }),
    deliver: (plugin, take) =>
      inTurn(plugin, async () => {
        const file = fileOf(plugin)
        const text = await readFile(file, 'utf8').catch(() => '')
        if (text === '') return
        for (const line of text.split('\n')) {
          const kept = readLine(line)
          if (kept !== null) await take(kept)
        }
        await rm(file, { force: true })
      }),
    discard: (plugin) => inTurn(plugin, () => rm(fileOf(plugin), { force: true })),
    async settled() {
      await Promise.all([...turns.values()].map((turn) => turn(async () => {})))
    },
  }
}

/** Null for half a line of a full disk, and after the last line. */
function readLine(line: string): KeptEvent | null {
  try {
    return JSON.parse(line) as KeptEvent
  } catch {
    return null
  }
}
