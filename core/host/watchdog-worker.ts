// The watchdog's own thread; see watchdog.ts.
import { rmSync, writeFileSync } from 'node:fs'
import { Session } from 'node:inspector'
import { parentPort, workerData } from 'node:worker_threads'

const { beats, stallMs, fatalMs, markerFile, pid } = workerData as { beats: Int32Array; stallMs: number; fatalMs: number; markerFile: string; pid: number }
const LOOK_MS = Math.min(100, stallMs / 4)
const PAUSE_LIMIT_MS = 2_000
// From here on a process that dies is taken to have died of this stall: of the memory that a loop ate, for example.
const NOTE_MS = Math.min(1_000, fatalMs)

let seen = Atomics.load(beats, 0)
let sinceMs = performance.now()
let frames: readonly string[] | null = null
let looking = false
let isNoted = false
let lookedAtMs = performance.now()

setInterval(() => {
  // This thread was not run either: the machine slept, and nobody is to blame.
  if (performance.now() - lookedAtMs > LOOK_MS * 20) sinceMs = performance.now()
  lookedAtMs = performance.now()
  const now = Atomics.load(beats, 0)
  const blockedMs = performance.now() - sinceMs
  if (now !== seen) {
    // It moves again: say what held it, and for how long.
    if (frames !== null) parentPort?.postMessage(stallOf(frames, Math.round(blockedMs)))
    if (isNoted) rmSync(markerFile, { force: true })
    isNoted = false
    seen = now
    sinceMs = performance.now()
    frames = null
    return
  }
  if (blockedMs > stallMs && frames === null && !looking) {
    looking = true
    void framesOfMain().then((found) => {
      frames = found
      looking = false
    })
  }
  if (blockedMs > NOTE_MS && frames !== null && !isNoted) note(blockedMs)
  if (blockedMs > fatalMs) {
    note(blockedMs)
    process.kill(pid, 'SIGKILL')
  }
}, LOOK_MS)

function note(blockedMs: number): void {
  writeFileSync(markerFile, JSON.stringify(stallOf(frames ?? [], Math.round(blockedMs))))
  isNoted = true
}

function stallOf(found: readonly string[], blockedMs: number) {
  for (const frame of found) {
    const match = /[/\\]([a-z][a-z0-9-]{1,39})\.g(\d+)\.cjs:/.exec(frame)
    if (match !== null) return { plugin: match[1] ?? null, generation: Number(match[2]), frames: found.slice(0, 8), blockedMs }
  }
  return { plugin: null, generation: null, frames: found.slice(0, 8), blockedMs }
}

async function framesOfMain(): Promise<readonly string[]> {
  const session = new Session()
  const files = new Map<string, string>()
  try {
    session.connectToMainThread()
    session.on('Debugger.scriptParsed', ({ params }) => files.set(params.scriptId, params.url))
    return await new Promise((resolve) => {
      const limit = setTimeout(() => resolve([]), PAUSE_LIMIT_MS)
      session.once('Debugger.paused', ({ params }) => {
        clearTimeout(limit)
        resolve(params.callFrames.map(({ functionName, location }) =>
          `${functionName || '(anonymous)'} (${files.get(location.scriptId) ?? '?'}:${location.lineNumber + 1})`))
      })
      session.post('Debugger.enable')
      session.post('Debugger.pause')
    })
  } catch {
    return []
  } finally {
    // Resumes the main thread, whatever came before.
    session.disconnect()
  }
}
