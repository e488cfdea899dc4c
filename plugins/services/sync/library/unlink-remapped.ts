// After a change of the anime mapping, rows that are linked only by their base are no longer the same item. Their base rows
// are deleted, so that each row is compared again. This causes no removals.
import type { TextNumbers } from '@playhead/sdk'
import { numbersOf } from './token-numbers.ts'
import { isAnime } from '@playhead/sdk/items'
import { readBase } from '../store/base.ts'
import { forgetBaseRows } from '../store/purge.ts'
import { type FeatureRun, SIDES } from '../feature-run.ts'
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
  const dropped: number[] = []
  for await (const chunk of readBase(engine.db, run.pair.id, run.feature)) {
    for (const { id, item, state: known } of chunk) {
      const tokens = [...tokensOf(item), ...(known.j ?? []).map(numbers.numberOf)]
      const [a, b] = SIDES.map((side) => [...new Set(tokens.flatMap((token) => rows[side].get(token) ?? []))])
      if (a!.length === 0 || b!.length === 0) continue
      const ofA = new Set(a!.flatMap((index) => reads.a.rows.tokens(index)))
      const isJoined = b!.some((index) => reads.b.rows.tokens(index).some((token) => ofA.has(token)))
      const mayBeMapped =
        a!.some((index) => isAnime(reads.a.rows.item(index))) || b!.some((index) => isAnime(reads.b.rows.item(index)))
      if (!isJoined && mayBeMapped) dropped.push(id)
    }
  }
  if (dropped.length === 0) return
  await forgetBaseRows(engine.db, dropped)
  engine.log.info(
    { pair: run.pair.id, feature: run.feature, count: dropped.length },
    'the anime mapping changed: titles are matched again',
  )
}

function rowsByToken(rows: SideRows): ReadonlyMap<number, readonly number[]> {
  const found = new Map<number, number[]>()
  for (let index = 0; index < rows.size; index += 1)
    for (const token of rows.tokens(index)) {
      const known = found.get(token)
      if (known === undefined) found.set(token, [index])
      else known.push(index)
    }
  return found
}
