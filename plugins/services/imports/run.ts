// Writes an import to an account: compares it with what the account has now, plans what is missing, and applies the plans.
// A run that was interrupted is started again: what it wrote is in the account by then.
import {
  type Account,
  type AccountName,
  type Accounts,
  type AccountChange,
  type ChangeOutcome,
  type EventBus,
  type ImportFeature,
  isPlayheadError,
  type LibraryService,
  type Logger,
  pause,
  PlayheadError,
  type ProviderDescription,
  type Remote,
  type SyncService,
} from '@playhead/sdk'
import type { RunRecord } from './thread/queries.ts'
import type { ImportWork, StagedChange } from './thread/thread.ts'

export interface RunOrder {
  readonly importId: string
  /** Plans of earlier runs of this import, which can still be undone. */
  readonly planIds: readonly string[]
  readonly account: Account
  readonly description: ProviderDescription
  readonly features: readonly ImportFeature[]
  readonly ratings: 'keep' | 'file' | 'newer'
  readonly undatedAs: string | null
  readonly person: string | null
  readonly approved: boolean
  readonly dryRun: boolean
}

/** `done` never rejects: the state of the import says how it ended. */
export interface Started {
  readonly done: Promise<void>
}

export interface Jobs {
  /** Starts it. Throws `PLH_CONFLICT` (`busy`) while the import or the account is in use here. */
  run(order: RunOrder): Started
  undo(importId: string, record: RunRecord): Started
  isActive(importId: string): boolean
}

export interface JobOptions {
  readonly work: Pick<Remote<ImportWork>, 'compare' | 'changes' | 'settle' | 'setState' | 'counts'>
  readonly accounts: Pick<Remote<Accounts>, 'list'>
  readonly library: Pick<Remote<LibraryService>, 'plan' | 'applyWhenFree' | 'outcomes' | 'undo' | 'holdings'>
  readonly sync: Pick<Remote<SyncService>, 'finished'>
  readonly events: Pick<EventBus, 'emit'>
  readonly log: Logger
  readonly signal: AbortSignal
  readonly now: () => number
}

// A plan crosses between threads at once: a larger one would hold up requests.
const CHUNK = 1_000
const WAIT_MS = 30_000
const POLL_MS = 1_000

export function createJobs({ work, library, sync, events, log, signal, now }: JobOptions): Jobs {
  const active = new Map<string, AccountName>()

  function begin(importId: string, account: AccountName): void {
    const isSame = (one: AccountName) => one.provider === account.provider && one.instance === account.instance
    if (active.has(importId) || [...active.values()].some(isSame))
      throw new PlayheadError('PLH_CONFLICT', 'An import is being written to this account.', {
        wire: 'busy',
        details: { holder: 'import' },
      })
    active.set(importId, account)
  }

  async function ended(importId: string, state: string, record: RunRecord): Promise<void> {
    await work.setState(importId, state, { ...record, ended_at: now() }, now())
    const { provider, instance, error } = record
    events.emit('import.finished', {
      import_id: importId,
      state,
      provider,
      instance,
      ...(error === null ? {} : { error }),
    })
    log.info({ importId, provider, instance, state }, 'an import has ended')
  }

  async function readAt({ provider, instance }: AccountName, feature: ImportFeature): Promise<number | null> {
    const found = (await library.holdings(feature)).find(
      (one) => one.provider === provider && one.instance === instance,
    )
    return found?.readAtMs ?? null
  }

  async function apply(
    order: RunOrder,
    feature: ImportFeature,
    planned: (planId: string) => Promise<void>,
  ): Promise<void> {
    const { importId, account, description } = order
    const { provider, instance } = account
    const plays = feature === 'history' && description.features.history?.plays?.write === true
    let read = await readAt(account, feature)
    for (let after = -1; ; ) {
      signal.throwIfAborted()
      const changes = await work.changes(importId, feature, after, CHUNK)
      if (changes.length === 0) return
      const named = toChanges(changes)
      const plan = await library.plan({
        provider,
        instance,
        feature,
        ...(plays ? { plays } : {}),
        changes: named,
        cause: 'import',
      })
      await planned(plan.planId)
      const outcomes = new Map((await outcomesOf(plan.planId)).map((one) => [`${one.op} ${one.key}`, one]))
      await work.settle(
        importId,
        changes.map(({ n }, index) => ({ n, ...outcomeOf(outcomes.get(nameOf(named[index]!))) })),
      )
      after = changes.at(-1)!.n
      // A run may have written what is still to come.
      const readNow = await readAt(account, feature)
      if (readNow !== read) {
        read = readNow
        await work.compare(compareOrder(order, feature), { provider, instance }, signal)
        after = -1
      }
    }
  }

  async function outcomesOf(planId: string): Promise<readonly ChangeOutcome[]> {
    let outcomes = await library.applyWhenFree(planId, { waitMs: WAIT_MS })
    while (outcomes === null) {
      await pause(POLL_MS, signal)
      signal.throwIfAborted()
      outcomes = await library.outcomes(planId)
    }
    return outcomes
  }

  async function write(order: RunOrder): Promise<void> {
    const { importId, account, features, dryRun } = order
    const { provider, instance } = account
    let record: RunRecord = {
      provider,
      instance,
      dry_run: dryRun,
      features,
      options: { ratings: order.ratings, undated_as: order.undatedAs, person: order.person },
      plan_ids: order.planIds,
      started_at: now(),
      ended_at: null,
      error: null,
      message: null,
    }
    const save = (state: string) => work.setState(importId, state, record, now())
    try {
      await save('comparing')
      for (const feature of features) await work.compare(compareOrder(order, feature), { provider, instance }, signal)
      if (dryRun) return await ended(importId, 'planned', record)
      for (const feature of features)
        await apply(order, feature, async (planId) => {
          record = { ...record, plan_ids: [...record.plan_ids, planId] }
          // Before it is applied, so that what an interrupted run wrote can be undone.
          await save('running')
        })
      await ended(importId, 'done', record)
    } catch (error) {
      if (signal.aborted) return
      log.warn({ err: error, importId, provider, instance }, 'an import could not be finished')
      await ended(importId, 'failed', { ...record, ...problemOf(error) })
    }
  }

  async function takeBack(importId: string, given: RunRecord): Promise<void> {
    let record = given
    try {
      for (const planId of given.plan_ids.toReversed()) {
        await work.setState(importId, 'undoing', record, now())
        await undoPlan(planId)
        record = { ...record, plan_ids: record.plan_ids.filter((one) => one !== planId) }
      }
      await ended(importId, 'undone', record)
    } catch (error) {
      if (signal.aborted) return
      log.warn({ err: error, importId }, 'an import could not be undone')
      await ended(importId, 'failed', { ...record, ...problemOf(error) })
    }
  }

  async function undoPlan(planId: string): Promise<void> {
    for (;;) {
      signal.throwIfAborted()
      try {
        const started = await library.undo(planId)
        if (started.status === 'accepted') await sync.finished(started.run_id, signal)
        return
      } catch (error) {
        if (isPlayheadError(error, 'PLH_CONFLICT') && error.wire === 'nothing_to_undo') return
        if (!isPlayheadError(error, 'PLH_CONFLICT') || !['already_running', 'busy'].includes(error.wire)) throw error
        await pause(POLL_MS, signal)
      }
    }
  }

  function start(importId: string, account: AccountName, job: () => Promise<void>): Started {
    begin(importId, account)
    return { done: job().finally(() => active.delete(importId)) }
  }

  return {
    isActive: (importId) => active.has(importId),
    run: (order) => start(order.importId, order.account, () => write(order)),
    undo: (importId, record) => start(importId, record, () => takeBack(importId, record)),
  }
}

function compareOrder(order: RunOrder, feature: ImportFeature) {
  const { importId: id, description, ratings, undatedAs, person, approved } = order
  return { id, feature, support: description.features[feature]!, ratings, undatedAs, person, approved }
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
    : { outcome: found.outcome, ...(found.reason === undefined ? {} : { reason: found.reason }) }
}

function problemOf(error: unknown): Pick<RunRecord, 'error' | 'message'> {
  if (!isPlayheadError(error)) return { error: 'internal_error', message: 'Something went wrong; the log says more.' }
  return { error: error.wire, message: error.message }
}
