// The manual policy in a run: adds are appended to the rows of their account, blocks and stopped titles become names.
import type { PolicyScope, Side } from '@playhead/sdk'
import { type Item, kindOf, blockName } from '@playhead/sdk/items'
import { addPages, type AddRow, itemOfAdd, type ScopeRow, scopeRow } from '../store/manual-policy.ts'
import { type FeatureRun, SIDES } from '../feature-run.ts'
import { shapedFor, type SideRead } from '../library/read-side.ts'
import { chunksOf } from '../store/steps.ts'
import { stoppedIn } from './stopped.ts'

/** An input of the unchanged proof. */
export async function policyMarks(run: FeatureRun): Promise<Record<Side, string>> {
  const { mark } = await stoppedIn(run)
  const markOf = async (side: Side) => revisionOf(await scopeRow(run.engine.db, scopeOf(run, side))) + mark
  return { a: await markOf('a'), b: await markOf('b') }
}

const revisionOf = (row: ScopeRow | undefined) => String(row?.revision ?? 0)

/** Appends the adds of both accounts to their rows. Returns the marks of the policy with these adds. */
export async function takeAdds(
  run: FeatureRun,
  reads: Readonly<Record<Side, SideRead>>,
): Promise<Record<Side, string>> {
  const marks = { a: '', b: '' }
  const { mark } = await stoppedIn(run)
  const take = (add: AddRow) => {
    const item = itemOfAdd(add)
    if (item === undefined || run.comparing.kinds?.includes(kindOf(item)) === false) return []
    return { item: ofPerson(item), atMs: add.atMs }
  }
  for (const side of SIDES) {
    const scope = scopeOf(run, side)
    // A concurrent change would look as if adds were deleted.
    const { row, adds } = await run.engine.db.transaction().execute(async (snapshot) => {
      const row = await scopeRow(snapshot, scope)
      const pages = row === undefined || row.adds === 0 ? [] : addPages(snapshot, scope)
      return { row, adds: await Array.fromAsync(pages, (page: readonly AddRow[]) => page.flatMap(take)) }
    })
    marks[side] = revisionOf(row) + mark
    await append(run, side, reads[side], adds.flat())
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
  for (const batch of chunksOf(adds, BATCH)) {
    run.signal.throwIfAborted()
    const items = batch.map(({ item }) => item)
    const shapes = await shapedFor(run, run.sides[side], items)
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

function scopeOf({ sides, feature }: Pick<FeatureRun, 'sides' | 'feature'>, side: Side): PolicyScope {
  const { provider, instance } = sides[side]
  return { provider: provider.toUpperCase(), instance, feature }
}
