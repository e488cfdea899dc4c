// The base state of undone operations: both sides are settled in their current state, so that no run repeats or spreads them.
import { defined, type Item, type Side } from '@playhead/sdk'
import { type BaseRow, type BaseState, baseRows, readBase } from '../store/base.ts'
import type { BaseAfter } from '../store/interrupted-plans.ts'
import type { PlanItem } from '../store/plans.ts'
import { accountKey, playMarkOf, tombstoneTokens } from '../store/tombstones.ts'
import type { Lookup } from '../library/lookup.ts'
import type { PlanOp } from '../plan/planned.ts'
import type { SideRead } from '../library/read-side.ts'
import { type FeatureRun, other, SIDES } from '../feature-run.ts'

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
  const play = run.plays ? playMarkOf(op.key) : ''
  const account = accountKey(run.sides[op.side], reads[op.side].account)
  return {
    id: base?.id ?? null,
    key: base?.key ?? op.key,
    item: base?.item ?? stripped(source.item),
    state: {
      ...defined({ a, b }),
      ...(value === null ? {} : { [op.side]: { v: value } }),
      ...defined({ pa, pb }),
      s: { a: there, b: there, [op.side]: value },
    },
    ...(op.op === 'add'
      ? { lifted: tombstoneTokens(source.item).map((token) => ({ account, feature: run.feature, token, play })) }
      : {}),
  }
}

type Elsewhere = NonNullable<BaseAfter['elsewhere']>

/**
 * Rows of other pairs that lose, or see changed, rows that the undo removes from an account, by operation number. Otherwise those
 * pairs would mistake the undo for actions of a person, and remove items from accounts that had them independently.
 */
export async function rowsElsewhere(
  run: FeatureRun,
  ops: readonly PlanOp[],
  sources: readonly PlanItem[],
  reads: Readonly<Record<Side, SideRead>>,
): Promise<ReadonlyMap<number, Elsewhere>> {
  const { db } = run.engine
  const found = new Map<number, Elsewhere[number][]>()
  const named = { a: new Map<string, PlanOp[]>(), b: new Map<string, PlanOp[]>() }
  for (const op of ops)
    if (op.op !== 'add')
      for (const token of tombstoneTokens(sources[op.n]!.item))
        named[op.side].set(token, [...(named[op.side].get(token) ?? []), op])
  if (named.a.size + named.b.size === 0) return found
  const states = await db
    .selectFrom('sync__state')
    .select(['pair_id', 'state'])
    .where('feature', '=', run.feature)
    .where('pair_id', '!=', run.pair.id)
    .execute()
  for (const { pair_id: pairId, state } of states) {
    const { uid } = JSON.parse(state) as { readonly uid: Readonly<Record<Side, string>> }
    const shared = SIDES.flatMap((side) =>
      SIDES.flatMap((own) => (run.sides[own].uid === uid[side] ? [{ side, own }] : [])),
    )
    if (shared.length === 0) continue
    for await (const rows of readBase(db, pairId, run.feature))
      for (const row of rows)
        for (const { side, own } of shared) {
          const seen = row.state[side]
          if (seen === undefined || seen.d === 1) continue
          const ofItem = new Set(tombstoneTokens(row.item).flatMap((token) => named[own].get(token) ?? []))
          const op = [...ofItem].find((each) => takes(each, row.key, seen.v))
          if (op !== undefined && !isStillThere(own, ofItem.size, row))
            found.set(op.n, [...(found.get(op.n) ?? []), { id: row.id, side }])
        }
  }
  return found

  /** Whether the other pair saw the undone row: for plays that play, otherwise the item. */
  function takes({ n, op }: PlanOp, key: string, value: string): boolean {
    return (
      (op === 'remove' && !run.plays) ||
      sources[n]!.value === value ||
      (run.plays && playMarkOf(key) === playMarkOf(sources[n]!.key))
    )
  }

  /** The other pair has one row for all plays of an item, and some of the plays stay. */
  function isStillThere(own: Side, removed: number, { key, item }: BaseRow): boolean {
    if (!run.plays || playMarkOf(key) !== '') return false
    const tokens = new Set(tombstoneTokens(item))
    const { rows } = reads[own]
    let count = 0
    for (let index = 0; index < rows.size; index += 1)
      if (tombstoneTokens(rows.item(index)).some((token) => tokens.has(token))) count += 1
    return count > removed
  }
}

function stripped(item: Item): Item {
  const { native: _native, library_id: _library, ...rest } = item
  return rest
}
