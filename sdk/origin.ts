// The origin of a change: the action of a person behind an operation, and how it is known.
import type { AccountName } from './capabilities/accounts.ts'

/**
 * How an origin is known. `person`: the account shows what Playhead did not write. `written`: an account shows, or lacks, what
 * Playhead wrote, and the origin is that of the write. `undo`: an undo wrote it. `requested`: a change that a person made
 * through Playhead. `unknown`: nothing is known but what the account shows: in a first run, after a restore, and of what is held.
 */
export const ORIGINS = ['person', 'written', 'undo', 'requested', 'unknown'] as const

/** The account at which a person acted, and when. Times that are not known are null or absent, never invented. */
export interface Origin {
  readonly provider: string
  readonly instance: string
  /** `set`: the item was added, watched, rated or given a position. `remove`: the account lost it. */
  readonly act: 'set' | 'remove'
  /** The time of the act, as ISO 8601, or its day where only the day is known. Null if not known, and for a removal. */
  readonly at: string | null
  readonly by: (typeof ORIGINS)[number]
  /** The rating that was given. */
  readonly value?: string
  /** The act is later than this: the last read that showed the account without it. ISO 8601. */
  readonly from_at?: string
  /** The act is earlier than this: the first read that showed it. ISO 8601. */
  readonly to_at?: string
}

/** Where an operation found the act. */
export interface OriginPlace {
  readonly feature: string
  /** The account whose row, or missing row, caused the operation. Absent: the account of the act. */
  readonly shownAt?: AccountName
  /** The account that the operation changes. */
  readonly writtenTo?: AccountName
}

/** The name of an account, as people see it. */
export type AccountNames = (provider: string, instance: string) => string

/** The profile whose acts are those of the reader. Further profiles may be other people. */
const OWN_PROFILE = 'default'
const DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' })

/** By feature: the sentence about the reader, and about another profile. */
const ACTS: Readonly<Record<string, readonly [own: string, others: string]>> = {
  watchlist: ['You added it to the watchlist at', 'Added to the watchlist at'],
  history: ['You watched it at', 'Watched at'],
  ratings: ['You rated it{value} at', 'Rated{value} at'],
  progress: ['You watched a part of it at', 'Partly watched at'],
  playlists: ['You added it to a list at', 'Added to a list at'],
}

/**
 * The origin as English sentences, with days in UTC.
 *
 * @param nameOf the name of an account, as people see it
 * @example
 * originLabel(origin, { feature: 'ratings', shownAt: { provider: 'PLEX', instance: 'default' } }, nameOf)
 * // 'You rated it 8 at Trakt on 3 May 2026. Plex shows what Playhead wrote.'
 */
export function originLabel(origin: Origin, { feature, ...place }: OriginPlace, nameOf: AccountNames): string {
  const act = actText(origin, feature, nameOf(origin.provider, origin.instance))
  const carrier = originCarrier(origin, place)
  if (carrier === undefined) return act
  const other = nameOf(carrier.provider, carrier.instance)
  return `${act} ${origin.act === 'remove' ? `Playhead removed it from ${other}.` : `${other} shows what Playhead wrote.`}`
}

/** The account at which a write of Playhead, not the act itself, was found. */
export function originCarrier(
  origin: Origin,
  { shownAt, writtenTo }: Pick<OriginPlace, 'shownAt' | 'writtenTo'>,
): AccountName | undefined {
  const isActs = (account: AccountName | undefined) =>
    account?.provider === origin.provider && account.instance === origin.instance
  return isActs(shownAt) || isActs(writtenTo) ? undefined : shownAt
}

function actText(origin: Origin, feature: string, account: string): string {
  const { act, by, at, value } = origin
  const when = whenText(origin)
  if (by === 'undo') return `An undo changed it at ${account}${when}.`
  if (by === 'unknown') return `Shown by ${account}${at === null ? '' : `, dated ${dayOf(at)}`}.`
  const how = by === 'requested' ? ' through Playhead' : ''
  if (act === 'remove') return `Removed at ${account}${how}${when}.`
  const texts = ACTS[feature] ?? ['You changed it at', 'Changed at']
  const text = texts[origin.instance === OWN_PROFILE ? 0 : 1].replace('{value}', value === undefined ? '' : ` ${value}`)
  return `${text} ${account}${how}${when}.`
}

function whenText({ at, from_at: from, to_at: to }: Origin): string {
  if (at !== null) return ` on ${dayOf(at)}`
  if (from === undefined) return to === undefined ? '' : ` before ${dayOf(to)}`
  if (to === undefined) return ` after ${dayOf(from)}`
  const [first, last] = [dayOf(from), dayOf(to)]
  return first === last ? ` on ${last}` : ` between ${shortened(first, last)} and ${last}`
}

/** Omits the month and the year if both days have the same. */
function shortened(first: string, last: string): string {
  const [day = '', month, year] = first.split(' ')
  const [, lastMonth, lastYear] = last.split(' ')
  if (year !== lastYear) return first
  return month === lastMonth ? day : `${day} ${month}`
}

function dayOf(time: string): string {
  return DAY.format(Date.parse(time))
}

/** A stored origin; undefined for anything else. */
export function isOrigin(value: unknown): value is Origin {
  const { provider, instance, act, by } = (value ?? {}) as Partial<Record<keyof Origin, unknown>>
  return (
    typeof provider === 'string' &&
    typeof instance === 'string' &&
    (act === 'set' || act === 'remove') &&
    ORIGINS.some((each) => each === by)
  )
}
