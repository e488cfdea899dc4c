// What the read of a side covers. An absence counts only if the read covers what covered the last sighting: rows beyond it are
// neither removed nor added, and listed as out of scope while the other account has them.
import type { Side } from '@playhead/sdk'
import { type ItemKind, kindOf } from '@playhead/sdk/items'
import { type FeatureRun, libraries, other, SIDES } from '../feature-run.ts'
import { otherOverrides } from './dropped-shows.ts'
import { type Coverage, hashOf } from '../store/state.ts'
import type { GroupView } from './view.ts'

/** Reason of rows that one account does not show because of the pair's settings or the abilities of its provider. */
export const OUT_OF_SCOPE = 'out_of_scope'

/** Reason of rows that a list with a limit does not show any more. */
const LIST_LIMIT = 'list_limit'
/** Reason of rows that are missing without proof of a removal, because the item left the library. */
const LEFT = 'left_library'

/** Kinds that the read no longer covers; `all` if that cannot be said of single rows. */
export type Uncovered = 'all' | ReadonlySet<ItemKind>

export function coverageOf(run: FeatureRun, side: Side): Coverage {
  const { options, comparing, sides, pair, dropped } = run
  const { kinds, needsAnyId } = sides[side].support
  return {
    kinds: kinds.filter((kind) => comparing.kinds?.includes(kind) ?? true).toSorted(),
    libraries: libraries(run, sides[side]),
    rest: hashOf({
      dropped: dropped?.tokens ?? [],
      providers: otherOverrides(pair),
      anime: [options['use_anime_mapping'] === true, options['anime_only_sync'] === true],
      needsAnyId: needsAnyId?.toSorted() ?? null,
    }),
  }
}

/** A version without coverages stored none. */
export function uncoveredSince(before: Coverage | undefined, now: Coverage | undefined): Uncovered {
  if (before === undefined || now === undefined) return new Set()
  // An empty list of libraries means all of them.
  const isWithin = before.libraries.length > 0 && before.libraries.every((one) => now.libraries.includes(one))
  const isNarrower = now.libraries.length > 0 && !isWithin
  if (isNarrower || before.rest !== now.rest) return 'all'
  return new Set(before.kinds.filter((kind) => !now.kinds.includes(kind)))
}

export function isUncovered(uncovered: Uncovered, item: Parameters<typeof kindOf>[0]): boolean {
  return uncovered === 'all' || uncovered.has(kindOf(item))
}

/** Whether the account may have rows of this kind at all. */
export function coversKind({ sides, comparing }: FeatureRun, side: Side, item: Parameters<typeof kindOf>[0]): boolean {
  const kind = kindOf(item)
  return sides[side].support.kinds.includes(kind) && (comparing.kinds?.includes(kind) ?? true)
}

/** The next read of a side may show less, because the person signed in again or the settings of the account changed. */
export function isNewSignIn({ state, sides }: FeatureRun, side: Side): boolean {
  return state !== null && state.fingerprint[side] !== sides[side].account.fingerprint
}

/** Why an item is left as it is although the accounts differ, or may differ; undefined if the pair knows about both. */
export function uncoveredReason(
  { pair }: FeatureRun,
  { group, base, dormant, gone }: Pick<GroupView, 'group' | 'base' | 'dormant' | 'gone'>,
): string | undefined {
  for (const side of SIDES) {
    // The source of a one-way pair gets nothing.
    if (pair.mode === 'one_way' && side === 'a') continue
    const from = other(side)
    const isThere = group[from] !== null
    // What a person took off one account may still be on the other.
    const isTakenOff = !isThere && base?.state[from] !== undefined && dormant[from] === undefined
    if (dormant[side] !== undefined && (isThere || isTakenOff)) return dormant[side] === 2 ? LIST_LIMIT : OUT_OF_SCOPE
    if (gone[side] && isThere) return LEFT
  }
  return undefined
}
