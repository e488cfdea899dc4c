// The watchdog's thread; see watchdog.ts. JavaScript, because type stripping needs much more memory.
import { readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { Session } from 'node:inspector'
import { SourceMap } from 'node:module'
import { parentPort, workerData } from 'node:worker_threads'

const { beats, stallMs, fatalMs, markerFile, pid } = workerData

const CHECK_MS = Math.min(100, stallMs / 4)
const PAUSE_LIMIT_MS = 2_000
// From here on, a process that dies is assumed to have died of this stall, for example out of memory.
const NOTE_MS = Math.min(1_000, fatalMs)
// A loop uses the processor. A thread that waits for a slow disk, or for its turn on a busy machine, does not.
const LOOP_SHARE = 0.5
/** What neither returns nor works is a deadlock. */
const DEADLOCK_MS = fatalMs * 8

const versions = new Map()
parentPort?.on('message', ({ plugin, generation, version }) => versions.set(`${plugin} ${generation}`, version))

let seen = Atomics.load(beats, 0)
let sinceMs = performance.now()
let usedBefore = process.cpuUsage()
let frames = null
let inspecting = false
let isNoted = false
let checkedAtMs = performance.now()

setInterval(() => {
  // This thread was stopped too: the machine slept.
  if (performance.now() - checkedAtMs > CHECK_MS * 5) {
    sinceMs = performance.now()
    usedBefore = process.cpuUsage()
  }
  checkedAtMs = performance.now()
  const now = Atomics.load(beats, 0)
  const blockedMs = performance.now() - sinceMs
  if (now !== seen) {
    // The loop is running again: report what blocked it and how long.
    if (frames !== null) parentPort?.postMessage(stallOf(frames, Math.round(blockedMs)))
    if (isNoted) rmSync(markerFile, { force: true })
    isNoted = false
    seen = now
    sinceMs = performance.now()
    usedBefore = process.cpuUsage()
    frames = null
    return
  }
  if (blockedMs > stallMs && frames === null && !inspecting) {
    inspecting = true
    void framesOfMain().then((found) => {
      frames = found
      inspecting = false
    })
  }
  if (usedMs() > NOTE_MS * LOOP_SHARE && blockedMs > NOTE_MS && frames !== null && !isNoted) note(blockedMs)
  if ((blockedMs > fatalMs && usedMs() > fatalMs * LOOP_SHARE) || blockedMs > DEADLOCK_MS) {
    note(blockedMs)
    lastWords(blockedMs)
    process.kill(pid, 'SIGKILL')
  }
}, CHECK_MS)

function usedMs() {
  const { user, system } = process.cpuUsage(usedBefore)
  return Math.round((user + system) / 1_000)
}

function note(blockedMs) {
  writeFileSync(markerFile, JSON.stringify(stallOf(frames ?? [], Math.round(blockedMs))))
  isNoted = true
}

/** The main thread cannot log any more. */
function lastWords(blockedMs) {
  const { plugin, generation, frames: found } = stallOf(frames ?? [], Math.round(blockedMs))
  const who = plugin === null ? 'code' : `plugin "${plugin}"`
  const line = {
    level: 60,
    time: Date.now(),
    ...(plugin === null ? {} : { plugin, generation }),
    frames: found,
    msg: `${who} held the event loop for ${Math.round(blockedMs)} ms in ${found[0] ?? 'unknown code'}; the service ends`,
  }
  writeSync(1, `${JSON.stringify(line)}\n`)
}

function stallOf(found, blockedMs) {
  const about = { frames: found.slice(0, 8).map(({ text }) => text), blockedMs, usedMs: usedMs() }
  for (const { file } of found) {
    const match = /[/\\]([a-z][a-z0-9-]{1,39})\.g(\d+)\.cjs$/.exec(file)
    const version = versions.get(`${match?.[1]} ${match?.[2]}`)
    if (match !== null)
      return {
        plugin: match[1] ?? null,
        generation: Number(match[2]),
        ...about,
        ...(version === undefined ? {} : { version }),
      }
  }
  return { plugin: null, generation: null, ...about }
}

async function framesOfMain() {
  const session = new Session()
  const scripts = new Map()
  try {
    session.connectToMainThread()
    session.on('Debugger.scriptParsed', ({ params }) =>
      scripts.set(params.scriptId, { url: params.url, map: params.sourceMapURL ?? '' }),
    )
    const found = await new Promise((resolve) => {
      const limit = setTimeout(() => resolve([]), PAUSE_LIMIT_MS)
      session.once('Debugger.paused', ({ params }) => {
        clearTimeout(limit)
        resolve(
          params.callFrames.map(({ functionName, location }) => ({
            name: functionName || '(anonymous)',
            ...(scripts.get(location.scriptId) ?? { url: '?', map: '' }),
            line: location.lineNumber,
            column: location.columnNumber ?? 0,
          })),
        )
      })
      session.post('Debugger.enable')
      session.post('Debugger.pause')
    })
    return found.map((frame) => ({ text: `${frame.name} (${placeOf(frame)})`, file: frame.url }))
  } catch {
    return []
  } finally {
    // Resumes the main thread in any case.
    session.disconnect()
  }
}

/** The original position, if there is a readable source map. */
function placeOf({ url, map, line, column }) {
  try {
    const text = map.startsWith('data:')
      ? Buffer.from(map.slice(map.indexOf(',') + 1), 'base64').toString()
      : map === ''
        ? ''
        : readFileSync(map, 'utf8')
    const entry = text === '' ? undefined : new SourceMap(JSON.parse(text)).findEntry(line, column)
    const { originalSource, originalLine } = entry ?? {}

    if (originalSource !== undefined && originalLine !== undefined)
      return `${originalSource.replace(/^file:\/\//, '')}:${originalLine + 1}`
  } catch {
    // Without a map the compiled position is reported.
  }
  return `${url}:${line + 1}`
}
