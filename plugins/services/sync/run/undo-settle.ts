// The base state of undone operations: both sides are settled as they are, so that no run repeats or spreads them.
import type { Item, Side } from '@playhead/sdk'
import { baseRows, type BaseState, nextBaseId } from '../store/base.ts'
import type { PlanItem } from '../store/plans.ts'
import { openStage } from '../store/stage.ts'
import { tombstoneTokens } from '../store/tombstones.ts'
import type { Lookup } from '../library/lookup.ts'
import type { PlanOp } from '../plan/planned.ts'
import type { SideRead } from '../library/read-side.ts'
import { type FeatureRun, other } from '../feature-run.ts'

export async function settlePair(
  run: FeatureRun,
  planId: string,
  ops: readonly PlanOp[],
  sources: readonly PlanItem[],
  reads: Readonly<Record<Side, SideRead>>,
  lookups: Partial<Record<Side, Lookup>>,
): Promise<void> {
  const { db } = run.engine
  const stage = openStage(db, planId, run.engine.now(), run.engine.checkpoint)
  let id = await nextBaseId(db)
  for (const [index, op] of ops.entries()) {
    if (op.state !== 'applied' && op.state !== 'already' && op.state !== 'unknown') continue
    const source = sources[index]!
    const found = await db
      .selectFrom('sync__base')
      .select('id')
      .where('pair_id', '=', run.pair.id)
      .where('feature', '=', run.feature)
      .where('key', '=', op.key)
      .executeTakeFirst()
    const base = found === undefined ? undefined : (await baseRows(db, [Number(found.id)])).get(Number(found.id))
    const opposite = other(op.side)
    const at = lookups[opposite]!.find(source.item)
    const there = at == null ? null : reads[opposite].rows.value(at)
    const value = op.op === 'remove' ? null : op.value
    const old: BaseState = base?.state ?? {}
    const slot = op.side === 'a' ? 'pa' : 'pb'
    const next: Record<string, unknown> = {
      ...old,
      s: { [op.side]: value, [opposite]: there } as unknown as BaseState['s'],
    }
    delete next['k']
    if (op.op !== 'remove') next[op.side] = { v: op.value }
    if (op.seen === undefined) next[slot] = { o: op.op, v: op.value, t: run.engine.now(), m: 0 }
    else delete next[slot]
    const ordered = Object.fromEntries(
      ['a', 'b', 'pa', 'pb', 's'].flatMap((name) => (next[name] === undefined ? [] : [[name, next[name]]])),
    )
    await stage.add({
      t: 'base',
      id: base?.id ?? id++,
      pair: run.pair.id,
      feature: run.feature,
      key: base?.key ?? op.key,
      item: JSON.stringify(base?.item ?? stripped(source.item)),
      state: JSON.stringify(ordered),
    })
    if (op.op === 'add') {
      const mark = run.plays ? op.key.slice(op.key.indexOf('@')) : ''
      for (const token of tombstoneTokens(source.item, mark))
        await stage.add({
          t: 'tomb-',
          uid: run.sides[op.side].uid,
          feature: run.feature,
          token,
          upToMs: run.engine.now(),
        })
    }
  }
  await stage.add({ t: 'plan', id: planId, state: 'done' })
  await stage.commit()
}

function stripped(item: Item): Item {
  const { native: _native, library_id: _library, ...rest } = item
  return rest
}
