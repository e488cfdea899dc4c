// The available operations on a position, and reasons against others. Derived from the provider's description and the row itself,
// never from client data.
import type { FeatureSupport } from '@playhead/sdk'
import { type IdScheme, kindOf, ownIds, partOf } from '@playhead/sdk/items'
import { abilitiesOf, type Profile } from '../profiles.ts'
import type { Entry } from '../read/entry.ts'

export const OPERATIONS = ['remove_progress', 'mark_watched', 'update_progress'] as const
export type Operation = (typeof OPERATIONS)[number]

interface Blocker {
  readonly code: string
  readonly message: string
}

/** Minimum position that can be set. */
export const MIN_PERCENT = 2

const ALWAYS = 100

/** Maximum position that can be set: later positions would count as watched at the service. */
export function maxPercentOf({ progress: { completion } }: Profile, { durationMs }: Entry): number {
  if (completion === undefined) return ALWAYS
  const isShort =
    completion.minDurationSeconds !== undefined &&
    durationMs !== null &&
    durationMs < completion.minDurationSeconds * 1_000
  return isShort ? ALWAYS : completion.percent
}

/** The reasons why operations are unavailable, by operation. */
export function blockersOf(profile: Profile, entry: Entry): { readonly [operation in Operation]?: Blocker } {
  const blockers: { [operation in Operation]?: Blocker } = {}
  for (const operation of OPERATIONS) {
    const blocker = blockerOf(profile, entry, operation)
    if (blocker !== undefined) blockers[operation] = blocker
  }
  return blockers
}

export function blockerOf(profile: Profile, entry: Entry, operation: Operation): Blocker | undefined {
  const { label, progress, history } = profile
  if (!abilitiesOf(profile)[operation]) return { code: 'unsupported', message: UNSUPPORTED[operation](label) }
  if (operation === 'remove_progress') return undefined
  const support = operation === 'mark_watched' ? (history as FeatureSupport) : progress
  const { item, durationMs } = entry
  if (!support.kinds.includes(kindOf(item))) return { code: 'unsupported', message: UNSUPPORTED[operation](label) }
  const missing = missingIds(support.needsAnyId, entry, label)
  if (missing !== undefined) return missing
  if (operation === 'update_progress' && progress.needsDuration === true && durationMs === null)
    return { code: 'missing_duration', message: `${label} needs the length of a title, which it does not have here.` }
  return undefined
}

const UNSUPPORTED: Readonly<Record<Operation, (label: string) => string>> = {
  remove_progress: (label) => `${label} cannot remove positions.`,
  mark_watched: (label) => `${label} cannot mark this as watched.`,
  update_progress: (label) => `${label} cannot change this position.`,
}

function missingIds(schemes: readonly IdScheme[] | undefined, { item }: Entry, label: string): Blocker | undefined {
  if (schemes === undefined) return undefined
  const own = ownIds(item)
  if (schemes.some((scheme) => own[scheme] !== undefined)) return undefined
  if (schemes.some((scheme) => item.show_ids?.[scheme] !== undefined)) {
    if (partOf(item) !== undefined) return undefined
    return { code: 'missing_episode_numbers', message: `${label} needs the numbers of the season and the episode.` }
  }
  const names = schemes.join(', ')
  return {
    code: schemes.length === 1 ? `missing_${schemes[0]}_id` : 'missing_ids',
    message: schemes.length === 1 ? `${label} needs an id of ${names}.` : `${label} needs an id of one of: ${names}.`,
  }
}
