// What is remembered of a pair and feature as a whole, and of a pair.
import { type Feature, PlayheadError, type Tables } from '@playhead/sdk'
import { createHash } from 'node:crypto'

export interface PairFeatureState {
  /** How rows were compared; another way is a first run. */
  readonly variant: string
  /** What decided which rows were in scope. */
  readonly scope: string
  readonly uid: Sides<string>
  /** Which accounts the reads were of. */
  readonly account: Sides<string>
  readonly fingerprint: Sides<string>
  /** End of the last complete read; what is seen and says no time of its own was seen then. */
  readonly readAtMs: Sides<number | null>
  /** Consecutive complete reads that looked emptied. */
  readonly suspect: Sides<number>
  /** Rows that cannot be told, by name, that were there while nothing that was seen was missing. Absent: none. */
  readonly known?: Sides<readonly string[]>
  /** Something is missing there that a further whole read has to miss as well. Absent: neither. */
  readonly unproven?: Sides<boolean>
  /** False after a failed or skipped run: the next complete read proves no absence. */
  readonly armed: boolean
  readonly runs: number
  readonly lastRunStartedAtMs: number
  readonly lastRunAtMs: number
}

export interface Sides<Value> {
  readonly a: Value
  readonly b: Value
}

/** Throws `PLH_NOT_READY` (`state_unreadable`) for a state that is there and cannot be understood. */
export async function readState(db: Tables, pairId: string, feature: Feature): Promise<PairFeatureState | null> {
  const row = await db
    .selectFrom('sync__state')
    .select('state')
    .where('pair_id', '=', pairId)
    .where('feature', '=', feature)
    .executeTakeFirst()
  return row === undefined ? null : parseState(row.state)
}

/** Outside a commit only what makes the engine more careful is written. */
export async function disarm(db: Tables, pairId: string, feature: Feature): Promise<void> {
  const state = await readState(db, pairId, feature)
  if (state === null || !state.armed) return
  await db
    .updateTable('sync__state')
    .set({ state: JSON.stringify({ ...state, armed: false }) })
    .where('pair_id', '=', pairId)
    .where('feature', '=', feature)
    .execute()
}

/** After a run that changed nothing else of what is remembered. */
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
    .where('pair_id', '=', pairId)
    .where('feature', '=', feature)
    .execute()
}

export async function isMirrorApproved(db: Tables, pairId: string): Promise<boolean> {
  const row = await db
    .selectFrom('sync__pair')
    .select('mirror_approved_at')
    .where('pair_id', '=', pairId)
    .executeTakeFirst()
  return row?.mirror_approved_at != null
}

export async function approveMirror(db: Tables, pairId: string, atMs: number): Promise<void> {
  await db
    .insertInto('sync__pair')
    .values({ pair_id: pairId, mirror_approved_at: atMs })
    .onConflict((conflict) => conflict.column('pair_id').doUpdateSet({ mirror_approved_at: atMs }))
    .execute()
}

function parseState(text: string): PairFeatureState {
  try {
    const state = JSON.parse(text) as PairFeatureState
    if (typeof state.variant === 'string' && typeof state.uid.a === 'string' && typeof state.armed === 'boolean')
      return state
  } catch (error) {
    throw unreadable(error)
  }
  throw unreadable()
}

function unreadable(cause?: unknown): PlayheadError {
  return new PlayheadError(
    'PLH_NOT_READY',
    'The memory of this pair cannot be read. Reset the pair: nothing is removed by that.',
    { cause, wire: 'state_unreadable' },
  )
}

export function hashOf(value: unknown): string {
  return createHash('sha1')
    .update(JSON.stringify(sorted(value)) ?? '')
    .digest('hex')
    .slice(0, 20)
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, each]) => each !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, each]) => [name, sorted(each)]),
  )
}
