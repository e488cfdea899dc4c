// The rules: a rating that only one account has is copied, of two the newer one wins, and low ratings are not synced.
// Pure functions: the engine reads, matches, limits removals and writes.
import { Type } from '@playhead/sdk'
import { isRating } from '@playhead/sdk/items'
import {
  type Decision,
  decideGroups,
  divergeGroup,
  type GroupSituation,
  isChanged,
  isTransient,
  itemToWrite,
  linkGroup,
  newerChange,
  otherSide,
  type Pending,
  presencePolicy,
  readFeatureOptions,
  type Row,
  type Seen,
  type Shape,
  shapeOf,
  type SyncFeature,
  timeMs,
  writeTo,
} from '@playhead/sdk/sync'

/** The options of a pair, beside the switches that every feature has. */
const Options = Type.Object({
  at_least: Type.Integer({
    title: 'At least',
    default: 1,
    minimum: 1,
    maximum: 10,
    description: 'Lower ratings are neither written nor removed.',
  }),
})

export function createPolicy(): SyncFeature {
  return {
    describe: () => ({ feature: 'ratings', label: 'Acme', options: Options, after: [] }),
    normalize: (options) => readFeatureOptions(Options, options),
    // `variant` names the inputs of the stored state. With another limit the next run is like a first one.
    compare: ({ options }) => ({
      identity: 'item',
      toleranceMs: 0,
      kinds: undefined,
      variant: `at least ${Number(options['at_least'])}`,
    }),
    shape: (rows, { options }) =>
      rows.map((item): Shape => {
        if (isTransient(item)) return { skip: 'transient' }
        if (!isRating(item.rating)) return { skip: 'not_rated' }
        if (item.rating < Number(options['at_least'])) return { skip: 'out_of_scope' }
        return shapeOf(String(item.rating), timeMs(item.rated_at))
      }),
    decide: (groups, rules) => decideGroups(groups, rules, recognise, decide),
  }
}

// Adds and removals depend on the last state of both accounts; an unknown account changes nothing.
const decide = presencePolicy({ values: ['rating', 'rated_at'], whenBoth: decideBoth })

function decideBoth(situation: GroupSituation): Decision {
  const { a, b, rules } = situation
  const isChangedA = isChanged(a)
  const isChangedB = isChanged(b)
  // They differed before and neither changed: the person accepted that.
  if (a.row?.value === b.row?.value || (!isChangedA && !isChangedB)) return linkGroup()
  if (rules.mode === 'one_way' && !isChangedA) return divergeGroup('changed_on_b')
  const changed = isChangedA ? 'a' : 'b'
  const winner =
    rules.mode === 'one_way'
      ? 'a'
      : isChangedA && isChangedB
        ? (newerChange(a.row?.evidenceMs, b.row?.evidenceMs, rules.lastRunStartedAtMs) ?? rules.sourceOfTruth)
        : changed
  const { row } = situation[winner]
  if (row === null) return linkGroup()
  return writeTo(situation, otherSide(winner), {
    item: itemToWrite(row.item, ['rating', 'rated_at']),
    value: row.value,
    cause: `changed_on_${winner}`,
    evidenceMs: row.evidenceMs,
  })
}

/** Compares a row with the last write: equal, older, or changed since. */
function recognise(row: Row, pending: Pending, seen: Seen | null): 'shown' | 'not_yet' | 'changed' {
  if (row.value === pending.value) return 'shown'
  return row.value === seen?.value ? 'not_yet' : 'changed'
}
