// Entry of the imports thread: reads uploads, stores their rows, and compares them with accounts.
import {
  type AccountName,
  type ChangeOutcome,
  type Item,
  LIBRARY,
  type LentModule,
  type ThreadHost,
} from '@playhead/sdk'
import { type ImporterFormat, importerIn } from '@playhead/sdk/importer'
import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { decide, type Decision } from './choose.ts'
import { compare, type CompareOrder, type Read, setColumns, UNDATED } from './compare.ts'
import { createQueries } from './queries.ts'
import { type About, stage } from './stage.ts'

interface PreviewOrder {
  readonly id: string
  /** Options of `receive`. */
  readonly uploadId: string
  readonly name: string
  readonly format: string | null
  readonly modules: readonly LentModule[]
  readonly nowMs: number
}

/** A change to write. `n` is the row. */
export interface StagedChange {
  readonly n: number
  readonly op: 'add' | 'update'
  readonly key: string
  readonly item: Item
}

export type ImportWork = ReturnType<typeof work>

export default function work(host: ThreadHost) {
  const db = host.openDatabase('imports')
  // A power failure may only lose the last preview.
  void sql`pragma synchronous = normal`.execute(db)
  const library = host.use(LIBRARY)
  const uploads = new Map<string, { readonly chunks: Uint8Array[]; readonly release: () => void }>()
  const queries = createQueries(db)

  async function importersOf(modules: readonly LentModule[]): Promise<readonly ImporterFormat[]> {
    const found = await Promise.all(
      modules.map(async (module) => {
        const importer = await host
          .load(module)
          .then(importerIn)
          .catch((error: unknown) => {
            host.log.warn({ err: error, plugin: module.plugin }, 'an importer cannot be loaded')
            return undefined
          })
        return importer === undefined ? [] : [importer]
      }),
    )
    return found.flat()
  }

  return {
    ...queries,

    /** A piece of an upload. */
    async receive(uploadId: string, chunk: Uint8Array): Promise<void> {
      uploads.getOrInsertComputed(uploadId, () => ({ chunks: [], release: host.stay() })).chunks.push(chunk)
    },

    async forget(uploadId: string): Promise<void> {
      uploads.get(uploadId)?.release()
      uploads.delete(uploadId)
    },

    async preview({ id, uploadId, name, format, modules, nowMs }: PreviewOrder, signal: AbortSignal): Promise<About> {
      const upload = uploads.get(uploadId)
      const bytes = Buffer.concat(upload?.chunks ?? [])
      upload?.release()
      uploads.delete(uploadId)
      const sha256 = createHash('sha256').update(bytes).digest('hex')
      await queries.begin(id, nowMs)
      try {
        const about = await stage(db, await importersOf(modules), { id, bytes, name, sha256, format, signal })
        await sql`update import_title set rows = (select count(*) from import_row r indexed by import_row_title
          where r.import_id = ${id} and r.title = import_title.title) where import_id = ${id}`.execute(db)
        await queries.wasRead(id, about)
        return about
      } catch (error) {
        await queries.remove(id)
        throw error
      }
    },

    async decide(id: string, decisions: readonly Decision[]): Promise<void> {
      for (const decision of decisions) await decide(db, id, decision)
    },

    /** Reads the account and decides the rows of a feature. */
    compare: (order: CompareOrder, account: AccountName, signal: AbortSignal): Promise<Read> =>
      compare(db, library, order, account, signal),

    /** The next unwritten changes of a feature. */
    async changes(id: string, feature: string, after: number, limit: number): Promise<readonly StagedChange[]> {
      const { rows } = await sql<{
        n: number
        plan: 'add' | 'update'
        plan_reason: string | null
        key: string
        item: string
      }>`select n, plan, plan_reason, key, coalesce(chosen, item) as item from import_row
        where import_id = ${id} and feature = ${feature} and plan in ('add', 'update') and n > ${after}
        order by n limit ${limit}`.execute(db)
      return rows.map(({ n, plan, plan_reason: reason, key, item }) => {
        const staged = JSON.parse(item) as Item
        const day = reason?.startsWith(UNDATED) === true ? reason.slice(UNDATED.length) : undefined
        return { n, op: plan, key, item: day === undefined ? staged : { ...staged, watched_at: day } }
      })
    },

    /** @param planId the plan that wrote the rows */
    async settle(
      id: string,
      planId: string,
      outcomes: readonly (Pick<ChangeOutcome, 'outcome' | 'reason'> & { readonly n: number })[],
    ): Promise<void> {
      await setColumns(
        db,
        id,
        outcomes.map(({ n, outcome, reason }) => ({ n, outcome, outcome_reason: reason ?? null, plan_id: planId })),
        sql`outcome = excluded.outcome, outcome_reason = excluded.outcome_reason, plan = 'done',
          plan_id = excluded.plan_id`,
      )
    },

    /** Marks the writes of this plan as undone; without a plan, all writes. */
    async forgetPlan(id: string, planId: string | null): Promise<void> {
      const rows = planId === null ? sql`true` : sql`plan_id = ${planId}`
      await sql`update import_row set plan = null, plan_reason = null, outcome = null, outcome_reason = null, plan_id = null
        where import_id = ${id} and ${rows}`.execute(db)
    },
  }
}
