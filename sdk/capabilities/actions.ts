// The capability `actions`: changes that a person or a plugin requests at accounts, outside runs. The library plans, guards,
// journals and undoes each of them. This capability carries them out at several accounts, and gives their outcomes one meaning.
import { capability } from '../capability.ts'
import type { PlayheadError, PlayheadErrorCode } from '../errors.ts'
import type { AccountChange, AccountChanges, ApplyOptions, ChangeOutcome, LibraryService } from './library.ts'

export const ACTIONS = capability<Actions>('actions')

/**
 * - `done`: the account confirmed it.
 * - `already`: the account was as requested, so nothing was changed.
 * - `waiting`: the account is in use. The change is stored, and made as soon as it is free, also after a restart.
 * - `unresolved`: the account or a rule does not accept it, or the account did not confirm it.
 * - `failed`: not done, for a reason that may pass: a limit, a missing connection, a row that changed since it was read.
 */
export type ActionStatus = 'done' | 'already' | 'waiting' | 'unresolved' | 'failed'

/** The outcome of one change. `outcome` has the details of the write. */
export interface ActionOutcome extends ChangeOutcome {
  readonly status: ActionStatus
  /** The account is as requested: `done` or `already`. */
  readonly ok: boolean
  /** A code, never a text of a service. Set unless `ok`. */
  readonly reason?: string
  /** A request was sent to the service, or may have been. */
  readonly sent: boolean
  /** Trying again may help. */
  readonly retryable: boolean
  /** HTTP status with which the service refused it, if it is known. */
  readonly remoteStatus: number | null
  /** HTTP status of an answer about this change alone: 200, 409, 502, 504, or that of an error before the first write. */
  readonly http: number
}

/** Why nothing was planned or sent. */
export interface ActionFailure {
  readonly code: PlayheadErrorCode | null
  /** As `reason` of its outcomes. */
  readonly reason: string
  /** The message of the error; empty for a plugin bug. */
  readonly message: string
  readonly details?: PlayheadError['details']
}

export interface ActionReport {
  /** The stored plan, for display and `library.undo`; null if none was made. */
  readonly planId: string | null
  /** The plan is queued, or is being applied. */
  readonly isWaiting: boolean
  /**
   * For `act`: one per change, in their order. Otherwise in the order of the plan; empty while the plan waits, and for a `long`
   * plan.
   */
  readonly outcomes: readonly ActionOutcome[]
  readonly failure?: ActionFailure
}

/** One operation on items of one account. */
export interface ActionOrder extends AccountChanges {
  /**
   * Whether removals that the guard holds are applied too. `mass_delete`: only because their number was requested; not
   * removals that affect other data. Default false.
   */
  readonly approved?: boolean | 'mass_delete'
  /** Waits for a run that uses the account, milliseconds, then queues the plan. Absent: fails with `busy`. */
  readonly waitMs?: number
}

export interface ActionApplyOptions extends ApplyOptions {
  /** As in `ActionOrder`. */
  readonly waitMs?: number
}

export interface ActionSequence extends Omit<ApplyOptions, 'long'> {
  /**
   * Each plan was made for the state after the previous ones: one change that is `held`, `failed` or `unknown` ends the sequence,
   * because a later change could lose or double what it left. Otherwise all plans are applied.
   */
  readonly dependent: boolean
}

/** The outcome of plans with many changes. */
export interface ActionTally {
  /** Changes that the account confirmed or had already. */
  readonly done: Readonly<Record<AccountChange['op'], number>>
  /** Changes that the service or a plugin does not accept. */
  readonly refused: number
  /** Those of `refused` that are never sent. */
  readonly filtered: number
  /** All others: held, failed, not sent, or perhaps done. */
  readonly unsettled: number
  /** The first five hundred of each plan that are not done. */
  readonly open: readonly ActionOutcome[]
  /** Codes of errors that ended the sequence. */
  readonly errors: readonly string[]
}

export type ActionProgress =
  /** Progress of the plan at `index`, when it begins and every half second. */
  | { readonly type: 'progress'; readonly index: number; readonly tried: number; readonly total: number | null }
  | { readonly type: 'end'; readonly tally: ActionTally }

/** `plan` and `planTarget` are those of the library: they write nothing. */
export interface Actions extends Pick<LibraryService, 'plan' | 'planTarget'> {
  /**
   * Plans and applies orders: accounts concurrently, orders of one account one after the other, regardless of
   * the ones before. Never throws for an account: its report has the failure, and the others continue.
   */
  act(orders: readonly ActionOrder[]): Promise<readonly ActionReport[]>
  /**
   * Applies a plan, also of a list. With `waitMs` it is idempotent: a plan that is being applied, is queued or was
   * applied before, for example by an earlier process, returns its outcomes.
   *
   * @param signal ends it after the current batch
   * @throws as `library.apply`
   */
  apply(planId: string, options?: ActionApplyOptions, signal?: AbortSignal): Promise<ActionReport>
  /**
   * Applies plans of one account in order, also with very many changes. A plan that cannot be applied ends it.
   * Leaving the iteration early waits for the current plan.
   *
   * @param signal ends it after the current batch
   */
  applyInOrder(planIds: readonly string[], options: ActionSequence, signal?: AbortSignal): AsyncIterable<ActionProgress>
  /** @throws `PLH_NOT_FOUND` (`plan_not_found`) */
  outcomes(planId: string): Promise<ActionReport>
}
