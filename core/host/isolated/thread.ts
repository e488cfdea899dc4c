// A plugin's own thread, in the host: gives it the plugin, watches that it answers, and ends it. A thread that hangs or runs
// out of memory ends alone.
import { AsyncLocalStorage } from 'node:async_hooks'
import { readFileSync } from 'node:fs'
import { SourceMap } from 'node:module'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Worker } from 'node:worker_threads'
import type { Logger, Remote } from '@playhead/sdk'
import { PlayheadError } from '@playhead/sdk/host'
import { linesInto } from '../load/plugin-console.ts'
import { createRunning } from '../../own-database/running.ts'
import { limitBuffers } from '../../own-thread/buffers.ts'
import { type Channel, createChannel } from '../../own-thread/channel.ts'
import { threadTime } from '../../own-thread/thread-time.js'
import { answerSyncCalls, type SyncFunctions } from './sync-call.ts'
import type { FreshThread } from './threads.ts'
import { BEAT, BUFFERS_MB, MIGRATING, PLUGIN, type PluginData, type PluginSide, TAKEN, THREAD, TIMERS } from './wire.ts'

/** A thread that uses this much processor time without a sign of life is ended; wall time does not count. */
const SILENCE_MS = 5_000
/** A thread without a sign of life that also does not work is a deadlock after this many times as long. */
const DEADLOCK_TIMES = 8
const CHECK_MS = 250
const PROFILE_MS = 100
const RETIRE_MS = 5_000

export interface Death {
  readonly kind: 'hang' | 'memory' | 'error' | 'exit'
  /** A sentence that describes the failure. */
  readonly text: string
  /** Where it hung: `function (file:line)`, innermost first. */
  readonly frames: readonly string[]
  readonly error?: unknown
}

interface ThreadOptions {
  readonly data: PluginData
  readonly fresh: FreshThread
  readonly memoryMb: number
  readonly silenceMs?: number | undefined
  readonly serve: (token: string) => object | undefined
  readonly sync: SyncFunctions
  readonly log: Logger
  readonly onDeath: (death: Death) => void
}

interface PluginThread {
  readonly plugin: Remote<PluginSide>
  readonly channel: Channel
  /** Active timers of the plugin. */
  timers(): number
  /** Its database is running a migration. */
  isMigrating(): boolean
  /** Ends the thread; `onDeath` is not called. */
  end(reason: string): Promise<void>
}

export function startThread(options: ThreadOptions): PluginThread {
  const { data, fresh, memoryMb, silenceMs = SILENCE_MS, log } = options
  const { worker, beats, bell, syncPort } = fresh
  const { id } = data.manifest
  worker.stdout.pipe(linesInto(log, 'info'))
  worker.stderr.pipe(linesInto(log, 'warn'))
  const channel = createChannel(() => worker, options.serve)
  worker.postMessage(data)
  const inContext = AsyncLocalStorage.snapshot()
  // Sent once per turn, so that a thread that floods the host gets a few hundred messages into each.
  let taken = 0
  let tells = false
  const tellTaken = () => {
    tells = false
    Atomics.add(beats, TAKEN, taken)
    Atomics.notify(beats, TAKEN)
    taken = 0
  }
  worker.on('message', (message) => {
    taken += 1
    if (!tells) setImmediate(tellTaken)
    tells = true
    inContext(() => channel.take(message))
  })
  answerSyncCalls(syncPort, bell, options.sync)
  syncPort.unref()
  let isOver = false

  function over(death: Death | null, reason: string): void {
    if (isOver) return
    isOver = true
    clearInterval(watch)
    syncPort.close()
    channel.end(
      new PlayheadError('PLH_ABORTED', `Plugin "${id}": ${reason}`, {
        wire: 'plugin_unavailable',
        details: { plugin: id, reason },
      }),
    )
    if (death !== null) options.onDeath(death)
  }

  async function endHanging(silentMs: number): Promise<void> {
    const frames = await framesOf(worker, data.directory)
    const text = `it did not answer for ${Math.round(silentMs / 100) / 10} s${frames[0] === undefined ? '' : `, in ${frames[0]}`}, and its thread was ended.`
    over({ kind: 'hang', text, frames }, text)
    await worker.terminate()
  }

  const tooMuch = `it used more than ${memoryMb} MB of memory, and its thread was ended.`
  worker.on('error', (error: NodeJS.ErrnoException) => {
    const isMemory = error.code === 'ERR_WORKER_OUT_OF_MEMORY'
    const text = isMemory ? tooMuch : `an error outside of any call ended its thread: ${error.message}`
    over({ kind: isMemory ? 'memory' : 'error', text, frames: [], error }, text)
  })
  worker.on('exit', () => {
    const text = 'its thread ended by itself.'
    over({ kind: 'exit', text, frames: [] }, text)
  })

  const buffers = limitBuffers(worker, memoryMb, () => {
    over({ kind: 'memory', text: tooMuch, frames: [] }, tooMuch)
    void worker.terminate()
  })

  let seen = 0
  let alive = { atMs: performance.now(), usedMs: 0 }
  let [sleptMs, reportedMs, isAsking] = [0, 0, false]
  let checkedAtMs = alive.atMs
  /** Processor time of the thread. Only Linux reports it; elsewhere the worker is asked, also in an endless loop. */
  const usedMs = () => {
    if (!isAsking && threadTime(Atomics.load(beats, THREAD)) === null) {
      isAsking = true
      void worker
        .cpuUsage()
        .then(({ user, system }) => (reportedMs = (user + system) / 1_000))
        .catch(() => {})
        .finally(() => (isAsking = false))
    }
    return threadTime(Atomics.load(beats, THREAD))?.usedMs ?? reportedMs
  }
  const watch = setInterval(() => {
    const nowMs = performance.now()
    const beat = Atomics.load(beats, BEAT)
    const now = { atMs: nowMs, usedMs: usedMs() }
    // A thread that is still loading the SDK is not watched.
    if (beat === 0 || beat !== seen) [alive, sleptMs] = [now, 0]
    // After a pause of the host itself, this adds one step only.
    else if (threadTime(Atomics.load(beats, THREAD))?.isSleeping !== false)
      sleptMs += Math.min(nowMs - checkedAtMs, CHECK_MS)
    // A thread in an endless loop cannot report its own memory.
    if (beat === seen && beat !== 0) void buffers.ask()
    else buffers.found(Atomics.load(beats, BUFFERS_MB))
    if (isOver) return
    seen = beat
    checkedAtMs = nowMs
    if (now.usedMs - alive.usedMs < silenceMs && sleptMs < silenceMs * DEADLOCK_TIMES) return
    clearInterval(watch)
    void endHanging(nowMs - alive.atMs)
  }, CHECK_MS)
  watch.unref()

  const plugin = channel.use<PluginSide>(PLUGIN)
  return {
    plugin,
    channel,
    timers: () => Atomics.load(beats, TIMERS),
    isMigrating: createRunning(beats, MIGRATING).isAny,
    async end(reason) {
      if (isOver) return
      await Promise.race([plugin.retire(reason).catch(() => {}), sleep(RETIRE_MS, undefined, { ref: false })])
      over(null, `it was ${reason}.`)
      await worker.terminate()
    },
  }
}

interface ProfileNode {
  readonly id: number
  readonly hitCount: number
  readonly callFrame: { readonly functionName: string; readonly url: string }
  readonly children?: readonly number[]
  readonly positionTicks?: readonly { readonly line: number; readonly ticks: number }[]
}

/** Where a busy thread is, from a short profile; the plugin's own frames, innermost first. Empty if it is not busy. */
async function framesOf(worker: Worker, directory: string): Promise<readonly string[]> {
  try {
    const profile = (async () => {
      const running = await worker.startCpuProfile()
      await sleep(PROFILE_MS)
      return JSON.parse(await running.stop()) as { readonly nodes: readonly ProfileNode[] }
    })()
    const found = await Promise.race([profile, sleep(PROFILE_MS * 20, null, { ref: false })])
    if (found === null) return []
    const parents = new Map(found.nodes.flatMap((node) => (node.children ?? []).map((child) => [child, node] as const)))
    const isOwn = ({ callFrame }: ProfileNode) => callFrame.url.includes(directory)
    const hottest = found.nodes.reduce((most, node) => (node.hitCount > most.hitCount ? node : most))
    const frames: ProfileNode[] = []
    for (let node: ProfileNode | undefined = hottest; node !== undefined; node = parents.get(node.id)) {
      if (isOwn(node)) frames.push(node)
    }
    return frames.map((node) => `${node.callFrame.functionName || '(anonymous)'} (${placeOf(node)})`)
  } catch {
    return []
  }
}

/** The original position of the line with the most ticks. */
function placeOf({ callFrame, positionTicks = [] }: ProfileNode): string {
  const file = callFrame.url.replace(/^file:\/\//, '')
  const line = positionTicks.reduce((most, tick) => (tick.ticks > most.ticks ? tick : most), {
    line: 1,
    ticks: -1,
  }).line
  return mapped.get(file)?.(line) ?? `${file}:${line}`
}

/** Source maps of evaluated plugins, by file. */
const mapped = new Map<string, (line: number) => string | undefined>()

/** Maps positions in the compiled file to the source; returns the function that removes the map. */
export function knowSourceMap(file: string, code: string): () => void {
  const map = /\/\/# sourceMappingURL=(\S+)\s*$/.exec(code)?.[1]
  if (map === undefined) return () => {}
  mapped.set(file, (line) => {
    try {
      const text = map.startsWith('data:')
        ? Buffer.from(map.slice(map.indexOf(',') + 1), 'base64').toString()
        : readFileSync(map.replace(/^file:\/\//, ''), 'utf8')
      const entry = new SourceMap(JSON.parse(text) as never).findEntry(line - 1, 10_000)
      return 'originalSource' in entry
        ? `${entry.originalSource.replace(/^file:\/\//, '')}:${entry.originalLine + 1}`
        : undefined
    } catch {
      return undefined
    }
  })
  return () => void mapped.delete(file)
}
