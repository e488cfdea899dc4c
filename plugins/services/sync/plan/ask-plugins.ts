// Applies the verdicts of plugins on planned operations: skip, defer, or change the value.
import { type ChangePlan, FILTER_PLAN, type Item } from '@playhead/sdk'
import { shapingOf } from '../library/read-side.ts'
import { judge, operationOf, VETO_FAILED, VETOED } from './judge.ts'
import { type FeatureRun, SIDES } from '../feature-run.ts'
import type { NewPlanItem } from '../store/plans.ts'
import type { PlanOp } from './planned.ts'

export interface PlannedRow {
  readonly planned: Pick<PlanOp, 'value' | 'evidenceMs' | 'state' | 'reason'>
  readonly row: NewPlanItem
}

/**
 * @param rows stored rows; their operations are updated in place
 * @param reviewed operations of a reviewed plan, as `side op key`, with their values
 */
export async function judgeRows(
  run: FeatureRun,
  planId: string,
  rows: readonly PlannedRow[],
  reviewed: ReadonlyMap<string, string> | null,
): Promise<readonly NewPlanItem[]> {
  const ready = rows.filter(({ planned }) => planned.state === 'ready')
  const operations = ready.map(({ row }) => {
    const current = row.current === null ? null : (JSON.parse(row.current) as Item)
    return operationOf(run, { ...row, item: JSON.parse(row.item) as Item, current })
  })
  const judged = await judge({ run, hook: FILTER_PLAN, planId, operations })
  const noted = new Map<number, { readonly note: string; readonly item?: string }>()
  const reject = ({ planned, row }: PlannedRow, reason: string, note: string) => {
    Object.assign(planned, { state: reason === VETOED ? 'filtered' : 'deferred', reason })
    noted.set(row.n, { note })
  }
  const changed: (PlannedRow & { readonly item: Item; readonly note: string })[] = []
  for (const each of ready) {
    const verdict = judged.get(each.row.n)
    if (verdict === undefined) continue
    if ('item' in verdict) changed.push({ ...each, ...verdict })
    else reject(each, verdict.reason, verdict.note)
  }
  for (const side of SIDES) {
    const own = changed.filter(({ row }) => row.side === side)
    const items = own.map(({ item }) => item)
    const shapes = items.length === 0 ? [] : await run.engine.reading.shape(items, shapingOf(run, run.sides[side]))
    for (const [index, each] of own.entries()) {
      const { planned, row, item, note } = each
      const shape = shapes[index]!
      if ('skip' in shape) reject(each, VETO_FAILED, note)
      // No operation remains to be written.
      else if (shape.value === row.before) reject(each, VETOED, note)
      else {
        planned.value = shape.value
        planned.evidenceMs = shape.evidenceMs ?? planned.evidenceMs
        noted.set(row.n, { note, item: JSON.stringify(item) })
      }
    }
  }
  return rows.map(({ planned, row }) => {
    const agreed = reviewed?.get(`${row.side} ${row.op} ${row.key}`)
    if (planned.state === 'ready' && reviewed !== null && agreed !== planned.value)
      Object.assign(planned, { state: 'deferred', reason: 'changed_since_plan' })
    const { value, state, reason } = planned
    return { ...row, value, state, reason, note: null, ...noted.get(row.n) }
  })
}

const JUDGED_AT_ONCE = 300

/** Judges the rows of a plan of changes to one account, in place. */
export async function judgePlan(run: FeatureRun, planId: string, rows: NewPlanItem[]): Promise<void> {
  if (!run.engine.taps.has(FILTER_PLAN)) return
  for (let start = 0; start < rows.length; start += JUDGED_AT_ONCE) {
    const asked = rows
      .slice(start, start + JUDGED_AT_ONCE)
      .map((row) => ({ planned: { ...row, evidenceMs: undefined }, row }))
    rows.splice(start, asked.length, ...(await judgeRows(run, planId, asked, null)))
  }
}

/** The operations that plugins removed from a plan. */
export function vetoedIn(rows: readonly NewPlanItem[]): ChangePlan['leftOut'] {
  return rows.flatMap(({ op, key, state, reason, note }) =>
    state === 'filtered' && reason === VETOED ? [{ key, op, reason, ...(note == null ? {} : { note }) }] : [],
  )
}
