// The state of a pair and feature, and the stored data of a pair.
import { type Feature, PlayheadError, type Tables } from '@playhead/sdk'
import type { ItemKind } from '@playhead/sdk/items'
import { createHash } from 'node:crypto'
import { jsonText } from './canonical.ts'

export interface PairFeatureState {
  /** The comparison variant of the rows; another variant causes a first run. */
  readonly variant: string
  /** Hash of the settings that determine which rows are in scope. */
  readonly scope: string
  /** The coverage of the last run's reads, by side. Absent in states of older versions. */
  readonly coverage?: Sides<Coverage>
  /** The account's rows in the last complete read of each side; null before it. Absent in states of older versions. */
  readonly sizes?: Sides<number | null>
  /** The size of a list that shows its newest rows only. */
  readonly caps?: Sides<number | null>
  readonly uid: Sides<string>
  /** The accounts that were read. */
  readonly account: Sides<string>
  readonly fingerprint: Sides<string>
  /** End of the last complete read: the last-seen time of rows without their own. */
  readonly readAtMs: Sides<number | null>
  /** Consecutive complete reads that looked emptied, and the time of the first. */
  readonly suspect: Sides<number>
  readonly suspectAtMs?: Sides<number | null>
  /** Names of unreadable rows that existed while no item was missing. Absent if there are none. */
  readonly known?: Sides<readonly string[]>
  /** A further whole read must miss rows of this side. Absent for neither side. */
  readonly unproven?: Sides<boolean>
  /** Revision of the anime mapping that rows were matched with; absent if there is none. */
  readonly mapping?: string
  /** The scope for which a person approved a mirror; absent if none. `*`: the scope of this state, by an older version. */
  readonly mirror?: string
  /** False after a failed or skipped run: the next complete read proves no absence. */
  readonly armed: boolean
  /** When the first run began. Absent in states of older versions. */
  readonly startedAtMs?: number
  readonly runs: number
  readonly lastRunStartedAtMs: number
  readonly lastRunAtMs: number
}

/** The coverage of a side's read. */
export interface Coverage {
  readonly kinds: readonly ItemKind[]
  /** Empty: all. */
  readonly libraries: readonly string[]
  /** Hash of everything else: another value covers other rows. */
  readonly rest: string
}

interface Sides<Value> {
  readonly a: Value
  readonly b: Value
}

/** Throws `PLH_NOT_READY` (`state_unreadable`) if a state cannot be parsed. */
export async function readState(db: Tables, pairId: string, feature: Feature): Promise<PairFeatureState | null> {
  const row = await db
    .selectFrom('sync__state')
    .select('state')
    .where(({ and }) => and({ pair_id: pairId, feature }))
    .executeTakeFirst()
  return row === undefined ? null : parseState(row.state)
}

/** The pairs that have a state in the feature, with the profiles of their sides. */
export async function pairsWithState(
  db: Tables,
  feature: Feature,
): Promise<readonly { readonly pairId: string; readonly uid: PairFeatureState['uid'] }[]> {
  const rows = await db.selectFrom('sync__state').select(['pair_id', 'state']).where('feature', '=', feature).execute()
  return rows.map(({ pair_id: pairId, state }) => ({ pairId, uid: (JSON.parse(state) as PairFeatureState).uid }))
}

/** The only change outside a commit; it makes the engine more cautious. */
export async function disarm(db: Tables, pairId: string, feature: Feature): Promise<void> {
  const state = await readState(db, pairId, feature)
  if (state?.armed !== true) return
  await db
    .updateTable('sync__state')
    .set({ state: JSON.stringify({ ...state, armed: false }) })
    .where(({ and }) => and({ pair_id: pairId, feature }))
    .execute()
}

/** For a run that changed only this state. */
export async function saveState(
  db: Tables,
  pairId: string,
  feature: Feature,
  runId: string,
  state: PairFeatureState,
): Promise<void> {
  await db
    .updateTable('sync__state')
    .set({ state: JSON.stringify(state), last_run_id: runId })
    .where(({ and }) => and({ pair_id: pairId, feature }))
    .execute()
}

function parseState(text: string): PairFeatureState {
  try {
    const state = JSON.parse(text) as PairFeatureState
    if (typeof state.variant === 'string' && typeof state.uid.a === 'string' && typeof state.armed === 'boolean')
      return state
  } catch (error) {
    throw unreadable('The stored state', error)
  }
  throw unreadable('The stored state')
}

export function unreadable(what: string, cause?: unknown): PlayheadError {
  return new PlayheadError(
    'PLH_NOT_READY',
    `${what} of this pair cannot be read. Reset the pair; this removes nothing.`,
    { cause, wire: 'state_unreadable' },
  )
}

/** Equal for objects with equal fields in any order. */
export function hashOf(value: unknown): string {
  return createHash('sha1').update(jsonText(value)).digest('hex').slice(0, 20)
}
