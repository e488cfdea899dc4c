// What the scheduling remembers over restarts: which slots were taken, what waits, what goes on, and how things ended.
// One document, changed only by whoever saw its latest version, so that no slot is ever taken twice.
import { type Migration, PlayheadError, type RunResult, type Tables } from '@playhead/sdk'
import type { EntryKind, Memory } from '../plan/planner.ts'

/** Something that is to be started as soon as it may. */
export interface Item {
  /** The entry's key, or `rule:<id>`. */
  readonly key: string
  readonly kind: EntryKind | 'event'
  /** Id in the settings. */
  readonly id: string
  readonly pairId: string | null
  readonly slotMs: number
  readonly dueMs: number
  /** Items that became due together. */
  readonly batch: number
  /** Position among the steps of a workflow. */
  readonly step: number
  /** Not to be tried before. */
  readonly notBeforeMs?: number
  /** When it was first tried, in vain. */
  readonly triedMs?: number
  /** What made it start, for event rules: `watcher.stop`. */
  readonly trigger?: string
}

export interface Running extends Item {
  /** Null until the run was accepted, and for captures and backups. */
  readonly runId: string | null
  readonly startedAtMs: number
  /** The process and generation that started it. */
  readonly owner: string
}

export type EntryResult = RunResult | 'refused' | 'interrupted'

export interface RuleHistory {
  /** Starts within the last hour and the longest cooldown, the latest last. */
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
  readonly memory: Memory
  readonly queue: readonly Item[]
  readonly running: Running | null
  readonly results: Readonly<Record<string, { readonly slotMs: number; readonly result: EntryResult }>>
  /** By the key of the rule, `rule:<id>`. */
  readonly rules: Readonly<Record<string, RuleHistory>>
  readonly last: LastStart
}

export interface StateStore {
  load(): Promise<State>
  /**
   * Changes the state and gives what the change gives beside it. The change gets the latest state, and is asked again
   * when somebody else was faster; it must not do anything else.
   */
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
]

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
    memory: {},
    queue: [],
    running: null,
    results: {},
    rules: {},
    last: NO_START,
  }
}

/** What the state says about an item that was just started. */
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
