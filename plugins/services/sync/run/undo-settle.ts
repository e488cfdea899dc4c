// The base state of undone operations: both sides are settled as they are, so that no run repeats or spreads them.
import type { Item, Side } from '@playhead/sdk'
import { type BaseState, baseRows } from '../store/base.ts'
import type { BaseAfter } from '../store/interrupted-plans.ts'
import type { PlanItem } from '../store/plans.ts'
import { tombstoneTokens } from '../store/tombstones.ts'
import type { Lookup } from '../library/lookup.ts'
import type { PlanOp } from '../plan/planned.ts'
import type { SideRead } from '../library/read-side.ts'
import { type FeatureRun, other } from '../feature-run.ts'

/** @param source the operation that `op` undoes */
export async function baseAfterUndo(
  run: FeatureRun,
  op: PlanOp,
  source: PlanItem,
  { reads, lookups }: { readonly reads: Readonly<Record<Side, SideRead>>; readonly lookups: Record<Side, Lookup> },
): Promise<BaseAfter> {
  const { db } = run.engine
  const found = await db
    .selectFrom('sync__base')
    .select('id')
    .where('pair_id', '=', run.pair.id)
    .where('feature', '=', run.feature)
    .where('key', '=', op.key)
    .executeTakeFirst()
  const base = found === undefined ? undefined : (await baseRows(db, [Number(found.id)])).get(Number(found.id))
  const opposite = other(op.side)
  const at = lookups[opposite].find(source.item)
  const there = at == null ? null : reads[opposite].rows.value(at)
  const { a, b, pa, pb }: BaseState = base?.state ?? {}
  const value = op.op === 'remove' ? null : op.value
  const mark = run.plays ? op.key.slice(op.key.indexOf('@')) : ''
  const { uid } = run.sides[op.side]
  return {
    id: base?.id ?? null,
    key: base?.key ?? op.key,
    item: base?.item ?? stripped(source.item),
    state: {
      ...(a === undefined ? {} : { a }),
      ...(b === undefined ? {} : { b }),
      ...(value === null ? {} : { [op.side]: { v: value } }),
      ...(pa === undefined ? {} : { pa }),
      ...(pb === undefined ? {} : { pb }),
      s: { a: there, b: there, [op.side]: value },
    },
    ...(op.op === 'add'
      ? { lifted: tombstoneTokens(source.item, mark).map((token) => ({ uid, feature: run.feature, token })) }
      : {}),
  }
}

function stripped(item: Item): Item {
  const { native: _native, library_id: _library, ...rest } = item
  return rest
}
