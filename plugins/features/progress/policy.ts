// Progress policy: resume positions. A written position must read back as equal, or the sides would correct each other
// forever.
import { type Item, progressOf } from '@playhead/sdk/items'
import {
  type Appearance,
  decideGroups,
  isTransient,
  type Pending,
  readFeatureOptions,
  type Recognise,
  type Row,
  type Seen,
  type Shape,
  shapeOf,
  type SyncFeature,
} from '@playhead/sdk/sync'
import { decideProgress } from './decide-progress.ts'
import { limitsOf, ProgressOptions } from './options.ts'
import { fromValue, isEqual, leadOf, NO_POSITION, toValue } from './position.ts'

/** Services that store whole percent return a position that is off by up to one. */
const ROUNDING_PERCENT = 1

export function createProgress(): SyncFeature {
  return {
    describe: () => ({ feature: 'progress', label: 'Progress', options: ProgressOptions, after: ['history'] }),
    normalize: (options) => readFeatureOptions(ProgressOptions, options),
    compare: () => ({ identity: 'item', toleranceMs: 0, kinds: ['movie', 'episode'], variant: 'item' }),
    shape: (rows) => rows.map(shapeOne),
    decide: (groups, rules) =>
      decideGroups(groups, rules, recogniseWithin(limitsOf(rules.options).equalMs), decideProgress),
  }
}

function shapeOne(item: Item): Shape {
  if (isTransient(item)) return { skip: 'transient' }
  const progress = progressOf(item)
  const value = toValue(progress)
  // Among several copies of a work, the one played last has the resume position.
  return value === undefined ? { skip: 'no_position' } : shapeOf(value, progress.atMs, progress.atMs)
}

function recogniseWithin(equalMs: number): Recognise {
  return (row: Row, pending: Pending, seen: Seen | null): Appearance => {
    if (row.value === pending.value) return 'shown'
    if (row.value === NO_POSITION || row.value === seen?.value) return 'not_yet'
    const current = progressOf(row.item)
    const written = fromValue(pending.value, current.durationMs)
    const lead = leadOf(current, written)
    const isRounded = lead?.percent !== undefined && Math.abs(lead.percent) <= ROUNDING_PERCENT
    return isEqual(current, written, equalMs) || isRounded ? 'shown' : 'changed'
  }
}
