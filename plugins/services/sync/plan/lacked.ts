// When an account last lacked a row that it has now: a person put it there since. A row that Playhead wrote, in any pair, is as
// new as the row that caused the write.
import { type Item, rowKey } from '@playhead/sdk/items'
import { inventoryOf, type SideRead } from '../library/read-side.ts'
import { findInventory, lackedRows, ofOwn } from '../store/inventory.ts'
import { lackedByWritten } from '../store/written.ts'
import type { FeatureRun, SideContext } from '../feature-run.ts'

/** By the key of the row; rows that were always there, as far as reads show, are absent. */
export async function lackedAtMs(
  run: FeatureRun,
  side: SideContext,
  { account }: Pick<SideRead, 'account'>,
  items: readonly Item[],
): Promise<ReadonlyMap<string, number>> {
  const { db } = run.engine
  const head = await findInventory(db, inventoryOf(run, side))
  if (head === undefined || head.readAtMs === null || head.account !== account) return new Map()
  const named = new Map(items.map((item) => [rowKey(item, run.plays), item]))
  const stored = await lackedRows(db, head, [...named.keys()])
  const found = new Map<string, number>()
  let written: ReadonlyMap<string, number | null> | undefined
  for (const [key, item] of named) {
    const known = stored.get(key)
    if (known !== undefined) {
      if (known !== null) found.set(key, known)
      continue
    }
    const { uid, provider } = side
    written ??= await lackedByWritten(db, { uid, provider, account, feature: run.feature, sinceMs: head.readAtMs })
    const own = ofOwn(written, item)
    if (own !== null) found.set(key, own ?? head.readAtMs)
  }
  return found
}
