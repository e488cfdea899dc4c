// A second thread that notices when the event loop stands still, and finds out who holds it: it stops the main thread
// with the debugger for a moment and reads the names of the running files. A plugin's code is named
// `<id>.g<generation>.cjs`.
//
// A short stall is reported. A longer one leaves a note, which is withdrawn when the loop moves again: should the
// process die meanwhile, of the memory that an endless loop ate for example, the next start knows whom to leave out.
// One that does not end at all is fatal for everybody, so this thread ends the process for its supervisor to start it
// anew.
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { Worker } from 'node:worker_threads'

const BEAT_MS = 100
export const STALL_MS = 400
export const FATAL_MS = 15_000

export interface Stall {
  readonly plugin: string | null
  readonly generation: number | null
  /** The innermost frames, `function (file:line)`; of a plugin's code, as its author wrote it. */
  readonly frames: readonly string[]
  readonly blockedMs: number
  /** Milliseconds of processor time that the process used meanwhile. A machine that stands still uses none. */
  readonly usedMs: number
  /** Of the plugin's code and settings, where it was told. */
  readonly version?: string
}

export interface WatchdogOptions {
  /** Where a fatal stall leaves its note for the next start. */
  readonly markerFile: string
  readonly onStall: (stall: Stall) => void
  readonly stallMs?: number | undefined
  readonly fatalMs?: number | undefined
}

export interface Watchdog {
  /** Which version of a plugin runs from now on. */
  runs(plugin: string, generation: number, version: string): void
  stop(): Promise<void>
}

export function startWatchdog({
  markerFile,
  onStall,
  stallMs = STALL_MS,
  fatalMs = FATAL_MS,
}: WatchdogOptions): Watchdog {
  mkdirSync(dirname(markerFile), { recursive: true })
  const beats = new Int32Array(new SharedArrayBuffer(4))
  const heart = setInterval(() => Atomics.add(beats, 0, 1), BEAT_MS).unref()
  const worker = new Worker(new URL('./watchdog-worker.js', import.meta.url), {
    workerData: { beats, stallMs, fatalMs, markerFile, pid: process.pid },
    // The worker only watches; it must not hold the memory of a second application.
    resourceLimits: { maxOldGenerationSizeMb: 32 },
    execArgv: [],
  })
  worker.unref()
  worker.on('message', onStall)
  // A watchdog that cannot run is a loss of diagnosis, not of service.
  worker.on('error', () => clearInterval(heart))
  return {
    runs: (plugin, generation, version) => worker.postMessage({ plugin, generation, version }),
    async stop() {
      clearInterval(heart)
      await worker.terminate()
    },
  }
}

/** The note of a fatal stall in the run before this one, and its removal. */
export function takeStallNote(markerFile: string): Stall | null {
  try {
    const note = JSON.parse(readFileSync(markerFile, 'utf8')) as Stall
    rmSync(markerFile, { force: true })
    return note
  } catch {
    return null
  }
}
