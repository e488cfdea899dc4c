// The watchdog's thread; see watchdog.ts. JavaScript, because type stripping needs much more memory.
import { rmSync, writeFileSync, writeSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import { threadTime } from '../../own-thread/thread-time.js'

const { beats, used, stallMs, fatalMs, beatMs, markerFile, pid } = workerData

/** While a beat is missing. Otherwise each look costs more than it finds. */
const CLOSE_LOOK_MS = stallMs / 4

// From here on, a process that dies is assumed to have died of this stall: at once if it also takes memory.
const NOTE_MS = Math.min(500, fatalMs)
const NOTE_GROWTH_BYTES = 64 * 1024 * 1024
const NOTE_ANYWAY_MS = fatalMs / 3
/** A thread that neither returns nor uses the processor is in a deadlock. */
const DEADLOCK_MS = fatalMs * 8

const versions = new Map()
parentPort?.on('message', ({ plugin, generation, version }) => versions.set(`${plugin} ${generation}`, version))

/** Linux has the time of each thread in /proc. */
const isExact = threadTime(pid) !== null
let seen = Atomics.load(beats, 0)
let checkedAtMs = performance.now()
let stall = newStall()
let waitMs = beatMs
setTimeout(lookAgain, waitMs)

function lookAgain() {
  look()
  waitMs = stall.rssBefore === null ? beatMs : CLOSE_LOOK_MS
  setTimeout(lookAgain, waitMs)
}

function look() {
  // If the machine slept, or did not schedule this thread, this adds one step only.
  const passedMs = performance.now() - checkedAtMs
  const stepMs = passedMs > waitMs * 5 ? waitMs : passedMs
  checkedAtMs = performance.now()
  const now = Atomics.load(beats, 0)
  if (now !== seen) {
    seen = now
    over()
    return
  }
  const { usedMs, isSleeping } = mainTime()
  // Part of the first step passed before the next beat was due.
  if (stall.rssBefore === null)
    stall.blockedMs = Math.min(stepMs, Math.max(0, performance.timeOrigin + checkedAtMs - used[2] - beatMs))
  else stall.blockedMs += stepMs
  stall.rssBefore ??= process.memoryUsage.rss()
  stall.usedMs = usedMs - stall.usedBefore
  if (isSleeping) stall.sleptMs += stepMs
  if (isSampleDue()) sample(stall)
  if (stall.samples.length > stall.noted && isNotable()) note()
  if (stall.usedMs > fatalMs || stall.sleptMs > DEADLOCK_MS) {
    note()
    lastWords()
    process.kill(pid, 'SIGKILL')
  }
}

function newStall() {
  return {
    /** Counts only time in which this thread also ran. */
    blockedMs: 0,
    usedBefore: isExact ? used[0] : mainTime().usedMs,
    /** Processor time of the main thread alone: other threads and programs must not add to it. */
    usedMs: 0,
    sleptMs: 0,
    /** At the first missing beat. */
    rssBefore: null,
    samples: [],
    session: null,
    isAsking: false,
    /** Samples that the note holds. */
    noted: 0,
    hasNote: false,
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
  if (ended.hasNote) rmSync(markerFile, { force: true })
  if (!isExact) ended.usedMs = Math.min(ended.usedMs, used[0] - used[1])
  if (ended.blockedMs > stallMs) parentPort?.postMessage(describe(ended))
}

/** The first sample shows the blocking code; the next two, apart by processor time, show whether it still runs. */
function isSampleDue() {
  const { samples, isAsking, blockedMs, usedMs } = stall
  if (isAsking) return false
  // A thread that waits for a processor or a disk has no stack to blame.
  if (samples.length === 0) return blockedMs > stallMs && usedMs > stallMs / 4
  if (samples.length === 1) return usedMs > stallMs / 2 && usedMs - samples[0].usedMs > stallMs / 4
  return samples.length === 2 && usedMs > fatalMs / 2
}

const isNotable = () =>
  stall.usedMs > NOTE_ANYWAY_MS ||
  (stall.usedMs > NOTE_MS && process.memoryUsage.rss() - stall.rssBefore > NOTE_GROWTH_BYTES)

function note() {
  writeFileSync(markerFile, JSON.stringify(describe(stall)))
  stall.noted = stall.samples.length
  stall.hasNote = true
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

/** Asks the main thread for its stack as soon as it runs JavaScript. The session stays open until the stall is over. */
function sample(of) {
  of.isAsking = true
  try {
    of.session ??= openSession()
    of.session.post('Runtime.evaluate', { expression: STACK, returnByValue: true }, (_error, answer) => {
      of.isAsking = false
      const frames = answer?.result?.value
      // Without frames nothing is blamed.
      if (Array.isArray(frames)) of.samples.push({ frames, usedMs: mainTime().usedMs - of.usedBefore })
    })
  } catch {
    // Without frames no plugin is blamed.
  }
}

function openSession() {
  // Loaded with the first stall.
  const { Session } = process.getBuiltinModule('node:inspector')
  const session = new Session()
  session.connectToMainThread()
  return session
}

/** Runs on the main thread. Only positions in plugins are looked up in source maps; others are not compiled. */
function stackOf() {
  const { prepareStackTrace, stackTraceLimit } = Error
  const here = {}
  try {
    Error.stackTraceLimit = 60
    Error.prepareStackTrace = (_error, sites) => sites
    Error.captureStackTrace(here)
    const { findSourceMap } = process.getBuiltinModule('node:module')
    return here.stack.slice(1).flatMap((site) => {
      const file = site.getScriptNameOrSourceURL()
      if (typeof file !== 'string' || file === '') return []
      const line = site.getLineNumber() ?? 1
      let place = `${file}:${line}`
      if (/\.g\d+\.cjs$/.test(file)) {
        const entry = findSourceMap(file)?.findEntry(line - 1, (site.getColumnNumber() ?? 1) - 1)
        if (entry?.originalSource !== undefined)
          // Named from the plugin's folder.
          place = `${entry.originalSource.replace(/^file:\/\//, '').replace(file.replace(/[^/\\]+$/, ''), '')}:${entry.originalLine + 1}`
      }
      return [{ text: `${site.getFunctionName() || '(anonymous)'} (${place})`, file }]
    })
  } finally {
    Object.assign(Error, { prepareStackTrace, stackTraceLimit })
  }
}

const STACK = `(${stackOf.toString()})()`
