// After a change of the anime mapping, rows that are linked only by their base are no longer the same item. Their base rows are
// deleted, so that each row is compared again. This causes no removals, except of a row that Playhead wrote by the former
// mapping, if the new one names another item. This is not a choice of a person: its base row stays, without a counterpart, so
// that it is removed like any lost row.
import type { TextNumbers } from '@playhead/sdk'
import { baseItem } from './base-item.ts'
import { numbersOf } from './token-numbers.ts'
import { isAnime, type Item, rowKey } from '@playhead/sdk/items'
import { type BaseState, readBase } from '../store/base.ts'
import { forgetBaseRows } from '../store/purge.ts'
import { createOwnWrites } from './own-writes.ts'
import { type FeatureRun, other, SIDES } from '../feature-run.ts'
import type { SideRead } from './read-side.ts'
import type { SideRows } from './rows.ts'

export async function unlinkRemapped(
  run: FeatureRun,
  reads: Readonly<Record<'a' | 'b', SideRead>>,
  numbers: TextNumbers,
): Promise<void> {
  const { mapping, state, dryRun, engine } = run
  if (dryRun || state === null || mapping?.revision === state.mapping) return
  const rows = { a: rowsByToken(reads.a.rows), b: rowsByToken(reads.b.rows) }
  if (rows.a.size === 0 || rows.b.size === 0) return
  const tokensOf = numbersOf(run, numbers, 'base')
  const dropped: Unlinked[] = []
  for await (const chunk of readBase(engine.db, run.pair.id, run.feature)) {
    for (const { id, item, state: known } of chunk) {
      const tokens = [...tokensOf(item), ...(known.j ?? []).map(numbers.numberOf)]
      const [a, b] = SIDES.map((side) => [...new Set(tokens.flatMap((token) => rows[side].get(token) ?? []))])
      if (a!.length === 0 || b!.length === 0) continue
      const ofA = new Set(a!.flatMap((index) => reads.a.rows.tokens(index)))
      const isJoined = b!.some((index) => reads.b.rows.tokens(index).some((token) => ofA.has(token)))
      const mayBeMapped =
        a!.some((index) => isAnime(reads.a.rows.item(index))) || b!.some((index) => isAnime(reads.b.rows.item(index)))
      if (!isJoined && mayBeMapped) {
        const { j: _, ...state } = known
        dropped.push({ id, a: a![0]!, b: b![0]!, state })
      }
    }
  }
  if (dropped.length === 0) return
  const kept = await keepOwn(run, reads, dropped)
  await forgetBaseRows(
    engine.db,
    dropped.map(({ id }) => id).filter((id) => !kept.has(id)),
  )
  engine.log.info(
    { pair: run.pair.id, feature: run.feature, count: dropped.length },
    'the anime mapping changed: titles are matched again',
  )
}

interface Unlinked {
  readonly id: number
  readonly a: number
  readonly b: number
  /** Excludes the names that the mapping joined. */
  readonly state: BaseState
}

/** Assigns the base rows to the rows that Playhead wrote. Returns their ids. */
async function keepOwn(
  run: FeatureRun,
  reads: Readonly<Record<'a' | 'b', SideRead>>,
  dropped: readonly Unlinked[],
): Promise<ReadonlySet<number>> {
  const kept = new Set<number>()
  const own = createOwnWrites(run, reads)
  for (const side of SIDES) {
    const { rows } = reads[side]
    for (const unlinked of dropped) {
      const { id, state, [side]: index } = unlinked
      const item = rows.given(index)
      const there = other(side)
      // A mapping that is off, or knows nothing of the row, proves nothing.
      const isCorrected = isMapped(reads[there].rows, unlinked[there])
      if (!isCorrected || kept.has(id) || (await own.ofPair(side, item, 0)) === undefined) continue
      await run.engine.db
        .updateTable('sync__base')
        .set({ key: rowKey(item, run.plays), item: JSON.stringify(baseItem(item)), state: JSON.stringify(state) })
        .where('id', '=', id)
        .execute()
      kept.add(id)
    }
  }
  return kept
}

/** The mapping identifies another item than the account does. */
function isMapped(rows: SideRows, index: number): boolean {
  const nameOf = ({ ids, show_ids: showIds, season, episode }: Item) => JSON.stringify([ids, showIds, season, episode])
  return rows.isRenamed(index) && nameOf(rows.item(index)) !== nameOf(rows.given(index))
}

function rowsByToken(rows: SideRows): ReadonlyMap<number, readonly number[]> {
  const found = new Map<number, number[]>()
  for (let index = 0; index < rows.size; index += 1)
    for (const token of rows.tokens(index)) found.getOrInsertComputed(token, () => []).push(index)
  return found
}
