// The origin of a stored operation. It is stored if more is known than the row of the pair's other account.
import { type AccountName, type Feature, isOrigin, type Item, type Origin } from '@playhead/sdk'
import { formatTime, parseTime } from '@playhead/sdk/items'

/** The field of items with the time of the action, by feature. */
export const TIME_FIELDS = {
  watchlist: 'added_at',
  history: 'watched_at',
  ratings: 'rated_at',
  progress: 'progress_at',
} as const satisfies { readonly [Name in Feature]?: keyof Item }

/** The time of an act as the item has it; undefined if it has none. */
export function actTimeIn(feature: Feature, item: Item): string | undefined {
  return feature === 'playlists' ? undefined : item[TIME_FIELDS[feature]]
}

/** The time of an act, or its day, as ISO 8601. Null if the account stores none. */
export function timeOfAct(feature: Feature, item: Item): string | null {
  if (feature === 'progress' && item.progress_at_source !== undefined) return null
  const time = parseTime(actTimeIn(feature, item))
  return time === undefined ? null : formatTime(time)
}

/** Null for a damaged one: origins are for display only. */
export function parseOrigin(text: unknown): Origin | null {
  if (typeof text !== 'string') return null
  try {
    const origin: unknown = JSON.parse(text)
    return isOrigin(origin) ? origin : null
  } catch {
    return null
  }
}

interface StoredOperation {
  readonly op: 'add' | 'update' | 'remove'
  readonly cause: string
  readonly value: string
  readonly origin: Origin | null
  /** The time in its item. */
  readonly time: string | null
}

interface PlanOfOperation {
  readonly feature: Feature
  readonly isOfPair: boolean
  /** The account whose row it carries, and the account that it changes. */
  readonly from: AccountName
  readonly at: AccountName
}

/** Null if no person caused it, as with a mirror, and for removals of earlier versions. */
export function originOf(
  { op, cause, value, origin, time }: StoredOperation,
  { feature, isOfPair, from, at }: PlanOfOperation,
): Origin | null {
  if (origin !== null) return origin
  const act = op === 'remove' ? 'remove' : 'set'
  if (cause === 'undo') return { ...at, act, at: null, by: 'undo' }
  if (!isOfPair) return { ...at, act, at: null, by: 'requested' }
  if (act === 'remove') return null
  return { ...from, act, at: time, by: 'unknown', ...(feature === 'ratings' ? { value } : {}) }
}

/** The origin of a row, or of a missing row, that results from a write. */
export function inherited(
  write: Omit<StoredOperation, 'origin' | 'time'> & {
    readonly origin: string | null
    readonly time?: string
    readonly plan: Omit<PlanOfOperation, 'feature'>
  },
  { feature }: Pick<PlanOfOperation, 'feature'>,
): Origin {
  const { origin, time = null, plan } = write
  const known = originOf({ ...write, origin: parseOrigin(origin), time }, { feature, ...plan })
  if (known === null) return { ...plan.from, act: 'remove', at: null, by: 'unknown' }
  return known.by === 'person' ? { ...known, by: 'written' } : known
}
