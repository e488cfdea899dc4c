// A hub with one generation and a clock without real waits.
import type { LookupFunction } from 'node:net'
import type { AccountOptions, Logger, PlayheadError } from '@playhead/sdk'
import { createUpstreamHub, type GenerationUpstream, type UpstreamHub } from '../../../core/upstream/hub.ts'
import type { Sleep } from '../../../sdk/waiting.ts'

export interface LoggedLine {
  readonly level: string
  readonly fields: object | string
  readonly text: string | undefined
}

export interface Client extends AsyncDisposable {
  readonly hub: UpstreamHub
  readonly upstream: GenerationUpstream
  readonly logs: readonly LoggedLine[]
  /** All requested waits, in milliseconds. */
  readonly waits: readonly number[]
  now(): number
  advance(ms: number): void
  /** Another generation of the same plugin on the same hub. */
  generation(signal?: AbortSignal): GenerationUpstream
}

export interface ClientOptions {
  readonly allowed?: readonly string[]
  readonly random?: () => number
  readonly lookup?: LookupFunction
  /** Real waits. */
  readonly realTime?: boolean
}

export function createClient({
  allowed = ['127.0.0.1', 'localhost'],
  random = () => 0.5,
  lookup,
  realTime = false,
}: ClientOptions = {}): Client {
  const logs: LoggedLine[] = []
  const waits: number[] = []
  const generations: GenerationUpstream[] = []
  let nowMs = 1_790_000_000_000

  const skip: Sleep = (ms, signal) =>
    new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason as Error)
      waits.push(ms)
      setImmediate(() => {
        if (signal.aborted) return reject(signal.reason as Error)
        nowMs += ms
        resolve()
      })
    })

  const hub = createUpstreamHub({
    clock: { now: () => (realTime ? Date.now() : nowMs) },
    log: recorder(logs),
    redact: (text) => text.replaceAll('host-wide-secret', '[redacted]'),
    random,
    ...(realTime ? {} : { sleep: skip }),
    ...(lookup === undefined ? {} : { lookup }),
  })
  const generation = (signal: AbortSignal = new AbortController().signal) => {
    const upstream = hub.factory({
      plugin: 'tested',
      allowedHosts: () => allowed,
      signal,
      log: recorder(logs),
      run: (work) => work(),
    })
    generations.push(upstream)
    return upstream
  }

  return {
    hub,
    upstream: generation(),
    logs,
    waits,
    now: () => nowMs,
    advance(ms) {
      nowMs += ms
    },
    generation,
    async [Symbol.asyncDispose]() {
      for (const upstream of generations) await upstream.close()
    },
  }
}

export function recorder(logs: LoggedLine[]): Logger {
  const at = (level: string) => (fields: object | string, text?: string) => void logs.push({ level, fields, text })
  const log: Logger = {
    trace: at('trace'),
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    channel: () => log,
  }
  return log
}

export function bearer(token: () => string | undefined): NonNullable<AccountOptions['credential']> {
  return {
    secrets: () => ({ token: token() }),
    place: [{ in: 'header', name: 'authorization', template: 'Bearer {token}' }],
  }
}

/** The error of the work; fails if there is none. */
export async function failureOf(work: Promise<unknown>): Promise<Error & Partial<PlayheadError>> {
  try {
    await work
  } catch (error) {
    return error as Error
  }
  throw new Error('expected a failure')
}

/** Resolves when the condition holds; fails after two seconds. */
export async function eventually(condition: () => boolean): Promise<void> {
  for (let round = 0; round < 4_000; round += 1) {
    if (condition()) return
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  throw new Error('the condition did not come true within twenty seconds')
}
