// Writes an import to an account in rounds: locks the account, compares the import with its current rows, plans the missing rows,
// and applies the plans. Between rounds others may use the account. An interrupted run is started again; its writes are in the
// account by then.
import {
  type Account,
  type AccountChange,
  accountLabel,
  type AccountName,
  type Actions,
  type ChangeOutcome,
  defined,
  type EventBus,
  type ImportFeature,
  isPlayheadError,
  type LibraryService,
  type Logger,
  otherAccount,
  PlayheadError,
  type ProviderDescription,
  type Remote,
  type SyncService,
  undoPlan,
  untilAccountIsFree,
  type WorkRegistry,
} from '@playhead/sdk'
import { wasNotTried } from '@playhead/sdk/provider'
import type { Act, Going } from './attention.ts'
import type { Read } from './thread/compare.ts'
import type { RunRecord } from './thread/queries.ts'
import type { ImportWork, StagedChange } from './thread/thread.ts'

interface RunOrder {
  readonly importId: string
  readonly account: Account
  readonly description: ProviderDescription
  readonly features: readonly ImportFeature[]
  readonly ratings: 'keep' | 'file' | 'newer'
  readonly undatedAs: string | null
  readonly person: string | null
  readonly approved: boolean
  readonly dryRun: boolean
}

/** `done` never rejects; the state of the import contains the result. */
interface Started {
  readonly done: Promise<void>
}

export interface Jobs {
  /** Starts the run. Throws `PLH_CONFLICT` (`busy`) while the import or the account is in use here. */
  run(order: RunOrder): Started
  undo(importId: string, account: AccountName): Started
  /** Ends the current run after its pending request to the service. Undefined if there is no run. */
  cancel(importId: string): Started | undefined
  isActive(importId: string): boolean
}

interface JobOptions {
  readonly work: Pick<Remote<ImportWork>, 'find' | 'compare' | 'changes' | 'settle' | 'setState' | 'forgetPlan'>
  readonly actions: Pick<Remote<Actions>, 'plan' | 'apply' | 'outcomes'>
  readonly library: Pick<Remote<LibraryService>, 'undo'>
  readonly going: Pick<Going, 'begin' | 'end'>
  readonly holds: Pick<WorkRegistry, 'beginWhenFree'>
  readonly sync: Pick<Remote<SyncService>, 'finished'>
  readonly events: Pick<EventBus, 'emit'>
  readonly log: Logger
  readonly signal: AbortSignal
  readonly now: () => number
}

// A plan is transferred between threads in one message: a larger one would block requests.
const CHUNK = 1_000
/** After this time the account is compared again, because people keep using it. */
const ROUND_MS = 5 * 60_000

interface Job extends Started {
  readonly account: AccountName
  readonly stop: AbortController
}

export function createJobs({
  work,
  going,
  actions,
  library,
  holds,
  sync,
  events,
  log,
  signal: closing,
  now,
}: JobOptions): Jobs {
  const active = new Map<string, Job>()

  function requireFree(importId: string, account: AccountName): void {
    const isSame = ({ account: one }: Job) => one.provider === account.provider && one.instance === account.instance
    if (active.has(importId) || [...active.values()].some(isSame))
      throw new PlayheadError('PLH_CONFLICT', 'An import is being written to this account.', {
        wire: 'busy',
        details: { holder: 'import' },
      })
  }

  async function ended(importId: string, state: string, record: RunRecord): Promise<void> {
    await work.setState(importId, state, { ...record, ended_at: now() }, now())
    const { provider, instance, error } = record
    events.emit('import.finished', {
      import_id: importId,
      state,
      provider,
      instance,
      ...defined({ error: error ?? undefined }),
      ...(state === 'partly_undone' ? { not_undone: notUndoneOf(record).not_undone } : {}),
    })
    log.info({ importId, provider, instance, state }, 'an import has ended')
  }

  async function apply(
    order: RunOrder,
    feature: ImportFeature,
    planned: (planId: string) => Promise<void>,
    signal: AbortSignal,
  ): Promise<void> {
    const { account, description } = order
    const label = `Import into ${accountLabel(description.label, account.instance)}`
    for (let isFirst = true; ; isFirst = false) {
      using hold = await holds.beginWhenFree({ kind: 'change', label, accounts: [account] }, { signal })
      const read = await compare(order, feature, isFirst, signal)
      if (await applyRound(order, feature, { within: hold.id, read }, planned, signal)) return
    }
  }

  /** Whether everything was written. */
  async function applyRound(
    { importId, account: { provider, instance }, description }: RunOrder,
    feature: ImportFeature,
    { within, read }: { readonly within: string; readonly read: Read },
    planned: (planId: string) => Promise<void>,
    signal: AbortSignal,
  ): Promise<boolean> {
    const endsAt = now() + ROUND_MS
    const plays = feature === 'history' && description.features.history?.plays?.write === true
    for (let after = -1; ; ) {
      signal.throwIfAborted()
      const changes = await work.changes(importId, feature, after, CHUNK)
      if (changes.length === 0) return true
      if (now() >= endsAt) return false
      const named = toChanges(changes)
      const { planId } = await actions.plan({
        provider,
        instance,
        feature,
        ...(plays ? { plays } : {}),
        changes: named,
        cause: 'import',
        read,
      })
      await planned(planId)
      const cancelled = await untilAccountIsFree(
        () => actions.apply(planId, { within, long: true }, signal),
        signal,
      ).then(
        () => null,
        (error: unknown) => {
          if (!signal.aborted || closing.aborted) throw error
          return error
        },
      )
      const outcomes = new Map((await actions.outcomes(planId)).outcomes.map((one) => [`${one.op} ${one.key}`, one]))
      await work.settle(
        importId,
        planId,
        changes.flatMap(({ n }, index) => {
          const found = outcomes.get(nameOf(named[index]!))
          // Rows that were not tried are written when the import continues.
          return signal.aborted && (found === undefined || wasNotTried(found)) ? [] : [{ n, ...outcomeOf(found) }]
        }),
      )
      if (cancelled !== null) throw cancelled
      signal.throwIfAborted()
      if ([...outcomes.values()].some(isOfAnother)) throw otherAccount()
      if ([...outcomes.values()].some(wasNotTried))
        throw new PlayheadError('PLH_UPSTREAM', `${description.label} stopped taking changes. Try again later.`, {
          wire: 'writes_stopped',
        })
      after = changes.at(-1)!.n
    }
  }

  const compare = (order: RunOrder, feature: ImportFeature, isFirst: boolean, signal: AbortSignal) => {
    const { importId: id, account, description, ratings, undatedAs, person, approved } = order
    const { provider, instance } = account
    const support = description.features[feature]!
    const comparing = { id, feature, support, ratings, undatedAs, person, approved, isNext: !isFirst }
    return work.compare(comparing, { provider, instance }, signal)
  }

  async function write(order: RunOrder, signal: AbortSignal): Promise<void> {
    const { importId, account, features, dryRun } = order
    const { provider, instance } = account
    // Plans of earlier runs can still be undone. Read here, because the request may precede the end of the last run.
    const { plan_ids: planIds = [], written = [] } = (await work.find(importId))?.run ?? {}
    let record: RunRecord = {
      provider,
      instance,
      dry_run: dryRun,
      features,
      options: { ratings: order.ratings, undated_as: order.undatedAs, person: order.person },
      plan_ids: planIds,
      written,
      started_at: now(),
      ended_at: null,
      error: null,
      message: null,
    }
    const save = (state: string) => work.setState(importId, state, record, now())
    try {
      await save('comparing')
      if (dryRun) {
        for (const feature of features) await compare(order, feature, true, signal)
        return await ended(importId, 'planned', record)
      }
      for (const feature of features)
        await apply(
          order,
          feature,
          async (planId) => {
            const others = written.filter((one) => one.provider !== provider || one.instance !== instance)
            record = { ...record, plan_ids: [...record.plan_ids, planId], written: [...others, { provider, instance }] }
            // Stored before it is applied, so that the writes of an interrupted run can be undone.
            await save('running')
          },
          signal,
        )
      await ended(importId, 'done', record)
    } catch (error) {
      if (closing.aborted) return
      if (signal.aborted) return await ended(importId, 'cancelled', record)
      log.warn({ err: error, importId, provider, instance }, 'an import could not be finished')
      await ended(importId, 'failed', { ...record, ...problemOf(error) })
    }
  }

  async function takeBack(importId: string, signal: AbortSignal): Promise<void> {
    const given = (await work.find(importId))?.run
    if (given == null) return
    let record: RunRecord = { ...given, error: null, message: null }
    let isOpen = false
    try {
      for (const planId of given.plan_ids.toReversed()) {
        signal.throwIfAborted()
        await work.setState(importId, 'undoing', record, now())
        // A plan is undone as a whole; a cancellation takes effect before the next plan.
        const { notUndone, left } = await undoPlan({ library, sync }, planId, { begin: signal, end: closing })
        const others = (record.not_undone ?? []).filter(({ plan_id: id }) => id !== planId)
        const found = Object.keys(notUndone).length === 0 ? [] : [{ plan_id: planId, reasons: notUndone, left }]
        record = { ...record, not_undone: [...others, ...found] }
        isOpen ||= left > 0
        if (!isOpen || found.length === 0) await work.forgetPlan(importId, planId)
        // Earlier plans are undone too, because this plan may have changed their rows again.
        if (!isOpen) record = { ...record, plan_ids: record.plan_ids.filter((one) => one !== planId) }
      }
      if (!isOpen) await work.forgetPlan(importId, null)
      if (record.plan_ids.length === 0) record = { ...record, written: [] }
      await ended(importId, (record.not_undone ?? []).length === 0 ? 'undone' : 'partly_undone', record)
    } catch (error) {
      if (closing.aborted) return
      if (signal.aborted) return await ended(importId, 'cancelled', record)
      log.warn({ err: error, importId }, 'an import could not be undone')
      await ended(importId, 'failed', { ...record, ...problemOf(error) })
    }
  }

  async function noted(importId: string, act: Act, account: AccountName, job: () => Promise<void>): Promise<void> {
    await going.begin(importId, act, account)
    await job()
    if (!closing.aborted) await going.end(importId)
  }

  function start(
    importId: string,
    act: Act,
    account: AccountName,
    job: (signal: AbortSignal) => Promise<void>,
  ): Started {
    requireFree(importId, account)
    const stop = new AbortController()
    const done = noted(importId, act, account, () => job(AbortSignal.any([closing, stop.signal]))).finally(() =>
      active.delete(importId),
    )
    active.set(importId, { account, stop, done })
    return { done }
  }

  return {
    isActive: (importId) => active.has(importId),
    run: (order) => start(order.importId, 'write', order.account, (signal) => write(order, signal)),
    undo: (importId, account) => start(importId, 'undo', account, (signal) => takeBack(importId, signal)),
    cancel(importId) {
      const job = active.get(importId)
      job?.stop.abort()
      return job
    },
  }
}

/** Keys are unique within a plan. */
function toChanges(changes: readonly StagedChange[]): readonly AccountChange[] {
  const taken = new Set<string>()
  return changes.map(({ n, op, key, item }) => {
    const name = taken.has(`${op} ${key}`) || key === '' ? `${key}~${n}` : key
    taken.add(`${op} ${name}`)
    return { op, key: name, item }
  })
}

function nameOf({ op, key }: AccountChange): string {
  return `${op} ${key}`
}

function outcomeOf(found: ChangeOutcome | undefined) {
  return found === undefined
    ? { outcome: 'unknown' as const }
    : { outcome: found.outcome, ...defined({ reason: found.reason }) }
}

/** Another person signed in after the account was read, or the account is unknown. */
function isOfAnother({ outcome, reason }: ChangeOutcome): boolean {
  return outcome === 'deferred' && (reason === 'account_changed' || reason === 'account_unknown')
}

/** The remainder of an undo, over all plans. */
export function notUndoneOf({ not_undone: all = [] }: Pick<RunRecord, 'not_undone'>) {
  const counts: Record<string, number> = {}
  for (const { reasons } of all)
    for (const [reason, count] of Object.entries(reasons)) counts[reason] = (counts[reason] ?? 0) + count
  return { not_undone: counts, left_to_undo: all.reduce((sum, { left }) => sum + left, 0) }
}

function problemOf(error: unknown): Pick<RunRecord, 'error' | 'message'> {
  if (!isPlayheadError(error)) return { error: 'internal_error', message: 'Something went wrong; the log says more.' }
  return { error: error.wire, message: error.message }
}
