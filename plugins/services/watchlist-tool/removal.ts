// Removes rows from watchlists of accounts through library plans.
import {
  type ChangeOutcome,
  defined,
  type EventBus,
  isPlayheadError,
  type LibraryService,
  type Logger,
  type Remote,
} from '@playhead/sdk'
import type { FoundEntry } from './find-entry.ts'
import type { Targets } from './targets.ts'
import type { EntryRow } from './entry.ts'

/** Outcome of one row, or of one key on all selected accounts of a provider. */
export interface RowOutcome {
  readonly deleted: boolean
  /** The request was sent. */
  readonly attempted: boolean
  readonly reason?: string
}

export interface AccountOutcome {
  readonly provider: string
  readonly instance: string
  readonly rows: ReadonlyMap<EntryRow, RowOutcome>
  /** Error that stopped the removal early. */
  readonly error?: string
}

export interface Wanted {
  readonly key: string
  readonly found: FoundEntry
}

/** Throws only if no request was sent: `PLH_CONFLICT` (`busy`), `PLH_CAPABILITY_GONE`. */
export type Removal = (wanted: readonly Wanted[], targets: Targets) => Promise<readonly AccountOutcome[]>

interface RemovalOptions {
  readonly library: Pick<Remote<LibraryService>, 'plan' | 'apply'>
  readonly events: Pick<EventBus, 'emit'>
  readonly log: Logger
}

const LEFT: ReadonlySet<ChangeOutcome['outcome']> = new Set(['held', 'filtered', 'deferred'])

export function createRemoval({ library, events, log }: RemovalOptions): Removal {
  return async (wanted, targets) => {
    const accounts = byAccount(wanted, targets)
    const done = await Promise.all([...accounts.values()].map(removeFrom))
    const stopped = done.flatMap(({ stoppedBy }) => stoppedBy ?? [])
    if (stopped.length === done.length && stopped.length > 0 && !done.some(({ outcome }) => isAnySent(outcome))) {
      const first = stopped.find(isForCaller)
      if (first !== undefined && stopped.every(isForCaller)) throw first
    }
    return done.map(({ outcome }) => outcome)
  }

  async function removeFrom(
    rows: readonly EntryRow[],
  ): Promise<{ readonly outcome: AccountOutcome; readonly stoppedBy?: unknown }> {
    const { provider, instance } = rows[0] as EntryRow
    const outcomes = new Map<EntryRow, RowOutcome>()
    try {
      const { planId } = await library.plan({
        provider,
        instance,
        feature: 'watchlist',
        changes: rows.map(({ key, item }) => ({ op: 'remove', key, item, current: item })),
        cause: 'watchlist_tool',
      })
      // The person selected each row.
      noteOutcomes(await library.apply(planId, { approved: true }), rows, outcomes)
    } catch (error) {
      log.warn({ err: error, provider, instance }, 'an account could not be written to')
      const reason = isPlayheadError(error) ? error.wire : 'failed'
      // Only a rejection proves that no request was sent.
      for (const row of rows) outcomes.set(row, { deleted: false, attempted: !isForCaller(error), reason })
      return { outcome: { provider, instance, rows: outcomes, error: reason }, stoppedBy: error }
    }
    return { outcome: { provider, instance, rows: outcomes } }
  }

  function noteOutcomes(
    answers: readonly ChangeOutcome[],
    rows: readonly EntryRow[],
    outcomes: Map<EntryRow, RowOutcome>,
  ): void {
    const byKey = new Map(answers.map((answer) => [answer.key, answer]))
    let count = 0
    for (const row of rows) {
      const { outcome, reason } = byKey.get(row.key) ?? { outcome: 'unknown' as const, reason: undefined }
      const deleted = outcome === 'applied' || outcome === 'already'
      const attempted = !LEFT.has(outcome)
      outcomes.set(row, { deleted, attempted, ...(deleted ? {} : { reason: reason ?? outcome }) })
      if (deleted) count += 1
    }
    const [first] = rows
    if (count === 0 || first === undefined) return
    events.emit('watchlist.removed', { provider: first.provider, instance: first.instance, count })
  }
}

/** Outcome of a key on all selected accounts of a provider. */
export function outcomeOf({ found }: Wanted, accounts: readonly AccountOutcome[]): RowOutcome {
  if (found.outcome !== 'found') return { ...NOT_SENT, reason: found.outcome }
  const rows = accounts.flatMap((account) => found.entry.rows.flatMap((row) => account.rows.get(row) ?? []))
  if (rows.length === 0) return { ...NOT_SENT, reason: 'not_in_state' }
  const failed = rows.find((row) => !row.deleted)
  return {
    deleted: failed === undefined,
    attempted: rows.some((row) => row.attempted),
    ...defined({ reason: failed?.reason }),
  }
}

const NOT_SENT = { deleted: false, attempted: false }

function byAccount(wanted: readonly Wanted[], targets: Targets): ReadonlyMap<string, EntryRow[]> {
  const rows = new Set(wanted.flatMap(({ found }) => (found.outcome === 'found' ? found.entry.rows : [])))
  const accounts = new Map<string, EntryRow[]>()
  for (const row of rows) {
    const { provider, instance } = row
    if (!targets.includes(provider, instance)) continue
    const name = `${provider}@${instance}`
    const own = accounts.get(name)
    if (own === undefined) accounts.set(name, [row])
    else own.push(row)
  }
  return accounts
}

function isAnySent({ rows }: AccountOutcome): boolean {
  return [...rows.values()].some(({ attempted }) => attempted)
}

function isForCaller(error: unknown): boolean {
  return (
    isPlayheadError(error, 'PLH_CAPABILITY_GONE') || (isPlayheadError(error, 'PLH_CONFLICT') && error.wire === 'busy')
  )
}
