// One loaded version of one plugin: what it registered, who is using it, and how it ends.
//
// staging -> live -> draining -> disposed. While it drains, nothing new reaches it, and what is under way ends on it.
// Requests, hooks and calls get DRAIN_MS; jobs may go on until a second newer generation comes, or the host stops.
// Then the signal aborts, what is still held is cut, and the releases run last-in first-out, each with its own limit.
import type { ServerResponse } from 'node:http'
import type { Owner } from './attribution.ts'
import { withTimeLimit } from '@playhead/sdk'

export const DRAIN_MS = 10_000
export const RELEASE_MS = 5_000

export type LeaseKind = 'request' | 'hook' | 'call' | 'event' | 'job'

interface Lease {
  readonly kind: LeaseKind
  /** Ends the work by force. */
  readonly cut: (() => void) | undefined
}

/** A response under way. They are chained, because a set would hash each of them, and every request passes here. */
export interface HeldResponse {
  readonly response: ServerResponse
  before: HeldResponse | null
  after: HeldResponse | null
}

export interface Retirement {
  /** All leases ended by themselves. */
  readonly drained: boolean
  /** Releases that threw or did not end. */
  readonly failures: readonly { readonly label: string; readonly error: unknown }[]
}

export class Generation {
  readonly plugin: string
  readonly seq: number
  readonly owner: Owner
  /** Origins that people entered for this generation's accounts: it may connect to them. */
  readonly entered = new Set<string>()
  readonly #abort = new AbortController()
  readonly #releases = new AsyncDisposableStack()
  readonly #failures: { label: string; error: unknown }[] = []
  readonly #leases = new Set<Lease>()
  #responses = 0
  #lastResponse: HeldResponse | null = null
  #notify: (() => void) | null = null
  #hurry: (() => void) | null = null

  constructor(plugin: string, seq: number) {
    this.plugin = plugin
    this.seq = seq
    this.owner = { plugin, generation: seq, work: 'stage' }
  }

  get signal(): AbortSignal {
    return this.#abort.signal
  }

  get inFlight(): number {
    return this.#leases.size + this.#responses
  }

  /** Registers a release. Fails once disposal began: what is registered too late would never be released. */
  own(label: string, release: () => void | Promise<void>): void {
    this.#releases.defer(async () => {
      try {
        await withTimeLimit(
          Promise.resolve(release()),
          RELEASE_MS,
          () => new Error(`"${label}" did not end within ${RELEASE_MS} ms`),
        )
      } catch (error) {
        this.#failures.push({ label, error })
      }
    })
  }

  lease(kind: LeaseKind, cut?: () => void): () => void {
    const lease: Lease = { kind, cut }
    this.#leases.add(lease)
    return () => {
      if (this.#leases.delete(lease)) this.#notify?.()
    }
  }

  /** A request's lease. Give it back with `letGo`, once. */
  hold(response: ServerResponse): HeldResponse {
    const held: HeldResponse = { response, before: this.#lastResponse, after: null }
    if (held.before !== null) held.before.after = held
    this.#lastResponse = held
    this.#responses += 1
    return held
  }

  letGo(held: HeldResponse): void {
    if (held.before !== null) held.before.after = held.after
    if (held.after === null) this.#lastResponse = held.before
    else held.after.before = held.before
    this.#responses -= 1
    this.#notify?.()
  }

  /** Ends a job's privilege to outlast the drain: called when yet another generation has come. */
  hurry(): void {
    this.#hurry?.()
  }

  /** Drains, aborts, releases. Never throws; never takes longer than its limits. */
  async retire(reason: string, drainMs: number = DRAIN_MS, jobsMs: number = drainMs): Promise<Retirement> {
    const drained = (await this.#idle(false, drainMs)) && (await this.#idle(true, jobsMs))
    this.#abort.abort(new Error(`plugin "${this.plugin}" was ${reason}`))
    for (const lease of this.#leases) lease.cut?.()
    for (let held = this.#lastResponse; held !== null; held = held.before) held.response.destroy()
    this.#leases.clear()
    await this.#releases.disposeAsync()
    return { drained, failures: this.#failures }
  }

  /** Resolves true when nothing is held any more (jobs count only when asked for), false at the limit. */
  #idle(withJobs: boolean, limitMs: number): Promise<boolean> {
    const isIdle = () => this.#responses === 0 && (withJobs ? this.#leases.size === 0 : !this.#hasShortLease())
    if (isIdle()) return Promise.resolve(true)
    return new Promise((resolve) => {
      const end = (result: boolean) => {
        clearTimeout(timer)
        this.#notify = null
        this.#hurry = null
        resolve(result)
      }
      const timer = setTimeout(() => end(isIdle()), limitMs)
      this.#notify = () => {
        if (isIdle()) end(true)
      }
      if (withJobs) this.#hurry = () => end(isIdle())
    })
  }

  #hasShortLease(): boolean {
    for (const lease of this.#leases) if (lease.kind !== 'job') return true
    return false
  }
}
