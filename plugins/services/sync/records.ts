// What is on record about plans and open items, in the form of the interface.
import { type Item, PlayheadError, reasonLabel, type RunStart, type Tables } from '@playhead/sdk'
import type { RunRecords } from './run-routes.ts'
import { getPlan, planItems, type PlanItem, type PlanItemState } from './store/plans.ts'
import { listUnresolved, type Unresolved } from './store/unresolved.ts'
import { displayTitle, episodeCode } from './summary.ts'

export interface RecordDependencies {
  readonly db: Tables
  /** Says what undoing a run would do. */
  readonly previewUndo: (runId: string) => Promise<object>
  readonly startUndo: (runId: string) => Promise<RunStart>
  readonly isKnownRun: (runId: string) => Promise<boolean>
  readonly counts: RunRecords['counts']
}

const MOST_UNRESOLVED = 5_000
const PAGE = 500

export function createRecords({ db, previewUndo, startUndo, isKnownRun, counts }: RecordDependencies): RunRecords {
  return {
    counts,
    async unresolved(runId) {
      const rows: ReturnType<typeof toRow>[] = []
      for (let offset = 0; rows.length < MOST_UNRESOLVED; offset += PAGE) {
        const { items } = await listUnresolved(db, { runId: runId ?? 'all', offset, limit: PAGE })
        rows.push(...items.map(toRow))
        if (items.length < PAGE) break
      }
      return rows.toSorted((a, b) => compare(a.reason, b.reason) || compare(a.title, b.title) || compare(a.code, b.code))
    },
    async plan(planId, { side, op, state, offset, limit }) {
      const header = await getPlan(db, planId)
      if (header === undefined) return undefined
      const filter = { ...(side === undefined ? {} : { side }), ...(op === undefined ? {} : { op }), ...(state === undefined ? {} : { state: state as PlanItemState }), offset, limit }
      const { total, items } = await planItems(db, planId, filter)
      const { id, created_at_ms: createdAtMs, ...rest } = header
      return { plan_id: id, ...rest, created_at: new Date(createdAtMs).toISOString(), total, items: items.map(toPlanRow) }
    },
    async undo(runId, dryRun) {
      if (!await isKnownRun(runId)) throw new PlayheadError('PLH_NOT_FOUND', 'There is no such run; old runs are forgotten.', { wire: 'run_not_found' })
      return dryRun ? { dry_run: true, ...await previewUndo(runId) } : { dry_run: false, ...await startUndo(runId) }
    },
  }
}

function toRow(row: Unresolved) {
  const { item, reason_code: code } = row
  const episode = item.type === 'episode' && item.season !== undefined && item.episode !== undefined ? episodeCode(item.season, item.episode) : ''
  const reason = reasonLabel(code)
  return {
    line: `${displayTitle(item)} | ${reason}`,
    title: item.series_title ?? item.title ?? 'Unknown',
    code: episode,
    type: item.type,
    reason,
    reason_code: code,
    feature: row.feature,
    key: row.key,
    provider: row.provider,
    provider_instance: row.provider_instance,
    pair_id: row.pair_id,
    op: row.op,
    first_at: toSeconds(row.first_at_ms),
    last_at: toSeconds(row.last_at_ms),
    attempts: row.attempts,
    quarantined: row.quarantined,
    run_id: row.run_id,
  }
}

function toPlanRow({ n, side, op, key, value, cause, state, reason, before, item }: PlanItem) {
  return { n, side, op, key, value, before, cause, state, reason, display_title: displayTitle(item), item: withoutNative(item) }
}

// What one account calls an item is of use to nobody who looks at a plan.
function withoutNative({ native: _native, ...item }: Item): Omit<Item, 'native'> {
  return item
}

function toSeconds(atMs: number): number {
  return Math.floor(atMs / 1_000)
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b)
}
