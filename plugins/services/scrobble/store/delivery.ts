// A delivery: one report for one tracker account, stored until the tracker has it.
import type { AccountName, Item, PlaybackAccount } from '@playhead/sdk'
import type { Method } from '../contract.ts'

/**
 * - `queued`: to be sent now. `waiting`: to be retried at `dueAtMs`.
 * - `sending`: a play that may have reached the tracker.
 * - `planned`: a play that the library writes into the history.
 * - `done`, `failed` (the tracker rejects it), `dropped` (by a person).
 */
export type DeliveryState = 'queued' | 'sending' | 'waiting' | 'planned' | 'done' | 'failed' | 'dropped'

export const OPEN_STATES: readonly DeliveryState[] = ['queued', 'sending', 'waiting', 'planned']

export const ALL_STATES: readonly DeliveryState[] = [...OPEN_STATES, 'done', 'failed', 'dropped']

export interface Delivery {
  readonly id: string
  readonly destination: string
  /** Key of the viewing at its destination. */
  readonly viewing: string
  /** The route, or the webhook destination. */
  readonly lane: string
  readonly method: Method
  readonly source: AccountName
  readonly sink: AccountName
  /** The account at the service that the sink was signed in to; absent if unknown. */
  readonly sinkAccount?: string
  readonly session: string
  readonly action: 'start' | 'pause' | 'stop' | 'rating'
  readonly completed: boolean
  readonly percent: number
  readonly durationMs: number | null
  /** 1 to 10; null removes the rating. Only with the action `rating`. */
  readonly rating: number | null
  readonly autoRemove: boolean
  /** When the event happened, and when the viewing began; epoch milliseconds. */
  readonly atMs: number
  readonly startedAtMs: number
  readonly item: Item
  readonly account: PlaybackAccount
  readonly state: DeliveryState
  readonly dueAtMs: number
  readonly attempts: number
  /** Why the delivery waits or failed. */
  readonly reason: string | null
  /** The plan of the library that adds the play to the history. */
  readonly planId: string | null
  readonly doneAtMs: number | null
  /** The time that the tracker stored. */
  readonly watchedAtMs: number | null
}

/** A tracker account, as a key. */
export function sinkKey({ provider, instance }: AccountName): string {
  return `${provider}:${instance}`
}

/** Delivered plays and ratings stay listed; positions do not. */
export function isKept({ completed, action, state }: Delivery): boolean {
  return completed || action === 'rating' || state !== 'done'
}
