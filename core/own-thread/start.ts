// A plugin's thread as seen from the main thread: started with the first call and restarted after a crash.
import { AsyncLocalStorage } from 'node:async_hooks'
import { getCompileCacheDir } from 'node:module'
import { dirname, join } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { Logger, OwnThread, Remote, ThreadOptions, WorkHold, WorkRegistry } from '@playhead/sdk'
import { PlayheadError } from '@playhead/sdk/host'
import { valueOrStream } from '../host/compose/remote.ts'
import { ROOT } from '../installation.ts'
import { limitBuffers } from './buffers.ts'
import { createChannel, type Channel } from './channel.ts'
import { HOST_LIFE, HOST_LOG, HOST_WORK, type LifeRelay, type StartData, WORK, type WorkRelay } from './names.ts'
import { createRelay } from './relayed-log.ts'

interface ThreadRequest extends ThreadOptions {
  /** Absolute path, evaluated at each start. */
  readonly module: () => Promise<string>
  readonly databases: string
  readonly log: Logger
  /** Absent for threads without holds. */
  readonly registry?: WorkRegistry
  readonly use: (token: string) => object
  /** Megabytes; a thread with larger buffers is ended. */
  readonly buffersMb?: number
  /** The thread ends after so long without a message, unless it has to stay. */
  readonly idleMs?: number
}

// The working set is here; the main thread has its own limits.
// A smaller young generation copies the rows of a page again and again; a larger one only takes memory.
const LIMITS = { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 12 }
const CLOSE_MS = 5_000
const BUFFERS_MB = 1_024
const WEIGH_MS = 1_000
/** A thread takes 10 to 30 MB, and starts in 50 ms of processor time. */
const IDLE_MS = 30_000

interface Running {
  readonly worker: Worker
  readonly channel: Channel
  /** It is in use. */
  touch(): void
}

interface StartedThread<Work extends object> extends OwnThread<Work> {
  /** Ends the thread after current calls, or after five seconds. */
  close(): Promise<void>
}

export function createOwnThread<Work extends object>({
  module,
  databases,
  log,
  registry,
  use,
  offers = {},
  buffersMb = BUFFERS_MB,
  idleMs = IDLE_MS,
}: ThreadRequest): StartedThread<Work> {
  let current: Promise<Running> | null = null
  let live: Worker | null = null
  let isClosed = false
  const inContext = AsyncLocalStorage.snapshot()
  const relay = createRelay(log)

  async function start(): Promise<Running> {
    const file = await module()
    const compiled = getCompileCacheDir()
    const worker = new Worker(join(ROOT, 'core/own-thread/entry.js'), {
      name: 'plugin',
      workerData: {
        module: file,
        databases,
        compileCache: compiled === undefined ? null : dirname(compiled),
      } satisfies StartData,
      resourceLimits: LIMITS,
      execArgv: [],
    })
    const holds = registry === undefined ? undefined : holdsOf(registry)
    let mustStay = false
    const life: LifeRelay = {
      async stay(must) {
        mustStay = must
      },
    }
    const channel = createChannel(
      () => worker,
      (token) => {
        if (token === HOST_LOG) return relay
        if (token === HOST_LIFE) return life
        return token === HOST_WORK ? holds?.relay : (offers[token] ?? use(token))
      },
    )
    live = worker
    const buffers = limitBuffers(worker, buffersMb, () => {
      gone(new Error(`it held more than ${buffersMb} MB in buffers`))
      void worker.terminate()
    })
    const weighing = setInterval(() => void buffers.ask(), WEIGH_MS).unref()
    const idle = setTimeout(endIdle, idleMs).unref()
    function endIdle(): void {
      if (channel.busy() > 0 || channel.isReading() || mustStay) return void idle.refresh()
      // The next call starts another one.
      gone()
      void worker.terminate()
    }
    const gone = (cause?: unknown) => {
      clearInterval(weighing)
      clearTimeout(idle)
      if (live === worker) current = live = null
      holds?.end()
      channel.end(
        new PlayheadError(
          'PLH_ABORTED',
          `The thread of the plugin ended${cause instanceof Error ? ` (${cause.message})` : ''}. Try again.`,
          cause === undefined ? {} : { cause },
        ),
      )
    }
    const touch = () => void idle.refresh()
    worker.on('message', (message) => {
      touch()
      inContext(() => channel.take(message))
    })
    worker.on('error', gone)
    worker.on('exit', () => gone())
    worker.unref()
    return { worker, channel, touch }
  }

  function running(): Promise<Running> {
    if (current !== null) return current
    const starting = start()
    current = starting
    // The next call retries.
    starting.catch(() => {
      if (current === starting) current = null
    })
    return starting
  }

  async function call(name: string, args: readonly unknown[]): Promise<unknown> {
    if (isClosed) throw new PlayheadError('PLH_PLUGIN_DISPOSED', 'The thread of the plugin was closed.')
    const { worker, channel, touch } = await running()
    touch()
    // Only a thread in use keeps the process alive.
    worker.ref()
    try {
      return await (
        channel.use<Record<string, (...args: readonly unknown[]) => unknown>>(WORK)[name] as (
          ...args: readonly unknown[]
        ) => Promise<unknown>
      )(...args)
    } finally {
      if (channel.busy() === 0) worker.unref()
    }
  }

  const functions = new Map<string, (...args: unknown[]) => Promise<unknown>>()
  return {
    work: new Proxy(Object.freeze({}), {
      get(_target, name) {
        if (typeof name === 'symbol' || name === 'then') return undefined
        return functions.getOrInsertComputed(
          name,
          () =>
            (...args: unknown[]) =>
              valueOrStream(call(name, args)),
        )
      },
    }) as Remote<Work>,
    async stop() {
      const { worker } = (await current?.catch(() => null)) ?? {}
      await worker?.terminate()
    },
    async close() {
      isClosed = true
      const left = (await current?.catch(() => null)) ?? null
      if (left === null) return
      const { worker, channel } = left
      const endMs = Date.now() + CLOSE_MS
      while (channel.busy() > 0 && Date.now() < endMs) await new Promise((resolve) => setTimeout(resolve, 20))
      await worker.terminate()
    },
  }
}

/** The holds of one thread. */
function holdsOf(registry: WorkRegistry): { readonly relay: WorkRelay; end(): void } {
  const holds = new Map<string, WorkHold>()
  const ended = new AbortController()
  const keep = (hold: WorkHold) => {
    if (ended.signal.aborted) hold.release()
    else holds.set(hold.id, hold)
    return hold.id
  }
  return {
    relay: {
      begin: async (work) => keep(registry.begin(work)),
      beginWhenFree: async (work, signal) =>
        keep(
          await registry.beginWhenFree(work, {
            signal: signal === null ? ended.signal : AbortSignal.any([signal, ended.signal]),
          }),
        ),
      async release(id) {
        holds.get(id)?.release()
        holds.delete(id)
      },
    },
    end() {
      ended.abort()
      for (const hold of holds.values()) hold.release()
      holds.clear()
    },
  }
}
