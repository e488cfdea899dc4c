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
import {
  formatKey,
  formatPlayKey,
  formatTime,
  type Item,
  keyOf,
  kindOf,
  markOf,
  parseTime,
  playOf,
  tokensOf,
} from '@playhead/sdk/items'
import { itemToWrite } from '@playhead/sdk/sync'
import type { Action, ActionResult } from '../request/body.ts'
import type { Order, Work } from '../request/order.ts'
import type { Play } from '../request/plays.ts'
import type { PlanDoc, PlanEntry, Store, StoredPlan } from '../store/store.ts'
import type { Target } from '../targets.ts'
import { type Already, identityOf, tokensOfPlay } from './already.ts'
import { type Result, resultsOf, summaryOf } from './outcomes.ts'

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
  readonly library: () => Pick<Remote<LibraryService>, 'rows'>
  readonly store: Store
  readonly already: Already
  /** Called when a plan ended or waits. */
  readonly ended: (plan: StoredPlan, report: ActionReport) => Promise<void>
  readonly now: () => number
}

const CAUSE = 'manual'
export const FEATURES: Readonly<Record<Action, 'history' | 'watchlist' | 'ratings'>> = {
  history: 'history',
  watchlist: 'watchlist',
  rating: 'ratings',
  remove_watchlist: 'watchlist',
}
export const UNSUPPORTED: Readonly<Record<Action, string>> = {
  history: 'history_not_supported',
  watchlist: 'watchlist_not_supported',
  rating: 'ratings_not_supported',
  remove_watchlist: 'watchlist_not_supported',
}

class Over extends Error {}

export function createWriter({ actions, library, store, already, ended, now }: WriterOptions) {
  const turns = new Map<string, ReturnType<typeof createTurns>>()

  async function write(task: Task, action: Action, phase: Phase): Promise<ActionResult> {
    const { target, item, requestId, isResumed, order } = task
    const support = target[FEATURES[action]]
    const canDo = action === 'remove_watchlist' ? support?.remove : support?.add
    if (support === undefined || canDo !== true) return { status: 'skipped', reason: UNSUPPORTED[action] }
    const known = isResumed
      ? await store.planOf(requestId, accountName(target.provider, target.instance), action)
      : undefined
    if (action === 'history') return history(task, support, phase, known)
    if (!support.kinds.includes(kindOf(item))) return UNSUPPORTED_TYPE
    if (known !== undefined) return single(known, await apply(known, false, phase))
    const plan = await inTurn(target, phase, async () => {
      if (action === 'remove_watchlist') return planned(task, action, [await removal(target, item)], phase)
      const values = action === 'rating' ? { rating: order.rating as number, rated_at: secondsText(now()) } : {}
      const entry = { key: itemKey(item), item, atMs: null, date: null, isDay: false, tokens: [] }
      return planned(
        task,
        action,
        [{ entry, change: { op: 'add', item: { ...itemToWrite(item, []), ...values } } }],
        phase,
      )
    })
    return single(plan, await plan.applied)
  }

  async function history(
    task: Task,
    support: FeatureSupport,
    phase: Phase,
    known: StoredPlan | undefined,
  ): Promise<ActionResult> {
    const { plays, target, item } = task
    const results = new Map<Play, Result | Promise<Result>>()
    for (const play of plays) {
      if (!support.kinds.includes(play.item.type)) results.set(play, UNSUPPORTED_TYPE)
      // Without a time the service would store the current time.
      else if (parseTime(timeText(play)) === undefined) results.set(play, UNSUPPORTED_DATE)
    }
    if (known === undefined) {
      const open = plays.filter((play) => !results.has(play))
      const isSingle = support.plays?.write === true
      const plan =
        open.length === 0
          ? undefined
          : await inTurn(target, phase, async () => {
              const join = (planId: string) => resume(planId, phase)
              for (const [play, result] of await already(target, open, join)) results.set(play, result)
              const rest = open.filter((play) => !results.has(play))
              if (rest.length === 0) return undefined
              return planned(
                task,
                'history',
                rest.map((play) => playChange(play, isSingle)),
                phase,
                isSingle,
              )
            })
      if (plan !== undefined) note(plays, results, plan, await plan.applied, isSingle)
    } else note(plays, results, known, await apply(known, false, phase), support.plays?.write === true)
    const all = await Promise.all(plays.map((play) => results.get(play) as Result))
    if (item.type === 'movie' || item.type === 'episode') return all[0] as Result
    return summaryOf(
      plays.map(({ item: { season = 0, episode = 0 } }, index) => ({ ...(all[index] as Result), season, episode })),
    )
  }

  function note(
    plays: readonly Play[],
    results: Map<Play, Result | Promise<Result>>,
    { doc }: StoredPlan,
    report: ActionReport,
    isSingle: boolean,
  ): void {
    const resultOf = resultsOf(report)
    const keys = new Set(doc.entries.map(({ key }) => key))
    for (const play of plays) {
      const key = playKey(play, isSingle)
      if (keys.has(key)) results.set(play, resultOf(key))
      // After a restart the request continued, and the row already existed.
      else if (!results.has(play)) results.set(play, { status: 'already' })
    }
  }

  /** The account's own row, if it was read: a list may store it under other ids. */
  async function removal({ provider, instance }: Target, item: Work): Promise<Change> {
    const tokens = new Set(tokensOf(item, { within: 'provider' }))
    for await (const page of library().rows(provider, instance, 'watchlist')) {
      const row = page.find((each) => tokensOf(each.item, { within: 'provider' }).some((token) => tokens.has(token)))
      if (row === undefined) continue
      const entry = { key: row.key, item, atMs: null, date: null, isDay: false, tokens: [] }
      return { entry, change: { op: 'remove', item: row.item, current: row.item } }
    }
    const entry = { key: itemKey(item), item, atMs: null, date: null, isDay: false, tokens: [] }
    return { entry, change: { op: 'remove', item: itemToWrite(item, []) } }
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
  ): Promise<StoredPlan & { readonly applied: Promise<ActionReport> }> {
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

interface Change {
  readonly entry: PlanEntry
  readonly change: Omit<AccountChange, 'key'>
}

export const UNSUPPORTED_TYPE: Result = { status: 'unresolved', reason: 'unsupported_type' }
export const UNSUPPORTED_DATE: Result = { status: 'unresolved', reason: 'unsupported_date' }

function single({ doc }: StoredPlan, report: ActionReport): Result {
  return resultsOf(report)(doc.entries[0]!.key)
}

function playChange(play: Play, isSingle: boolean): Change {
  const { item, when } = play
  return {
    entry: {
      key: playKey(play, isSingle),
      item,
      atMs: when.atMs,
      date: when.date,
      isDay: when.isDay,
      tokens: tokensOfPlay(play),
    },
    change: { op: 'add', item: watched(play) },
  }
}

function watched(play: Play): Item {
  return { ...itemToWrite(play.item, []), watched: true, watched_at: timeText(play) }
}

export function timeText({ when: { atMs } }: Play): string {
  return formatTime({ atMs, precision: atMs % 1_000 === 0 ? 'second' : 'millisecond' })
}

function secondsText(nowMs: number): string {
  return formatTime({ atMs: Math.floor(nowMs / 1_000) * 1_000, precision: 'second' })
}

/** The key that the library uses for its rows. */
function itemKey(item: Item): string {
  const key = keyOf(item)
  return key.ok ? formatKey(key.value) : 'unknown'
}

function playKey(play: Play, isSingle: boolean): string {
  const item = watched(play)
  const key = keyOf(item)
  const time = isSingle ? playOf(item) : undefined
  if (!key.ok) return itemKey(item)
  return time?.ok === true ? formatPlayKey({ item: key.value, mark: markOf(time.value) }) : formatKey(key.value)
}
