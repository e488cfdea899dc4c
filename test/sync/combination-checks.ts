// Assertions that every combination shares.
import type { Test } from 'tap'
import { seed } from '../fast-check.ts'
import { plannedIn, runCombination } from './combination.ts'
import type { CombinationWorld, Joined, Mode } from './combination-world.ts'

const MOST_COMBINATIONS = 10_000

export const combinationSeed = (index: number): number => seed * MOST_COMBINATIONS + index

/** Returns the number of works that reached the other side. */
export async function convergesAs(
  t: Test,
  world: CombinationWorld,
  accounts: readonly [Joined, Joined],
  mode: Mode,
  seed: number,
): Promise<number> {
  const { held, expected, made, wanted, runs, last, afterLast, lastWrites, carried } = await runCombination(
    world,
    accounts,
    mode,
    seed,
  )
  for (const { pairs, result, reason } of [...runs, last])
    if (pairs.length !== 1) t.fail(`the run was ${result}: ${reason}`, { log: await world.log() })
  t.same(held, expected, 'both hold what they should, once, and nothing was lost')
  t.equal(made, wanted, 'nothing was done twice')
  const statuses = [...runs, last].flatMap(({ pairs }) =>
    pairs[0].features.map((one: any) => [one.feature, one.status, one.reason ?? ''].join(' ')),
  )
  t.same(
    statuses.filter((text) => !/ (?:ok|nothing_to_do) /.test(text)),
    [],
    'every feature was looked at',
  )
  t.equal(plannedIn(last), 0, 'nothing is left to do')
  t.same(afterLast, held)
  t.equal(lastWrites, 0, 'and nothing is written')
  for (const account of accounts) await world.release(account)
  return carried
}
