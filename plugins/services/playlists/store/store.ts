// The state of mappings, their running and last runs, and the activity. A run has a row from its start to its end, so that a
// mapping has one run at a time and an interrupted run is found at the next start.
import { createOnce, type NextState, type PluginContext, type Tables } from '@playhead/sdk'
import { sql } from 'kysely'
import type { Result } from '../contract.ts'
import type { ActivityRow, Creation, Journal, RunningRun } from './rows.ts'
import { join, readPages, split, toPages, writePages } from './pages.ts'
import { migrations } from './schema.ts'

export interface Store {
  /** An empty state if none is stored. */
  state(scope: string): Promise<NextState>
  /** Deletes all states of a mapping except one. */
  keepScope(mappingId: string, scope: string | null): Promise<void>
  /** False if the mapping is already running. */
  begin(mappingId: string, journal: Journal): Promise<boolean>
  /** Stored before the first write: the inputs of the plans, for `cause`. */
  journal(mappingId: string, journal: Journal, cause: unknown): Promise<Journal>
  /** Records that another plan is being applied. */
  note(mappingId: string, journal: Journal): Promise<void>
  /** Stores a state and the remaining notes in one transaction. */
  settle(mappingId: string, scope: string, state: NextState, journal: Journal): Promise<void>
  /** Ends the run: stores its last state and its result in one transaction. */
  end(mappingId: string, outcome: { readonly result?: Result; readonly activity?: ActivityRow }): Promise<void>
  running(): Promise<readonly RunningRun[]>
  /** Returns the value stored with `journal`. */
  cause(run: RunningRun): Promise<unknown>
  results(): Promise<ReadonlyMap<string, Result>>
  result(mappingId: string): Promise<Result | null>
  /** Deletes all data of a mapping. */
  forget(mappingId: string): Promise<void>
  /** A list that is being created, until its endpoint stores its id. */
  creation(endpointId: string): Promise<Creation | null>
  setCreation(endpointId: string, creation: Creation | null): Promise<void>
  addActivity(row: ActivityRow): Promise<void>
  /** Newest first; with an id, only for that mapping. */
  activity(limit: number, mappingId?: string): Promise<readonly ActivityRow[]>
}

const KEPT_ACTIVITY = 500

const stateOwner = (scope: string) => `state:${scope}`
const runOwner = (mappingId: string) => `run:${mappingId}`

/** Opens the database at its first use. */
export function createStore(ctx: Pick<PluginContext, 'openDatabase' | 'generation' | 'host'>): Store {
  const own = { process: String(ctx.host.startedAtMs), generation: ctx.generation }
  // Additions to a list survive a power failure.
  const database = createOnce(() => ctx.openDatabase('mappings', { migrations, flushes: 'each_commit' }))
  const tables = async (): Promise<Tables> => (await database()).db

  async function removeScopes(db: Tables, scopes: readonly string[]): Promise<void> {
    for (const scope of scopes) {
      await db.deleteFrom('page').where('owner', '=', stateOwner(scope)).execute()
      await db.deleteFrom('scope').where('scope', '=', scope).execute()
    }
  }

  const inOneStep = async <Value>(work: (db: Tables) => Promise<Value>): Promise<Value> =>
    (await tables()).transaction().execute(work)

  async function insertActivity(db: Tables, row: ActivityRow): Promise<void> {
    const { insertId } = await db
      .insertInto('activity')
      .values({ doc: JSON.stringify(row) })
      .executeTakeFirstOrThrow()
    await db
      .deleteFrom('activity')
      .where('id', '<=', Number(insertId ?? 0) - KEPT_ACTIVITY)
      .execute()
  }

  async function scopesOf(db: Tables, mappingId: string): Promise<readonly string[]> {
    const rows = await db.selectFrom('scope').select('scope').where('mapping_id', '=', mappingId).execute()
    return rows.map((row) => String(row['scope']))
  }

  async function setJournal(db: Tables, mappingId: string, journal: Journal): Promise<void> {
    await db
      .updateTable('running')
      .set({ doc: JSON.stringify(journal) })
      .where('mapping_id', '=', mappingId)
      .execute()
  }

  return {
    async state(scope) {
      const db = await tables()
      const row = await db.selectFrom('scope').select('doc').where('scope', '=', scope).executeTakeFirst()
      if (row === undefined) return { managed: [], refused: [], last: null }
      const arrays = await readPages(db, stateOwner(scope))
      return join({ frame: JSON.parse(String(row['doc'])), arrays }) as NextState
    },
    keepScope: (mappingId, scope) =>
      inOneStep(async (db) => {
        const others = (await scopesOf(db, mappingId)).filter((one) => one !== scope)
        await removeScopes(db, others)
      }),
    begin: (mappingId, journal) =>
      inOneStep(async (db) => {
        const known = await db
          .selectFrom('running')
          .select('mapping_id')
          .where('mapping_id', '=', mappingId)
          .executeTakeFirst()
        if (known !== undefined) return false
        await db
          .insertInto('running')
          .values({ mapping_id: mappingId, ...own, doc: JSON.stringify(journal) })
          .execute()
        return true
      }),
    async journal(mappingId, journal, cause) {
      const { frame, arrays } = split(cause)
      const rows = await toPages(runOwner(mappingId), arrays)
      const whole = { ...journal, frame }
      await inOneStep(async (db) => {
        await writePages(db, runOwner(mappingId), rows)
        await setJournal(db, mappingId, whole)
      })
      return whole
    },
    note: async (mappingId, journal) => setJournal(await tables(), mappingId, journal),
    async settle(mappingId, scope, state, journal) {
      const { frame, arrays } = split(state)
      const rows = await toPages(stateOwner(scope), arrays)
      await inOneStep(async (db) => {
        await writePages(db, stateOwner(scope), rows)
        await db.deleteFrom('scope').where('scope', '=', scope).execute()
        await db
          .insertInto('scope')
          .values({ scope, mapping_id: mappingId, doc: JSON.stringify(frame) })
          .execute()
        await setJournal(db, mappingId, journal)
      })
    },
    end: (mappingId, { result, activity }) =>
      inOneStep(async (db) => {
        await db.deleteFrom('page').where('owner', '=', runOwner(mappingId)).execute()
        await db.deleteFrom('running').where('mapping_id', '=', mappingId).execute()
        if (result !== undefined) {
          await db.deleteFrom('result').where('mapping_id', '=', mappingId).execute()
          await db
            .insertInto('result')
            .values({ mapping_id: mappingId, doc: JSON.stringify(result) })
            .execute()
        }
        if (activity !== undefined) await insertActivity(db, activity)
      }),
    async running() {
      const rows = await (await tables()).selectFrom('running').selectAll().execute()
      return rows.map((row) => ({
        mappingId: String(row['mapping_id']),
        isOfThisProcess: row['process'] === own.process,
        isOwn: row['process'] === own.process && Number(row['generation']) === own.generation,
        journal: JSON.parse(String(row['doc'])) as Journal,
      }))
    },
    cause: async ({ mappingId, journal }) =>
      join({ frame: journal.frame, arrays: await readPages(await tables(), runOwner(mappingId)) }),
    async results() {
      const rows = await (await tables()).selectFrom('result').selectAll().execute()
      return new Map(rows.map((row) => [String(row['mapping_id']), JSON.parse(String(row['doc'])) as Result]))
    },
    async result(mappingId) {
      const row = await (await tables())
        .selectFrom('result')
        .select('doc')
        .where('mapping_id', '=', mappingId)
        .executeTakeFirst()
      return row === undefined ? null : (JSON.parse(String(row['doc'])) as Result)
    },
    forget: (mappingId) =>
      inOneStep(async (db) => {
        await removeScopes(db, await scopesOf(db, mappingId))
        await db.deleteFrom('result').where('mapping_id', '=', mappingId).execute()
      }),
    async creation(endpointId) {
      const row = await (await tables())
        .selectFrom('creating')
        .select('doc')
        .where('endpoint_id', '=', endpointId)
        .executeTakeFirst()
      return row === undefined ? null : (JSON.parse(String(row['doc'])) as Creation)
    },
    setCreation: (endpointId, creation) =>
      inOneStep(async (db) => {
        await db.deleteFrom('creating').where('endpoint_id', '=', endpointId).execute()
        if (creation === null) return
        await db
          .insertInto('creating')
          .values({ endpoint_id: endpointId, doc: JSON.stringify(creation) })
          .execute()
      }),
    addActivity: (row) => inOneStep((db) => insertActivity(db, row)),
    async activity(limit, mappingId) {
      const all = (await tables()).selectFrom('activity').select('doc')
      const own =
        mappingId === undefined ? all : all.where(sql`json_extract(doc, '$.mapping_id')`, '=', sql`${mappingId}`)
      const rows = await own.orderBy('id', 'desc').limit(limit).execute()
      return rows.map((row) => JSON.parse(String(row['doc'])) as ActivityRow)
    },
  }
}
