// Tombstones that a person ended: the account has the row again.
import type { Side } from '@playhead/sdk'
import { rowKey } from '@playhead/sdk/items'
import { rowIn } from '../library/groups.ts'
import { isEnded } from '../plan/readded.ts'
import { createAccountFacts } from '../plan/account-facts.ts'
import type { Planned } from '../plan/planned.ts'
import {
  accountKeys,
  concerns,
  hasTombstones,
  playMarkOf,
  type Tombstone,
  type TombstoneName,
  tombstonePages,
  tombstoneTokens,
} from '../store/tombstones.ts'

/**
 * A row that was read before its removal, or from a cache, ends nothing: the account must have lacked it since, or have a time
 * that is later than the removal.
 */
export async function endedTombstones(
  { run, groups, reads }: Pick<Planned, 'run' | 'groups' | 'reads'>,
  of: Side,
): Promise<readonly TombstoneName[]> {
  const { db } = run.engine
  const [side, read] = [run.sides[of], reads[of]]
  const accounts = accountKeys(side, read.account)
  if (!read.complete || !(await hasTombstones(db, accounts, run.feature))) return []
  const byToken = new Map<string, Tombstone[]>()
  for await (const page of tombstonePages(db, accounts, run.feature))
    for (const one of page)
      if (one.removedAtMs <= read.atMs) byToken.set(one.token, [...(byToken.get(one.token) ?? []), one])
  const met: { readonly index: number; readonly key: string; readonly tombstones: readonly Tombstone[] }[] = []
  const { rows } = read
  for (const group of groups.changedGroups) {
    const index = rowIn(groups, of, group)
    if (index < 0 || index >= rows.size || rows.skip(index) !== undefined) continue
    const item = rows.item(index)
    const tombstones = tombstoneTokens(item).flatMap((token) => byToken.get(token) ?? [])
    if (tombstones.length > 0) met.push({ index, key: rowKey(item, run.plays), tombstones })
  }
  if (met.length === 0) return []
  const lacked = await createAccountFacts(run, reads).lackedAtMs(
    of,
    met.map(({ index }) => rows.item(index)),
  )
  return met.flatMap(({ index, key, tombstones }) => {
    const mark = playMarkOf(rowKey(rows.item(index), true))
    return tombstones
      .filter((tombstone) => concerns(tombstone, mark) && isEnded(tombstone, rows.evidence(index), lacked.get(key)))
      .map(({ account, token, play }) => ({ account, feature: run.feature, token, play }))
  })
}
