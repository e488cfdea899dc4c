// Multi-step sign-in flows: device codes and confirmation pages. The provider implements the steps; state, expiry,
// polling, cancelling and secrets live in memory and survive a reload.
import type { PlayheadError } from '../../errors.ts'
import type { SignInMethod } from './contract.ts'

export interface FlowBegun {
  /** Shown to the person: code, address. */
  readonly shown: Readonly<Record<string, unknown>>
  /** For `poll` only: device code, PIN id. Plain data; never leaves the process. */
  readonly secret: unknown
  readonly expiresAtMs: number
  /** Minimum time between polls. */
  readonly intervalMs: number
}

export type FlowAnswer =
  | { readonly state: 'pending' }
  /** Pending, polled too often: increases the interval by this much (default 5 s). */
  | { readonly state: 'slow_down'; readonly byMs?: number }
  /** The credential is stored. `result` is shown to the person. */
  | { readonly state: 'authorized'; readonly result?: Readonly<Record<string, unknown>> }
  | { readonly state: 'denied' | 'expired' | 'failed'; readonly reason?: string }

export interface SignInFlow {
  readonly method: SignInMethod
  /** true: polled in the background until it ends; false: polled only by client requests. */
  readonly background: boolean
  start(signal: AbortSignal): Promise<FlowBegun>
  /** Asks the service and stores the credential on success. Temporary errors (timeout, 5xx) leave it pending. */
  poll(secret: unknown, signal: AbortSignal): Promise<FlowAnswer>
}

export interface FlowState {
  readonly method: SignInMethod
  readonly state: 'pending' | 'authorized' | 'denied' | 'expired' | 'failed'
  readonly shown: Readonly<Record<string, unknown>>
  readonly result?: Readonly<Record<string, unknown>>
  readonly reason?: string
  readonly startedAtMs: number
  readonly expiresAtMs: number
  readonly intervalMs: number
}

/** At most one flow per profile and method; a new one replaces it. */
export interface SignInFlows {
  /** Starts a flow and returns what to show. Rejects with what `flow.start` throws. */
  start(instance: string, flow: SignInFlow): Promise<FlowState>
  /**
   * The state after polling the service, at most once per interval. undefined: no such flow. An ended flow is reported
   * for ten minutes.
   */
  poll(instance: string, method: SignInMethod): Promise<FlowState | undefined>
  /** The last known state. */
  state(instance: string, method: SignInMethod): FlowState | undefined
  /** Why the last poll of a pending flow failed, which is repeated; undefined if the service answered. */
  problem(instance: string, method: SignInMethod): PlayheadError | undefined
  /** True if there was a flow to cancel. */
  cancel(instance: string, method: SignInMethod): boolean
}
