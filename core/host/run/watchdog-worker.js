// The watchdog's thread; see watchdog.ts. JavaScript, because type stripping needs much more memory.
import { readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { Session } from 'node:inspector'
import { SourceMap } from 'node:module'
import { parentPort, workerData } from 'node:worker_threads'
import { threadTime } from '../../own-thread/thread-time.js'

const { beats, used, stallMs, fatalMs, markerFile, pid } = workerData

const CHECK_MS = Math.min(100, stallMs / 4)
// From here on, a process that dies is assumed to have died of this stall: at once if it also takes memory.
const NOTE_MS = Math.min(500, fatalMs)
const NOTE_GROWTH_BYTES = 64 * 1024 * 1024
const NOTE_ANYWAY_MS = fatalMs / 3
/** A thread that neither returns nor uses the processor is in a deadlock. */
const DEADLOCK_MS = fatalMs * 8

const versions = new Map()
parentPort?.on('message', ({ plugin, generation, version }) => versions.set(`${plugin} ${generation}`, version))

let seen = Atomics.load(beats, 0)
let checkedAtMs = performance.now()
let stall = newStall()

setInterval(() => {
  // If the machine slept, or did not schedule this thread, this adds one step only.
  const passedMs = performance.now() - checkedAtMs
  const stepMs = passedMs > CHECK_MS * 5 ? CHECK_MS : passedMs
  checkedAtMs = performance.now()
  const now = Atomics.load(beats, 0)
  if (now !== seen) {
    seen = now
    over()
    return
  }
  const { usedMs, isSleeping } = mainTime()
  stall.blockedMs += stepMs
  stall.usedMs = usedMs - stall.usedBefore
  if (isSleeping) stall.sleptMs += stepMs
  if (isSampleDue()) sample(stall)
  if (stall.samples.length > 0 && !stall.isNoted && isNotable()) note()
  if (stall.usedMs > fatalMs || stall.sleptMs > DEADLOCK_MS) {
    note()
    lastWords()
    process.kill(pid, 'SIGKILL')
  }
}, CHECK_MS)

function newStall() {
  return {
    /** Counts only time in which this thread also ran. */
    blockedMs: 0,
    usedBefore: mainTime().usedMs,
    /** Processor time of the main thread alone: other threads and programs must not add to it. */
    usedMs: 0,
    sleptMs: 0,
    rssBefore: process.memoryUsage.rss(),
    samples: [],
    session: null,
    isPausing: false,
    isNoted: false,
  }
}

/**
 * On systems other than Linux the main thread records its own time with each beat, which is exact only after the stall.
 * Until then the time of the whole process is used.
 */
function mainTime() {
  const exact = threadTime(pid)
  if (exact !== null) return exact
  const { user, system } = process.cpuUsage()
  return { usedMs: (user + system) / 1_000, isSleeping: false }
}

/** The loop runs again: reports which code blocked it and for how long. */
function over() {
  const ended = stall
  stall = newStall()
  ended.session?.disconnect()
  if (ended.isNoted) rmSync(markerFile, { force: true })
  if (threadTime(pid) === null) ended.usedMs = Math.min(ended.usedMs, used[0] - used[1])
  if (ended.blockedMs > stallMs) parentPort?.postMessage(describe(ended))
}

/** The first sample shows the blocking code; the next two, apart by processor time, show whether it still runs. */
function isSampleDue() {
  const { samples, isPausing, blockedMs, usedMs } = stall
  if (isPausing) return false
  if (samples.length === 0) return blockedMs > stallMs
  if (samples.length === 1) return usedMs > stallMs / 2 && usedMs - samples[0].usedMs > stallMs / 4
  return samples.length === 2 && usedMs > fatalMs / 2
}

const isNotable = () =>
  stall.usedMs > NOTE_ANYWAY_MS ||
  (stall.usedMs > NOTE_MS && process.memoryUsage.rss() - stall.rssBefore > NOTE_GROWTH_BYTES)

function note() {
  writeFileSync(markerFile, JSON.stringify(describe(stall)))
  stall.isNoted = true
}

/** The main thread cannot log during the stall. */
function lastWords() {
  const { plugin, generation, frames, blockedMs } = describe(stall)
  const who = plugin === null ? 'code' : `plugin "${plugin}"`
  const line = {
    level: 60,
    time: Date.now(),
    ...(plugin === null ? {} : { plugin, generation }),
    frames,
    msg: `${who} held the event loop for ${blockedMs} ms in ${frames[0] ?? 'unknown code'}; the service ends`,
  }
  writeSync(1, `${JSON.stringify(line)}\n`)
}

/** A plugin is named if it ran in the last two samples: the time between them is its own. */
function describe({ samples, blockedMs, usedMs }) {
  const [last, before] = samples.toReversed()
  const about = {
    frames: (last?.frames ?? []).slice(0, 8).map(({ text }) => text),
    blockedMs: Math.round(blockedMs),
    usedMs: Math.round(usedMs),
  }
  const both = pluginsIn(last).find(({ file }) => pluginsIn(before).some((other) => other.file === file))
  if (both === undefined) return { plugin: null, generation: null, ...about }
  const version = versions.get(`${both.plugin} ${both.generation}`)
  return { plugin: both.plugin, generation: both.generation, ...about, ...(version === undefined ? {} : { version }) }
}

/** Innermost first. */
function pluginsIn(sampled) {
  return (sampled?.frames ?? []).flatMap(({ file }) => {
    const match = /[/\\]([a-z][a-z0-9-]{1,39})\.g(\d+)\.cjs$/.exec(file)
    return match === null ? [] : [{ file, plugin: match[1], generation: Number(match[2]) }]
  })
}

/** Pauses the main thread as soon as it runs JavaScript. The debugger stays attached until the stall is over. */
function sample(of) {
  of.isPausing = true
  try {
    of.session ??= openDebugger(of)
    of.session.post('Debugger.pause')
  } catch {
    // Without frames no plugin is blamed.
  }
}

function openDebugger(of) {
  const session = new Session()
  const scripts = new Map()
  session.connectToMainThread()
  session.on('Debugger.scriptParsed', ({ params }) =>
    scripts.set(params.scriptId, { url: params.url, map: params.sourceMapURL ?? '' }),
  )
  session.on('Debugger.paused', ({ params }) => {
    // Runs before the positions are looked up.
    session.post('Debugger.resume')
    const frames = params.callFrames.map(({ functionName, location }) => {
      const { url, map } = scripts.get(location.scriptId) ?? { url: '?', map: '' }
      const place = placeOf({ url, map, line: location.lineNumber, column: location.columnNumber ?? 0 })
      return { text: `${functionName || '(anonymous)'} (${place})`, file: url }
    })
    of.samples.push({ frames, usedMs: mainTime().usedMs - of.usedBefore })
    of.isPausing = false
  })
  session.post('Debugger.enable')
  return session
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
