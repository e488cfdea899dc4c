// Tokens of the rows of a run, as numbers.
import { entryTokens, type Item, type Side, type TextNumbers, tokensOf } from '@playhead/sdk'
import { type FeatureRun, reachOf, SIDES } from '../feature-run.ts'

/**
 * Tokens of items within one run of one feature; the same numbers for both sides and the base. An entry of an anime
 * service stays linked with its base by its own id, which is not compared with the other side: the mapping that linked
 * it may change.
 */
export function numbersOf(
  run: Pick<FeatureRun, 'pair'>,
  numbers: TextNumbers,
  of: Side | 'base',
): (item: Item) => readonly number[] {
  return (item) => textsOf(run, item, of).map(numbers.numberOf)
}

/** As numbersOf(), as texts. */
export function textsOf(run: Pick<FeatureRun, 'pair'>, item: Item, of: Side | 'base'): readonly string[] {
  const tokens = tokensOf(item, { within: reachOf(run) })
  for (const token of entryTokens(item))
    for (const side of of === 'base' ? SIDES : [of]) tokens.push(`${side} ${token}`)
  return tokens
}
