// The manual policy in a run: adds are appended to the rows of their account, blocks become names.
import type { Side } from '@playhead/sdk'
import { type Item, kindOf, blockName } from '@playhead/sdk/items'
import { addPages, itemOfAdd, type ScopeName, scopeRow } from '../store/manual-policy.ts'
import { type FeatureRun, SIDES } from '../feature-run.ts'
import { shapingOf, type SideRead } from '../library/read-side.ts'

/** An input of the unchanged proof. */
export async function policyMarks(run: FeatureRun): Promise<Record<Side, string>> {
  return { a: await markOf(run, 'a'), b: await markOf(run, 'b') }
}

async function markOf({ engine: { db }, ...run }: FeatureRun, side: Side): Promise<string> {
  return String((await scopeRow(db, scopeOf(run, side)))?.revision ?? 0)
}

/** Appends the adds of both accounts to their rows. Returns the revisions of these adds. */
export async function takeAdds(
  run: FeatureRun,
  reads: Readonly<Record<Side, SideRead>>,
): Promise<Record<Side, string>> {
  const { db } = run.engine
  const marks = { a: '', b: '' }
  for (const side of SIDES) {
    const scope = scopeOf(run, side)
    // A concurrent change would look as if adds were deleted.
    const adds = await db.transaction().execute(async (snapshot) => {
      const row = await scopeRow(snapshot, scope)
      marks[side] = String(row?.revision ?? 0)
      const found: { readonly item: Item; readonly atMs: number }[] = []
      if (row === undefined || row.adds === 0) return found
      for await (const page of addPages(snapshot, scope))
        for (const add of page) {
          const item = itemOfAdd(add)
          if (item !== undefined && run.comparing.kinds?.includes(kindOf(item)) !== false)
            found.push({ item: ofPerson(item), atMs: add.atMs })
        }
      return found
    })
    await append(run, side, reads[side], adds)
  }
  return marks
}

const BATCH = 250

async function append(
  run: FeatureRun,
  side: Side,
  { rows }: SideRead,
  adds: readonly { readonly item: Item; readonly atMs: number }[],
): Promise<void> {
  const shaping = shapingOf(run, run.sides[side])
  for (let start = 0; start < adds.length; start += BATCH) {
    run.signal.throwIfAborted()
    const batch = adds.slice(start, start + BATCH)
    const shapes = await run.engine.reading.shape(
      batch.map(({ item }) => item),
      shaping,
    )
    for (const [index, { item, atMs }] of batch.entries()) {
      const shape = shapes[index]!
      // An add without a time of its own gets the time at which the person made it.
      rows.addByHand(item, 'value' in shape && shape.evidenceMs === undefined ? { ...shape, evidenceMs: atMs } : shape)
    }
  }
}

export async function blocksOf(run: FeatureRun): Promise<Record<Side, ReadonlySet<string>>> {
  const names = async (side: Side) =>
    new Set((await scopeRow(run.engine.db, scopeOf(run, side)))?.blocks.flatMap((text) => blockName(text) ?? []))
  return { a: await names('a'), b: await names('b') }
}

/** People cannot set the ids of a server's rows. */
function ofPerson({ native: _native, library_id: _library, transient: _transient, ...item }: Item): Item {
  return item
}

function scopeOf({ sides, feature }: Pick<FeatureRun, 'sides' | 'feature'>, side: Side): ScopeName {
  const { provider, instance } = sides[side]
  return { provider: provider.toUpperCase(), instance, feature }
}
