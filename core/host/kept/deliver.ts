// Delivers kept requests through the routes of their plugin, in order of arrival, each at least once.
import { RECEIVED_AT_HEADER } from '@playhead/sdk/host'
import { type Logger, pause, withTimeLimit } from '@playhead/sdk'
import { runAs, runAsHost } from '../run/attribution.ts'
import type { LivePlugin } from '../contract.ts'
import type { KeptRequest } from './seal.ts'
import type { KeptStore } from './store.ts'

const ANSWER_LIMIT_MS = 30_000
const MAX_TRIES = 5
const FIRST_PAUSE_MS = 1_000
const MAX_PAUSE_MS = 60_000

interface Delivery {
  /** Delivers the stored requests of this plugin while it is running; safe to call at any time. */
  start(plugin: string): void
  /** Ends after the current request. */
  close(): Promise<void>
}

interface DeliveryDependencies {
  readonly kept: KeptStore
  readonly liveOf: (plugin: string) => LivePlugin | null
  readonly log: Logger
  /** Before the second try; doubled for each further one. Default 1 s. */
  readonly firstPauseMs?: number | undefined
}

export function createDelivery({ kept, liveOf, log, firstPauseMs = FIRST_PAUSE_MS }: DeliveryDependencies): Delivery {
  const running = new Map<string, { readonly done: Promise<void>; hurry: AbortController }>()
  let isClosed = false

  async function deliverAll(plugin: string, turn: { hurry: AbortController }): Promise<void> {
    let delivered = 0
    let failures = 0
    for (let pauseMs = firstPauseMs; !isClosed; ) {
      const next = await kept.first(plugin)
      const live = liveOf(plugin)
      if (next === null || live === null || isClosed) break
      const outcome = await deliver(live, next.request)
      if (outcome === 'failed') failures += 1
      if (outcome === 'delivered' || failures >= MAX_TRIES) {
        if (outcome === 'delivered') delivered += 1
        else log.error({ plugin, tries: failures }, 'a kept request was given up: the plugin fails on it')
        await kept.remove(next.entry)
        failures = 0
        pauseMs = firstPauseMs
        continue
      }
      await pause(pauseMs, turn.hurry.signal)
      pauseMs = turn.hurry.signal.aborted ? firstPauseMs : Math.min(MAX_PAUSE_MS, 2 * pauseMs)
      if (turn.hurry.signal.aborted) turn.hurry = new AbortController()
    }
    if (delivered > 0) log.info({ plugin, delivered }, 'kept requests were delivered')
  }

  return {
    start(plugin) {
      if (isClosed || !kept.has(plugin)) return
      const known = running.get(plugin)
      if (known !== undefined) return known.hurry.abort()
      const turn = { hurry: new AbortController(), done: Promise.resolve() }
      running.set(plugin, turn)
      turn.done = runAsHost(() => deliverAll(plugin, turn))
        .catch((error: unknown) => log.error({ err: error, plugin }, 'kept requests could not be delivered'))
        .finally(() => running.delete(plugin))
    },
    async close() {
      isClosed = true
      for (const { hurry } of running.values()) hurry.abort()
      await Promise.allSettled([...running.values()].map(({ done }) => done))
    },
  }
}

/** `later`: the service or the plugin is not ready, or its version was replaced during the delivery. */
async function deliver({ staged }: LivePlugin, request: KeptRequest): Promise<'delivered' | 'failed' | 'later'> {
  const { generation, child } = staged
  const cut = Promise.withResolvers<null>()
  const release = generation.lease('request', () => cut.resolve(null))
  try {
    const answer = runAs({ ...generation.owner, work: 'request' }, () =>
      child.inject({
        method: request.method as 'POST',
        url: request.url,
        headers: { ...request.headers, [RECEIVED_AT_HEADER]: String(request.atMs) },
        payload: Buffer.from(request.body),
        remoteAddress: request.remoteAddress,
      }),
    )
    const status = await withTimeLimit(
      Promise.race([answer.then(({ statusCode }) => statusCode), cut.promise]),
      ANSWER_LIMIT_MS,
      () => new Error('not answered in time'),
    )
    if (status === null || status === 503 || status === 429) return 'later'
    return status < 500 ? 'delivered' : 'failed'
  } catch {
    return 'failed'
  } finally {
    release()
  }
}
