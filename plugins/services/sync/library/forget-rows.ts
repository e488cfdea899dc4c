// Forgets the stored rows of an account. The account itself is not changed: its next read is a full read and brings back
// all rows that still exist.
import type { AccountName, Feature } from '@playhead/sdk'
import type { EngineParts } from '../feature-run.ts'
import { nameOf, readLabels } from '../pairs/pairs.ts'
import { hideRows, inventoryKeys, newestInventory } from '../store/inventory.ts'

export interface ForgetRequest extends AccountName {
  readonly feature: Feature
  readonly keys: readonly string[]
}

/** Implements `library.forgetRows`. */
export async function forgetRows(
  engine: EngineParts,
  { provider, instance, feature, keys }: ForgetRequest,
): Promise<number> {
  using _hold = await engine.work.begin({
    kind: 'change',
    label: `A correction of ${nameOf(provider, instance, await readLabels(engine.accounts))}`,
    accounts: [{ provider, instance }],
  })
  const head = await newestInventory(engine.db, provider, instance, feature)
  if (head === undefined) return 0
  const known = [...(await inventoryKeys(engine.db, head, keys))]
  if (known.length > 0) await hideRows(engine.db, head.uid, feature, known)
  return known.length
}
