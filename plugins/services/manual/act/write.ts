// Executes one action at one account: checks the current rows, stores a plan with its own note, and applies it.
import {
  accountName,
  type AccountChange,
  type ActionReport,
  type Actions,
  createTurns,
  type Feature,
  type FeatureSupport,
  type LibraryService,
  type Remote,
} from '@playhead/sdk'
import { formatInstant, formatTime, type Item, itemKey, kindOf, parseTime, rowKey, tokensOf } from '@playhead/sdk/items'
import { itemToWrite } from '@playhead/sdk/sync'
import type { Action, ActionResult } from '../request/body.ts'
import type { Order, Work } from '../request/order.ts'
import type { Play } from '../request/plays.ts'
import type { PlanDoc, PlanEntry, Store, StoredPlan } from '../store/store.ts'
import type { Target } from '../targets.ts'
import { type Already, identityOf, tokensOfPlay } from './already.ts'
import { ALREADY, type Result, resultsOf, summaryOf } from './outcomes.ts'

export interface Task {
  readonly requestId: string
  /** The request was started before, so it may have plans. */
  readonly isResumed: boolean
  readonly order: Order
  /** The title with all ids. */
  readonly item: Work
  readonly plays: readonly Play[]
  readonly target: Target
}

/** The progress of an action; no step starts after the time limit. */
export interface Phase {
  isPlanned: boolean
  planId?: string
  isOver: boolean
  readonly endsAtMs: number
}

interface WriterOptions {
  readonly actions: Pick<Remote<Actions>, 'plan' | 'apply'>
  readonly library: () => Pick<Remote<LibraryService>, 'rowsOfWorks'>
  readonly store: Store
  readonly already: Already
  /** Called when a plan ended or waits. */
  readonly ended: (plan: StoredPlan, report: ActionReport) => Promise<void>
  readonly now: () => number
}

const CAUSE = 'manual'
const FEATURES: Readonly<Record<Action, 'history' | 'watchlist' | 'ratings'>> = {
  history: 'history',
  watchlist: 'watchlist',
  rating: 'ratings',
  remove_watchlist: 'watchlist',
}
class Over extends Error {}

export function createWriter({ actions, library, store, already, ended, now }: WriterOptions) {
  const turns = new Map<string, ReturnType<typeof createTurns>>()

  async function write(task: Task, action: Action, phase: Phase): Promise<ActionResult> {
    const { target, item, requestId, isResumed, order } = task
    const support = supportOf(target, action)
    if (support === undefined) return notSupported(action)
    if (action !== 'history' && !support.kinds.includes(kindOf(item))) return UNSUPPORTED_TYPE
    const stored = isResumed
      ? await store.planOf(requestId, accountName(target.provider, target.instance), action)
      : undefined
    const resumed = stored === undefined ? undefined : { ...stored, applied: apply(stored, false, phase) }
    if (action === 'history') return history(task, support, phase, resumed)
    const { doc, applied } =
      resumed ??
      (await inTurn(target, phase, async () => {
        if (action === 'remove_watchlist') return planned(task, action, [await removal(target, item)], phase)
        const rated_at = formatTime({ atMs: now(), precision: 'second' })
        const values = action === 'rating' ? { rating: order.rating as number, rated_at } : {}
        const change = { op: 'add', item: { ...itemToWrite(item, []), ...values } } as const
        return planned(task, action, [{ entry: entryOf(itemKey(item), item), change }], phase)
      }))
    return resultsOf(await applied)(doc.entries[0]!.key)
  }

  async function history(
    task: Task,
    support: FeatureSupport,
    phase: Phase,
    resumed: Applying | undefined,
  ): Promise<ActionResult> {
    const { plays, target, item } = task
    const isSingle = support.plays?.write === true
    const results = new Map<Play, Result | Promise<Result>>()
    for (const play of plays) {
      if (!support.kinds.includes(play.item.type)) results.set(play, UNSUPPORTED_TYPE)
      // Without a time the service would store the current time.
      else if (parseTime(timeText(play)) === undefined) results.set(play, UNSUPPORTED_DATE)
    }
    const open = () => plays.filter((play) => !results.has(play))
    const plan =
      resumed ??
      (open().length === 0
        ? undefined
        : await inTurn(target, phase, async () => {
            const join = (planId: string) => resume(planId, phase)
            for (const [play, result] of await already(target, open(), join)) results.set(play, result)
            const changes = open().map((play) => playChange(play, isSingle))
            return changes.length === 0 ? undefined : planned(task, 'history', changes, phase, isSingle)
          }))
    if (plan !== undefined) {
      const resultOf = resultsOf(await plan.applied)
      const keys = new Set(plan.doc.entries.map(({ key }) => key))
      for (const play of plays) {
        const key = rowKey(watched(play), isSingle)
        if (keys.has(key)) results.set(play, resultOf(key))
        // After a restart the request continued, and the row already existed.
        else if (!results.has(play)) results.set(play, ALREADY)
      }
    }
    const all = await Promise.all(plays.map((play) => results.get(play) as Result))
    if (item.type === 'movie' || item.type === 'episode') return all[0] as Result
    return summaryOf(
      plays.map(({ item: { season = 0, episode = 0 } }, index) => ({ ...(all[index] as Result), season, episode })),
    )
  }

  /** The account's own row, if it was read: a list may store it under other ids. */
  async function removal({ provider, instance }: Target, item: Work): Promise<Change> {
    const tokens = new Set(tokensOf(item, { within: 'provider' }))
    for await (const page of library().rowsOfWorks(provider, instance, 'watchlist', [item])) {
      const row = page.find((each) => tokensOf(each.item, { within: 'provider' }).some((token) => tokens.has(token)))
      if (row === undefined) continue
      return { entry: entryOf(row.key, item), change: { op: 'remove', item: row.item, current: row.item } }
    }
    return { entry: entryOf(itemKey(item), item), change: { op: 'remove', item: itemToWrite(item, []) } }
  }

  function inTurn<Value>({ uid }: Target, phase: Phase, work: () => Promise<Value>): Promise<Value> {
    return turns.getOrInsertComputed(
      uid,
      createTurns,
    )(async () => {
      if (phase.isOver) throw new Over('too late')
      return work()
    })
  }

  async function planned(
    { requestId, item, target }: Task,
    action: Action,
    changes: readonly Change[],
    phase: Phase,
    plays = false,
  ): Promise<Applying> {
    if (phase.isOver) throw new Over('too late')
    phase.isPlanned = true
    const feature: Feature = FEATURES[action]
    const { provider, instance } = target
    const { planId, held } = await actions.plan({
      provider,
      instance,
      feature,
      ...(plays ? { plays } : {}),
      changes: changes.map(({ entry, change }) => ({ key: entry.key, ...change })),
      cause: CAUSE,
    })
    const doc: PlanDoc = { requestId, provider, instance, action, item, entries: changes.map(({ entry }) => entry) }
    phase.planId = planId
    const plan = { planId, doc }
    await store.putPlan(planId, identityOf(target), doc)
    // The person chose this one title; other rows that the removal would delete stay.
    const applied = apply(plan, held?.reason === 'mass_delete', phase)
    applied.catch(() => {})
    return { ...plan, applied }
  }

  async function resume(planId: string, phase: Phase): Promise<ActionReport | undefined> {
    const plan = await store.plan(planId)
    return plan === undefined ? undefined : apply(plan, false, phase)
  }

  async function apply(plan: StoredPlan, approved: boolean, { endsAtMs }: Phase): Promise<ActionReport> {
    const report = await actions.apply(plan.planId, { approved, waitMs: Math.max(1, endsAtMs - now()) })
    await ended(plan, report)
    return report
  }

  return {
    write,
    /** Continues a plan whose request ended. Undefined if there is no such plan. */
    resume: (planId: string) => resume(planId, { isPlanned: true, isOver: false, endsAtMs: now() }),
  }
}

type Applying = StoredPlan & { readonly applied: Promise<ActionReport> }

interface Change {
  readonly entry: PlanEntry
  readonly change: Omit<AccountChange, 'key'>
}

export const UNSUPPORTED_TYPE: Result = { status: 'unresolved', reason: 'unsupported_type' }
export const UNSUPPORTED_DATE: Result = { status: 'unresolved', reason: 'unsupported_date' }

/** The parts of the action that the account supports; undefined if there are none. */
export function supportOf(target: Target, action: Action): FeatureSupport | undefined {
  const support = target[FEATURES[action]]
  return (action === 'remove_watchlist' ? support?.remove : support?.add) === true ? support : undefined
}

export function notSupported(action: Action): Result {
  return { status: 'skipped', reason: `${FEATURES[action]}_not_supported` }
}

function entryOf(key: string, item: Work): PlanEntry {
  return { key, item, atMs: null, date: null, isDay: false, tokens: [] }
}

function playChange(play: Play, isSingle: boolean): Change {
  const { item, when } = play
  const change = { op: 'add', item: watched(play) } as const
  return { entry: { ...when, key: rowKey(change.item, isSingle), item, tokens: tokensOfPlay(play) }, change }
}

function watched(play: Play): Item {
  return { ...itemToWrite(play.item, []), watched: true, watched_at: timeText(play) }
}

export function timeText({ when }: Play): string {
  return formatInstant(when.atMs)
}
