// Tokens of the items of one run of one feature as numbers, the same for both sides and for what is remembered.
import { type Item, type TextNumbers, tokensOf } from '@playhead/sdk'
import { type FeatureRun, reachOf } from './types.ts'

export function numbersOf(run: Pick<FeatureRun, 'pair'>, numbers: TextNumbers): (item: Item) => readonly number[] {
  const options = { within: reachOf(run) }
  return (item) => tokensOf(item, options).map(numbers.numberOf)
}
