// Sign-in flows that take more than one step: a code that a person types in elsewhere, a page where they say yes. The
// steps are the provider's; state, expiry, polling, cancelling and the secrets in between are kept here, in memory, and
// survive a reload.
import type { SignInMethod } from '../contract.ts'

export interface FlowBegun {
  /** What the person gets to see: code, address. */
  readonly shown: Readonly<Record<string, unknown>>
  /** What only `poll` gets: device code, pin id. Plain data; never leaves the process. */
  readonly secret: unknown
  readonly expiresAtMs: number
  /** Shortest time between two polls. */
  readonly intervalMs: number
}

export type FlowAnswer =
  | { readonly state: 'pending' }
  /** Pending, and asked too often: the interval grows by this much (default 5 s). */
  | { readonly state: 'slow_down'; readonly byMs?: number }
  /** The credential is stored. `result` is shown to the person. */
  | { readonly state: 'authorized'; readonly result?: Readonly<Record<string, unknown>> }
  | { readonly state: 'denied' | 'expired' | 'failed'; readonly reason?: string }

export interface SignInFlow {
  readonly method: SignInMethod
  /** true: the flow is polled by itself until it ends; false: only when somebody asks. */
  readonly background: boolean
  start(signal: AbortSignal): Promise<FlowBegun>
  /**
   * Asks the service; on success stores the credential before it answers. Thrown errors that pass (timeout, 5xx) leave
   * it pending.
   */
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

/** At most one flow per profile and method; starting another ends the one before. */
export interface SignInFlows {
  /** Starts a flow and gives what to show. Rejects with what `flow.start` throws; then nothing is kept. */
  start(instance: string, flow: SignInFlow): Promise<FlowState>
  /**
   * The state after asking the service, unless it was asked less than the interval ago. undefined: there is no such
   * flow. An ended flow is told for ten minutes.
   */
  poll(instance: string, method: SignInMethod): Promise<FlowState | undefined>
  /** The state as it is known. */
  state(instance: string, method: SignInMethod): FlowState | undefined
  /** True when there was one to cancel. */
  cancel(instance: string, method: SignInMethod): boolean
}
