// The coverage of a side's read. An absence counts only if the read covers what covered the last sighting: rows beyond it are
// neither removed nor added, and listed as out of scope while the other account has them.
import type { Side } from '@playhead/sdk'
import { type ItemKind, kindOf } from '@playhead/sdk/items'
import { type FeatureRun, libraries } from '../feature-run.ts'
import { otherOverrides } from './dropped-shows.ts'
import { type Coverage, hashOf } from '../store/state.ts'

/** Reason of rows that one account does not show because of the pair's settings or the abilities of its provider. */
export const OUT_OF_SCOPE = 'out_of_scope'

/** Kinds that the read no longer covers; `all` if single rows cannot be judged. */
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

/** Older versions stored no coverage. */
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
