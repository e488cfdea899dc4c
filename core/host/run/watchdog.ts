// A second thread that detects a blocked event loop. It interrupts the main thread to read its stack. Plugin code is
// named `<id>.g<generation>.cjs`.
//
// Blame is by the processor time of the main thread: on a busy or suspended machine, time passes without any fault. A
// short stall is reported. A longer one leaves a note, which is removed when the loop runs again; if the process dies
// meanwhile, for example out of memory, the next start quarantines the plugin. A permanent stall makes this thread end
// the process, so that the supervisor restarts it: after 15 s of work, or after two minutes of waiting.
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { ROOT } from '../../installation.ts'

const STALL_MS = 400
const FATAL_MS = 15_000

export interface Stall {
  /** Null if no single plugin used the time. */
  readonly plugin: string | null
  readonly generation: number | null
  /** The innermost frames, `function (file:line)`, source-mapped for plugins. */
  readonly frames: readonly string[]
  readonly blockedMs: number
  /** Processor time that the main thread used meanwhile, in milliseconds. */
  readonly usedMs: number
  /** Version of the plugin, if known. */
  readonly version?: string
}

interface WatchdogOptions {
  /** The note of a fatal stall for the next start. */
  readonly markerFile: string
  readonly onStall: (stall: Stall) => void
  readonly stallMs?: number | undefined
  readonly fatalMs?: number | undefined
}

export interface Watchdog {
  /** Registers the running version of a plugin. */
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
  const beatMs = stallMs / 2
  // The processor time of this thread at the last beat and at the one before, and when the last beat was.
  const used = new Float64Array(new SharedArrayBuffer(24))
  const noteTime = () => {
    const { user, system } = process.threadCpuUsage()
    used[1] = used[0] as number
    used[0] = (user + system) / 1_000
    used[2] = performance.timeOrigin + performance.now()
  }
  // Processor time used earlier does not count as a stall.
  noteTime()
  const heart = setInterval(() => {
    noteTime()
    Atomics.add(beats, 0, 1)
  }, beatMs).unref()
  const worker = new Worker(join(ROOT, 'core/host/run/watchdog-worker.js'), {
    workerData: { beats, used, stallMs, fatalMs, beatMs, markerFile, pid: process.pid },
    // The worker only monitors; it must not use the memory of a second application.
    resourceLimits: { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 1 },
    execArgv: [],
  })
  worker.unref()
  worker.on('message', onStall)
  // A failing watchdog only loses diagnostics.
  worker.on('error', () => clearInterval(heart))
  return {
    runs: (plugin, generation, version) => worker.postMessage({ plugin, generation, version }),
    async stop() {
      clearInterval(heart)
      await worker.terminate()
    },
  }
}

/** Reads and removes the note of the previous run's fatal stall. */
export function takeStallNote(markerFile: string): Stall | null {
  try {
    const note = JSON.parse(readFileSync(markerFile, 'utf8')) as Stall
    rmSync(markerFile, { force: true })
    return note
  } catch {
    return null
  }
}
