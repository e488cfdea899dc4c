// Persistent state: queue, running work and results. One document with optimistic locking, so that no slot is
// processed twice.
import { type Migration, PlayheadError, type RunResult, type Tables } from '@playhead/sdk'
import type { EntryKind } from '../plan/entries.ts'

/** A queued item. */
export interface Item {
  /** Key of the entry, or `rule:<id>`. */
  readonly key: string
  readonly kind: EntryKind | 'event'
  /** Id in the settings. */
  readonly id: string
  readonly pairId: string | null
  readonly slotMs: number
  readonly dueMs: number
  /** Items that became due together. */
  readonly batch: number
  /** Index of the workflow step. */
  readonly step: number
  /** Earliest start. */
  readonly notBeforeMs?: number
  /** Time of the first failed attempt. */
  readonly triedMs?: number
  /** Failed attempts of a capture or a backup. */
  readonly failures?: number
  /** Trigger of an event rule: `watcher.stop`. */
  readonly trigger?: string
}

export interface Running extends Item {
  /** Null until the run is accepted, and always for captures and backups. */
  readonly runId: string | null
  readonly startedAtMs: number
  /** The process and generation that started the work. */
  readonly owner: string
}

export type EntryResult = RunResult | 'refused' | 'interrupted'

export interface RuleHistory {
  /** Starts within the last hour and the longest cooldown, ascending. */
  readonly startsMs: readonly number[]
  readonly seen: Readonly<Record<string, number>>
}

export interface LastStart {
  readonly atMs: number
  readonly ok: boolean | null
  readonly error: string
  readonly job_id: string
  readonly pair_id: string
  readonly capture_job_id: string
  readonly capture_provider: string
  readonly capture_feature: string
  readonly backup_job_id: string
  readonly backup_scope: string
  readonly rule_id: string
  readonly event_source: string
  readonly event_name: string
}

export interface State {
  readonly salt: string
  readonly paused: boolean
  readonly lastTickMs: number
  /** The last start of the standard schedule. */
  readonly startedMs: number | null
  /**
   * By entry: the time up to which an earlier version, which planned itself, had planned. Removed after the first tick.
   */
  readonly plannedUntilMs?: Readonly<Record<string, number>> | undefined
  readonly queue: readonly Item[]
  readonly running: Running | null
  readonly results: Readonly<Record<string, { readonly slotMs: number; readonly result: EntryResult }>>
  /** State by rule key, `rule:<id>`. */
  readonly rules: Readonly<Record<string, RuleHistory>>
  readonly last: LastStart
}

export interface StateStore {
  load(): Promise<State>
  /** Changes the state and returns the result of the change. `change` must be pure: it is repeated after a conflict. */
  update<Result>(change: (state: State) => readonly [State, Result]): Promise<Result>
}

const NO_START: LastStart = {
  atMs: 0,
  ok: null,
  error: '',
  job_id: '',
  pair_id: '',
  capture_job_id: '',
  capture_provider: '',
  capture_feature: '',
  backup_job_id: '',
  backup_scope: '',
  rule_id: '',
  event_source: '',
  event_name: '',
}
const TRIES = 50

export const migrations: readonly Migration[] = [
  {
    name: 'state',
    async up(db) {
      await db.schema
        .createTable('scheduling__state')
        .addColumn('id', 'integer', (column) => column.primaryKey())
        .addColumn('revision', 'integer', (column) => column.notNull())
        .addColumn('state', 'text', (column) => column.notNull())
        .execute()
    },
  },
  {
    name: 'plans-of-the-host',
    async up(db) {
      const row = await db.selectFrom('scheduling__state').selectAll().where('id', '=', 1).executeTakeFirst()
      if (row === undefined) return
      const { memory = {}, ...state } = JSON.parse(String(row['state'])) as State & { readonly memory?: FormerMemory }
      const { standard } = memory
      const plannedUntilMs = Object.fromEntries(
        Object.entries(memory).map(([key, { sinceMs, firedMs }]) => [key, Math.max(sinceMs - 1, firedMs ?? 0)]),
      )
      const moved: State = { ...state, startedMs: standard?.startedMs ?? standard?.sinceMs ?? null, plannedUntilMs }
      await db
        .updateTable('scheduling__state')
        .set({ state: JSON.stringify(moved) })
        .where('id', '=', 1)
        .execute()
    },
  },
]

type FormerMemory = Readonly<
  Record<string, { readonly sinceMs: number; readonly firedMs: number | null; readonly startedMs: number | null }>
>

export function createStateStore(db: Tables, salt: () => string): StateStore {
  async function read(): Promise<{ readonly revision: number; readonly state: State }> {
    const row = await db.selectFrom('scheduling__state').selectAll().where('id', '=', 1).executeTakeFirst()
    if (row !== undefined)
      return { revision: Number(row['revision']), state: JSON.parse(String(row['state'])) as State }
    await db
      .insertInto('scheduling__state')
      .values({ id: 1, revision: 0, state: JSON.stringify(emptyState(salt())) })
      .onConflict((conflict) => conflict.column('id').doNothing())
      .execute()
    return read()
  }

  return {
    load: async () => (await read()).state,
    async update(change) {
      for (let tries = 0; tries < TRIES; tries++) {
        const { revision, state } = await read()
        const [changed, result] = change(state)
        if (changed === state) return result
        const { numUpdatedRows } = await db
          .updateTable('scheduling__state')
          .set({ revision: revision + 1, state: JSON.stringify(changed) })
          .where('id', '=', 1)
          .where('revision', '=', revision)
          .executeTakeFirst()
        if (numUpdatedRows === 1n) return result
      }
      throw new PlayheadError(
        'PLH_NOT_READY',
        'The state of the scheduling is being changed by others all the time. Try again.',
      )
    },
  }
}

export function emptyState(salt: string): State {
  return {
    salt,
    paused: false,
    lastTickMs: 0,
    startedMs: null,
    queue: [],
    running: null,
    results: {},
    rules: {},
    last: NO_START,
  }
}

/** The status of an item that was just started. */
export function startedBy(item: Item, atMs: number, more: Partial<LastStart> = {}): LastStart {
  return {
    ...NO_START,
    atMs,
    pair_id: item.pairId ?? '',
    ...(item.kind === 'job' || item.kind === 'workflow' ? { job_id: item.id } : {}),
    ...(item.kind === 'capture' ? { capture_job_id: item.id } : {}),
    ...(item.kind === 'backup' ? { backup_job_id: item.id } : {}),
    ...(item.kind === 'event' ? { rule_id: item.id } : {}),
    ...more,
  }
}
