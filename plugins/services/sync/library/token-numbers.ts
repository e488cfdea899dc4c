// Maps the tokens of rows to numbers for the duration of a run.
import type { Side } from '@playhead/sdk'
import { entryTokens, type Item, type TextNumbers, tokensOf } from '@playhead/sdk/items'
import { type FeatureRun, reachOf, SIDES } from '../feature-run.ts'

/**
 * Numbers for tokens of one feature in one run, shared by both sides and the base. An entry of an anime service stays linked
 * to its base row by its own id. That id is not compared with the other side, because the mapping may change.
 */
export function numbersOf(
  run: Pick<FeatureRun, 'pair'>,
  numbers: TextNumbers,
  of: Side | 'base',
): (item: Item) => readonly number[] {
  return (item) => textsOf(run, item, of).map(numbers.numberOf)
}

/** As numbersOf(), but returns texts. */
export function textsOf(run: Pick<FeatureRun, 'pair'>, item: Item, of: Side | 'base'): readonly string[] {
  const tokens = tokensOf(item, { within: reachOf(run) })
  for (const token of entryTokens(item))
    for (const side of of === 'base' ? SIDES : [of]) tokens.push(`${side} ${token}`)
  return tokens
}
