// One loaded version of a plugin: its registrations, its leases, and its disposal.
//
// staging -> live -> draining -> disposed. While draining it gets no new work. Requests, hooks and calls have DRAIN_MS;
// jobs may continue until a second newer generation or the end of the host. Then the signal aborts, remaining leases
// are cut, and the releases run last-in first-out, each with its own time limit.
import type { ServerResponse } from 'node:http'
import type { Owner } from './attribution.ts'
import { orAfter, withTimeLimit } from '@playhead/sdk'

export const DRAIN_MS = 10_000
const RELEASE_MS = 5_000

export type LeaseKind = 'request' | 'hook' | 'call' | 'event' | 'job'

interface Lease {
  readonly kind: LeaseKind
  /** Cuts the work. */
  readonly cut: (() => void) | undefined
}

/** A response in progress. A linked list, because a set would hash every request. */
export interface ResponseLease {
  readonly response: ServerResponse
  before: ResponseLease | null
  after: ResponseLease | null
}

interface Retirement {
  /** All leases ended without being cut. */
  readonly drained: boolean
  /** Releases that threw or timed out. */
  readonly failures: readonly { readonly label: string; readonly error: unknown }[]
}

export class Generation {
  readonly plugin: string
  readonly seq: number
  readonly owner: Owner
  /** Origins that people entered for this generation's accounts; connections to them are allowed. */
  readonly entered = new Set<string>()
  readonly #abort = new AbortController()
  readonly #releases = new AsyncDisposableStack()
  readonly #failures: { label: string; error: unknown }[] = []
  readonly #leases = new Set<Lease>()
  #responses = 0
  #lastResponse: ResponseLease | null = null
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

  /** Registers a release. Throws once disposal started. */
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

  /** Leases a request. Release it once, with `releaseResponse`. */
  leaseResponse(response: ServerResponse): ResponseLease {
    const lease: ResponseLease = { response, before: this.#lastResponse, after: null }
    if (lease.before !== null) lease.before.after = lease
    this.#lastResponse = lease
    this.#responses += 1
    return lease
  }

  releaseResponse(lease: ResponseLease): void {
    if (lease.before !== null) lease.before.after = lease.after
    if (lease.after === null) this.#lastResponse = lease.before
    else lease.after.before = lease.before
    this.#responses -= 1
    this.#notify?.()
  }

  /** Ends the extended drain of jobs: another generation was published. */
  hurry(): void {
    this.#hurry?.()
  }

  /** Drains, aborts, releases. Never throws and never exceeds its time limits. */
  async retire(reason: string, drainMs: number = DRAIN_MS, jobsMs: number = drainMs): Promise<Retirement> {
    const drained = (await this.#idle(false, drainMs)) && (await this.#idle(true, jobsMs))
    this.#abort.abort(new Error(`plugin "${this.plugin}" was ${reason}`))
    for (const lease of this.#leases) lease.cut?.()
    for (let lease = this.#lastResponse; lease !== null; lease = lease.before) lease.response.destroy()
    this.#leases.clear()
    await this.#releases.disposeAsync()
    return { drained, failures: this.#failures }
  }

  /** Resolves true when there are no leases (jobs only if requested), false at the limit. */
  #idle(withJobs: boolean, limitMs: number): Promise<boolean> {
    const isIdle = () => this.#responses === 0 && (withJobs ? this.#leases.size === 0 : !this.#hasShortLease())
    if (isIdle()) return Promise.resolve(true)
    const { promise, resolve } = Promise.withResolvers<boolean>()
    this.#notify = () => {
      if (isIdle()) resolve(true)
    }
    if (withJobs) this.#hurry = () => resolve(isIdle())
    return orAfter(promise, limitMs, null)
      .then((result) => result ?? isIdle())
      .finally(() => {
        this.#notify = null
        this.#hurry = null
      })
  }

  #hasShortLease(): boolean {
    for (const lease of this.#leases) if (lease.kind !== 'job') return true
    return false
  }
}
