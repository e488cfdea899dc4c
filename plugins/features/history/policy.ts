// History policy: an item was watched, or, with rewatches, each of its plays. Times are never invented and never taken from the
// clock.
import { formatTime, type Item, parseTime, playToleranceMs } from '@playhead/sdk/items'
import {
  type Appearance,
  type Comparing,
  type ComparingInput,
  decideGroups,
  type GroupSituation,
  isTransient,
  type Pending,
  presencePolicy,
  readFeatureOptions,
  type Row,
  type Seen,
  type Shape,
  shapeOf,
  type Side,
  type SyncFeature,
} from '@playhead/sdk/sync'
import { HistoryOptions } from './options.ts'
import { carryNewerTime, isByPlay } from './times.ts'

const policy = presencePolicy({ values: ['watched', 'watched_at'], whenBoth: carryNewerTime, keeps: whyKept })

export function createHistory(): SyncFeature {
  return {
    describe: () => ({ feature: 'history', label: 'History', options: HistoryOptions, after: [] }),
    normalize: (options) => readFeatureOptions(HistoryOptions, options),
    compare,
    shape: (rows, input) => {
      const byPlay = compare(input).identity === 'play'
      return rows.map((item) => shapeOne(item, byPlay))
    },
    decide: (groups, rules) => decideGroups(groups, rules, recognise, policy),
  }
}

function compare({ options, mode, support, playsAllowed }: ComparingInput): Comparing {
  const { a, b } = support
  const written = mode === 'two_way' ? [a, b] : [b]
  const byPlay =
    options['rewatches'] === true &&
    playsAllowed &&
    a.plays?.read === true &&
    b.plays?.read === true &&
    written.every(({ plays }) => plays?.write === true)
  const identity = byPlay ? 'play' : 'item'
  return { identity, toleranceMs: playToleranceMs(a.plays ?? {}, b.plays ?? {}), kinds: undefined, variant: identity }
}

function shapeOne(item: Item, byPlay: boolean): Shape {
  if (isTransient(item)) return { skip: 'transient' }
  const time = parseTime(item.watched_at)
  if (time === undefined) return { skip: 'missing_watched_at' }
  const value = time.precision === 'date' ? formatTime(time) : String(Math.floor(time.atMs / 1_000))
  return shapeOf(value, time.atMs, byPlay ? undefined : time.atMs)
}

// An added item counts as present regardless of the time that the service stored; a corrected time must have changed.
function recognise(row: Row, pending: Pending, seen: Seen | null): Appearance {
  return pending.op === 'update' && row.value === seen?.value && row.value !== pending.value ? 'not_yet' : 'shown'
}

function whyKept({ group, rules, ...sights }: GroupSituation, side: Side): string | undefined {
  const row = sights[side].row
  if (isByPlay(rules, group)) {
    const canRemoveOne = rules.support[side].plays?.removeOne === true && row?.item.native?.event_id !== undefined
    return canRemoveOne ? undefined : 'exact_play_unknown'
  }
  // Removing the item would also remove plays that this pair does not manage.
  return (row?.plays ?? 1) > 1 ? 'several_plays' : undefined
}
