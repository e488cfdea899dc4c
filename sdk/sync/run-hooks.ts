// Hooks of a run and of changes to one account. The sync plugin calls them; any plugin taps them with `ctx.tap`. A tap
// that is slow or fails never stops a run: `notify` taps are not awaited, and operations that a `review` tap
// did not judge are deferred with the reason `veto_failed`.
import { type AnyHook, hook } from '../hooks.ts'
import type { Item } from '../items/item.ts'
import type { Feature } from '../provider/features.ts'

export interface HookAccount {
  readonly provider: string
  /** The profile. */
  readonly instance: string
}

/** A run, or a plan of changes to one account. */
export interface HookScope {
  /** For changes to one account without a run: the id of their plan. */
  readonly runId: string
  /** Null: changes to one account. */
  readonly pairId: string | null
  readonly feature: Feature
  /** Nothing is written or stored. */
  readonly dryRun: boolean
}

/** An operation before it is written. */
export interface HookOperation {
  /** Identifies the operation in answers to this call. */
  readonly n: number
  readonly account: HookAccount
  readonly op: 'add' | 'update' | 'remove'
  /** The item's key, as in plans and the history of events. */
  readonly key: string
  /** The item to write. For a removal the row to remove. */
  readonly item: Item
  /** The account's row now; null: it has none. */
  readonly current: Item | null
  /** The reason: `new_on_a`, `removed_on_b`, …, or the caller of changes to one account. */
  readonly cause: string
}

export interface OperationBatch extends HookScope {
  readonly planId: string
  /** At most some hundreds. */
  readonly operations: readonly HookOperation[]
}

/** Replacement values for an operation. Times are ISO 8601 in UTC, and not in the future. */
export interface OperationChange {
  /** Ratings: 1 to 10. */
  readonly rating?: number
  readonly rated_at?: string
  /** History with one row per item. The time of a single play identifies it, so it cannot be changed. */
  readonly watched_at?: string
  /** Progress, in milliseconds. */
  readonly progress_ms?: number
  /** Progress: 0 to 100. */
  readonly progress_percent?: number
  readonly progress_at?: string
}

/** Leaves an operation out. The reason is a sentence for people, at most 300 characters. */
export interface Veto {
  readonly n: number
  readonly veto: string
}

/** Changes the values of an add or update, never its item, its account or its kind. */
export interface Change {
  readonly n: number
  readonly change: OperationChange
  /** A sentence for people, at most 300 characters. */
  readonly reason: string
}

/** Operations that are not named are approved. */
export type Judgement = Veto | Change

/**
 * Judges planned operations in batches, also of dry runs and of changes to one account, before people see the plan; the
 * latter again when they are sent. Answer with vetoes and changes; without any answer all are approved. A tap that
 * throws, takes too long or returns an invalid answer holds all operations of the call until the next
 * run, with the reason `veto_failed` and its plugin's name. After three such calls in a run it is not called again in
 * that run, and the remaining operations are held.
 *
 * @example
 * ctx.tap(FILTER_PLAN, 'no shorts', ({ operations }) =>
 *   operations.flatMap(({ n, op, item }) =>
 *     op === 'add' && item.title?.includes('(Short)') ? [{ n, veto: 'Shorts stay out.' }] : []))
 */
export const FILTER_PLAN = hook.review<OperationBatch, readonly Judgement[]>('filterPlan')

/**
 * The last check before a batch is sent to a service, all for one account and of one kind. Answer with vetoes; the rules
 * of `filterPlan` apply, but nothing can be changed any more.
 *
 * @example
 * ctx.tap(BEFORE_WRITE, 'at night only', ({ operations }) =>
 *   isNight() ? [] : operations.map(({ n }) => ({ n, veto: 'Writes happen at night.' })))
 */
export const BEFORE_WRITE = hook.review<OperationBatch, readonly Veto[]>('beforeWrite')

/**
 * A run began. `pairIds` is empty for a run of changes to one account.
 *
 * @example ctx.tap(RUN_STARTED, 'lamp', ({ runId }) => lamp.on(runId))
 */
export const RUN_STARTED = hook.notify<{
  readonly runId: string
  readonly dryRun: boolean
  readonly pairIds: readonly string[]
  /** The trigger: `api`, `schedule`, … */
  readonly source: string
}>('runStarted')

/**
 * An account was read for a feature of a pair. Not after a failed read.
 *
 * @example ctx.tap(READ_FINISHED, 'sizes', ({ account, feature, rows }) => sizes.note(account, feature, rows))
 */
export const READ_FINISHED = hook.notify<
  HookScope & {
    readonly account: HookAccount
    /** Null: the service reported no change, so the stored rows are used. */
    readonly rows: number | null
    /** False: absence from this read proves nothing. */
    readonly complete: boolean
  }
>('readFinished')

/**
 * Both accounts of a pair were read and compared, and the plan is made next. Not called if nothing can have changed
 * since the last run.
 *
 * @example ctx.tap(BEFORE_PLAN, 'rules', ({ pairId }) => rules.load(pairId))
 */
export const BEFORE_PLAN = hook.notify<HookScope & { readonly accounts: readonly HookAccount[] }>('beforePlan')

/**
 * A plan is made and stored; its operations are at `GET /api/run/plan/{planId}`.
 *
 * @example ctx.tap(PLAN_READY, 'chat', ({ planId, counts }) => counts.remove > 0 && chat.post(`A plan removes: ${planId}`))
 */
export const PLAN_READY = hook.notify<
  HookScope & {
    /** Null: there is nothing to do. */
    readonly planId: string | null
    /** Operations to apply, and those that were left out, held or deferred. */
    readonly counts: {
      readonly add: number
      readonly update: number
      readonly remove: number
      readonly held: number
      readonly deferred: number
      readonly filtered: number
    }
  }
>('planReady')

/**
 * A batch was sent to a service and its outcomes are stored.
 *
 * @example
 * ctx.tap(AFTER_WRITE, 'library scan', ({ account, outcomes }) =>
 *   outcomes.some(({ outcome }) => outcome === 'applied') ? scan(account) : undefined)
 */
export const AFTER_WRITE = hook.notify<
  HookScope & {
    readonly planId: string
    readonly account: HookAccount
    readonly op: HookOperation['op']
    readonly outcomes: readonly {
      readonly key: string
      readonly item: Item
      /** `applied`, `already`, `not_found`, `rejected`, `failed`, `unknown`, … */
      readonly outcome: string
      readonly reason: string | null
    }[]
  }
>('afterWrite')

/**
 * An item is no longer unresolved: it was written, seen, or is not wanted any more.
 *
 * @example ctx.tap(ITEM_RESOLVED, 'tickets', ({ key }) => tickets.close(key))
 */
export const ITEM_RESOLVED = hook.notify<
  HookScope & {
    readonly account: HookAccount
    readonly op: HookOperation['op'] | 'match'
    readonly key: string
    /** Why it was unresolved. */
    readonly reason: string
  }
>('itemResolved')

/**
 * A run ended, and its summary is stored.
 *
 * @example ctx.tap(RUN_FINISHED, 'lamp', ({ result }) => lamp.show(result === 'ok' ? 'green' : 'red'))
 */
export const RUN_FINISHED = hook.notify<{
  readonly runId: string
  readonly dryRun: boolean
  readonly pairIds: readonly string[]
  /** `ok`, `partial`, `failed`, `cancelled` or `skipped`. */
  readonly result: string
  readonly added: number
  readonly updated: number
  readonly removed: number
  readonly unresolved: number
  readonly errors: number
  readonly held: number
}>('runFinished')

/** The hooks that the sync plugin declares and calls. */
export const RUN_HOOKS: readonly AnyHook[] = [
  RUN_STARTED,
  READ_FINISHED,
  BEFORE_PLAN,
  FILTER_PLAN,
  PLAN_READY,
  BEFORE_WRITE,
  AFTER_WRITE,
  ITEM_RESOLVED,
  RUN_FINISHED,
]
