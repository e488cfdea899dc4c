// Removes rows from watchlists of accounts.
import {
  accountName,
  type ActionOrder,
  type ActionOutcome,
  type ActionReport,
  type Actions,
  defined,
  type EventBus,
  PlayheadError,
  type Remote,
} from '@playhead/sdk'
import type { FoundEntry } from './find-entry.ts'
import type { Targets } from './targets.ts'
import type { EntryRow } from './entry.ts'

/** Outcome of one key on all selected accounts of a provider. */
export interface KeyOutcome {
  readonly deleted: boolean
  /** The request was sent. */
  readonly attempted: boolean
  readonly reason?: string
}

export interface AccountOutcome {
  readonly provider: string
  readonly instance: string
  readonly rows: ReadonlyMap<EntryRow, ActionOutcome>
}

export interface Wanted {
  readonly key: string
  readonly found: FoundEntry
}

/** Throws only if no request was sent: `PLH_CONFLICT` (`busy`), `PLH_CAPABILITY_GONE`. */
export type Removal = (wanted: readonly Wanted[], targets: Targets) => Promise<readonly AccountOutcome[]>

interface RemovalOptions {
  readonly actions: Pick<Remote<Actions>, 'act'>
  readonly events: Pick<EventBus, 'emit'>
}

export function createRemoval({ actions, events }: RemovalOptions): Removal {
  return async (wanted, targets) => {
    const accounts = rowsByAccount(wanted, targets)
    const reports = await actions.act(accounts.map(orderOf))
    if (reports.length > 0 && reports.every(isForCaller)) throw errorOf(reports[0]!)
    return accounts.map((rows, n) => {
      const { provider, instance } = rows[0]!
      const { outcomes } = reports[n]!
      const count = outcomes.filter(({ ok }) => ok).length
      if (count > 0) events.emit('watchlist.removed', { provider, instance, count })
      return { provider, instance, rows: new Map(rows.map((row, place) => [row, outcomes[place]!])) }
    })
  }
}

export function outcomeOf({ found }: Wanted, accounts: readonly AccountOutcome[]): KeyOutcome {
  if (found.outcome !== 'found') return { ...NOT_SENT, reason: found.outcome }
  const rows = accounts.flatMap((account) => found.entry.rows.flatMap((row) => account.rows.get(row) ?? []))
  if (rows.length === 0) return { ...NOT_SENT, reason: 'not_in_state' }
  const failed = rows.find(({ ok }) => !ok)
  return {
    deleted: failed === undefined,
    attempted: rows.some(({ sent }) => sent),
    ...defined({ reason: failed?.reason }),
  }
}

const NOT_SENT = { deleted: false, attempted: false }

/** The person selected each row. */
function orderOf(rows: readonly EntryRow[]): ActionOrder {
  const { provider, instance } = rows[0]!
  const changes = rows.map(({ key, item }) => ({ op: 'remove', key, item, current: item }) as const)
  return { provider, instance, feature: 'watchlist', changes, cause: 'watchlist_tool', approved: true }
}

function rowsByAccount(wanted: readonly Wanted[], targets: Targets): readonly (readonly EntryRow[])[] {
  const rows = new Set(wanted.flatMap(({ found }) => (found.outcome === 'found' ? found.entry.rows : [])))
  const own = [...rows].filter(({ provider, instance }) => targets.includes(provider, instance))
  return [...Map.groupBy(own, ({ provider, instance }) => accountName(provider, instance)).values()]
}

function isForCaller({ failure }: ActionReport): boolean {
  return failure?.code === 'PLH_CAPABILITY_GONE' || (failure?.code === 'PLH_CONFLICT' && failure.reason === 'busy')
}

function errorOf({ failure }: ActionReport): PlayheadError {
  const { code, message, reason: wire, details } = failure!
  return new PlayheadError(code!, message, { wire, ...defined({ details }) })
}
