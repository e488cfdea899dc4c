// Imports the rows of a profile in small steps, so that requests are answered in between. The rows are staged under the number of a
// future change, so the final transaction of the import has little to write.
import {
  defined,
  PlayheadError,
  type TrackerClear,
  type TrackerCleared,
  type TrackerImported,
  type TrackerRow,
  type TrackerSnapshot,
  type TrackerSpan,
  yieldToLoop,
} from '@playhead/sdk'
import { sql } from 'kysely'
import { clearRows, closeAll, invalid, trackedOf } from './clear.ts'
import { groupOf, problemOf } from './import-items.ts'
import { createImportKeys, type ImportKeys, isSpanOf, newKey } from './import-keys.ts'
import { chunked, inChunks, insertTokens, insertVersions, isCurrent, STAGED, STAGED_RANGE, STEP } from './rows.ts'
import type { Profile, Tracked } from './settings.ts'
import { importSnapshots } from './snapshots.ts'
import { ensureState, setState, spaceOf } from './spaces.ts'
import { storedItem } from './stored-item.ts'
import { type Db, ROWS, STATES, TOKENS } from './tables.ts'

export interface Exchange {
  clear(instance: string, profile: Readonly<Profile>, what: TrackerClear): Promise<TrackerCleared>
  begin(
    instance: string,
    profile: Readonly<Profile>,
    features: readonly string[],
    snapshots?: Readonly<Record<string, readonly TrackerSnapshot[]>>,
  ): Promise<string>
  add(importId: string, feature: string, rows: readonly (TrackerRow & Partial<TrackerSpan>)[]): Promise<void>
  end(importId: string): Promise<TrackerImported>
  drop(importId: string): Promise<void>
  /** Deletes staged rows of interrupted imports. */
  sweep(): Promise<void>
}

interface Import {
  readonly instance: string
  readonly profile: Readonly<Profile>
  readonly space: string
  /** The first change number under which the rows are staged. */
  readonly staged: number
  readonly features: ReadonlyMap<Tracked, ImportedFeature>
  /** New groups of plays without a group, by token. */
  readonly groups: Map<string, string>
}

interface ImportedFeature {
  readonly snapshots: readonly TrackerSnapshot[]
  readonly keys: ImportKeys
  /** Current rows. */
  rows: number
  /** Current rows and other versions of snapshots. */
  versions: number
}

export function createExchange(db: Db, now: () => number): Exchange {
  const imports = new Map<string, Import>()

  async function dropRows(space: string, feature: string, staged: number): Promise<void> {
    const rows = sql`select * from ${sql.table(ROWS)}
      where space = ${space} and feature = ${feature} and ${isOf(staged)} limit ${sql.lit(STEP)}`
    for (let gone = STEP; gone === STEP; await yieldToLoop())
      await db.transaction().execute(async (trx) => {
        // A current row may have the same key.
        await sql`delete from ${sql.table(TOKENS)} where space = ${space} and feature = ${feature}
          and row_key in (select row_key from (${rows})) and row_key not in (
            select row_key from ${sql.table(ROWS)} where space = ${space} and feature = ${feature} and ${isCurrent}
              and row_key in (select row_key from (${rows})))`.execute(trx)
        const { numAffectedRows } =
          await sql`delete from ${sql.table(ROWS)} where id in (select id from (${rows}))`.execute(trx)
        gone = Number(numAffectedRows)
      })
  }

  async function sweep(): Promise<void> {
    const { rows } = await sql<{ readonly space: string; readonly feature: string; readonly staged: number }>`
      select distinct s.space, s.feature, r.added_change - r.added_change % ${sql.lit(STAGED_RANGE)} as staged from ${sql.table(STATES)} as s
        join ${sql.table(ROWS)} as r on r.space = s.space and r.feature = s.feature
      where r.added_change >= ${sql.lit(STAGED)}`.execute(db)
    for (const { space, feature, staged } of rows)
      if (![...imports.values()].some((one) => one.staged === staged)) await dropRows(space, feature, staged)
  }

  async function drop(importId: string): Promise<void> {
    const one = imports.get(importId)
    imports.delete(importId)
    for (const feature of one?.features.keys() ?? []) await dropRows(one!.space, feature, one!.staged)
  }

  function importOf(importId: string): Import {
    const one = imports.get(importId)
    if (one !== undefined) return one
    throw new PlayheadError('PLH_NOT_FOUND', 'The import has ended.', { wire: 'import_not_found' })
  }

  return {
    clear: (instance, profile, what) => clearRows(db, instance, profile, what, now()),

    async begin(instance, profile, features, snapshots = {}) {
      const tracked = features.map(trackedOf)
      await sweep()
      const importId = newKey()
      const entries = tracked.map((feature) => {
        const own = snapshots[feature] ?? []
        if (own.length >= STAGED_RANGE) throw invalid(`It has more than ${STAGED_RANGE - 1} snapshots of ${feature}.`)
        return [feature, { snapshots: own, keys: createImportKeys(own.length > 0), rows: 0, versions: 0 }] as const
      })
      const space = await db.transaction().execute(async (trx) => {
        const own = await spaceOf(trx, instance, now())
        for (const feature of tracked) await ensureState(trx, own, feature, profile[`restore_${feature}`])
        return own
      })
      imports.set(importId, {
        instance,
        profile,
        space,
        staged: STAGED + Math.floor(Math.random() * (STAGED / STAGED_RANGE)) * STAGED_RANGE,
        features: new Map(entries),
        groups: new Map(),
      })
      return importId
    },

    async add(importId, name, rows) {
      const one = importOf(importId)
      const feature = trackedOf(name)
      try {
        const known = one.features.get(feature)
        if (known === undefined) throw invalid(`The import is not about ${feature}.`)
        const versions = rows.map(({ key, item, from, to }, index) => {
          const row = `Row ${known.versions + index + 1} of ${feature}`
          const problem = problemOf(feature, item)
          if (problem !== undefined) throw invalid(`${row} is no item: ${problem}.`)
          const span = { from: from ?? 0, ...defined({ to }) }
          if (!isSpanOf(span, known.snapshots.length)) throw invalid(`${row} is of snapshots that are not there.`)
          const used = known.keys.take((feature === 'history' ? item.native?.event_id : undefined) ?? key, span)
          if (used === undefined) throw invalid(`${row} is in a snapshot twice.`)
          const group = feature === 'history' ? groupOf(one.groups, item, used) : used
          return {
            row: { key: used, group, item: storedItem(feature, item) },
            added: one.staged + span.from,
            ...(to === undefined ? {} : { removed: one.staged + to }),
          }
        })
        const current = versions.flatMap(({ row, removed }) => (removed === undefined ? [row] : []))
        await db.transaction().execute(async (trx) => {
          for (const part of chunked(versions)) await insertVersions(trx, one.space, feature, now(), part)
          for (const part of chunked(current)) await insertTokens(trx, one.space, feature, part)
        })
        known.rows += current.length
        known.versions += versions.length
      } catch (error) {
        await drop(importId)
        throw error
      }
    },

    async end(importId) {
      const one = importOf(importId)
      const taken: Record<string, number> = {}
      try {
        await db.transaction().execute(async (trx) => {
          const space = await spaceOf(trx, one.instance, now())
          for (const [feature, { snapshots, versions }] of one.features) {
            const { state, change } = await closeAll(trx, space, feature, one.profile, now())
            const by = one.staged - change
            const begin = sql`added_change = added_change - ${by}`
            const both = sql`${begin}, removed_change = removed_change - ${by}`
            const move = (column: string, to: typeof begin) =>
              inChunks(trx, ROWS, sql`space = ${space} and feature = ${feature} and ${isOf(one.staged, column)}`, to)
            // Deleted versions first, because the others need one index less.
            const moved = (await move('removed_change', both)) + (await move('added_change', begin))
            if (moved !== versions)
              throw new PlayheadError('PLH_CONFLICT', 'The account was removed meanwhile. Nothing was changed.', {
                wire: 'changed_since_load',
              })
            taken[feature] = await importSnapshots(trx, state, change, snapshots, now())
            await setState(trx, state, { change_no: change + snapshots.length })
          }
        })
        imports.delete(importId)
      } catch (error) {
        await drop(importId)
        throw error
      }
      return {
        rows: Object.fromEntries([...one.features].map(([feature, { rows }]) => [feature, rows])),
        snapshots: taken,
      }
    },

    drop,
    sweep,
  }
}

/** Staged rows. */
function isOf(staged: number, column = 'added_change') {
  return sql<boolean>`${sql.ref(column)} >= ${staged} and ${sql.ref(column)} < ${staged + STAGED_RANGE}`
}
