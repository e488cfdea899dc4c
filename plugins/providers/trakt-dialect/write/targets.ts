// Names items in the body of a write: by their own ids, or as part of their show. Never by title.
import { type Item, isRecord, kindOf, ownIds, partOf } from '@playhead/sdk/items'
import { seasonsOf, type WireIds, wireIds } from '@playhead/sdk/provider'

/** Members of bodies and responses. */
export const GROUPS = { movie: 'movies', show: 'shows', season: 'seasons', episode: 'episodes' } as const
export type Group = (typeof GROUPS)[keyof typeof GROUPS]

/** Fields beside the ids: `watched_at`, `rating`, … */
export type Extra = Readonly<Record<string, unknown>>

export interface Name {
  /** The kind that the service counts it as. */
  readonly kind: Group
  /** Member of the body. */
  readonly group: Group
  readonly ids: WireIds
  /** A part of the show that has the ids. */
  readonly season?: number
  /** Absent: the whole season. */
  readonly episode?: number
}

export interface Target extends Name {
  readonly key: string
  readonly extra: Extra
}

/** As for `wireIds`: the SDK's scheme, the service's scheme, and whether the value is a number. */
type Schemes = Parameters<typeof wireIds>[1]

/** The item by its own ids; undefined without any. TVDB ids of movies are not used. */
export function nameById(item: Item, schemes: Schemes): Name | undefined {
  const kind = GROUPS[kindOf(item)]
  const own = wireIds(ownIds(item), schemes)
  const { tvdb: _ofShows, ...ofMovie } = own
  const ids = kind === 'movies' ? ofMovie : own
  return Object.keys(ids).length === 0 ? undefined : { kind, group: kind, ids }
}

/** A season or an episode by the ids of its show; undefined without its numbers, which would mean the whole show. */
export function nameByNumber(item: Item, schemes: Schemes): Name | undefined {
  const part = partOf(item)
  const ids = wireIds(item.show_ids ?? {}, schemes)
  if (part === undefined || Object.keys(ids).length === 0) return undefined
  return { kind: GROUPS[kindOf(item)], group: 'shows', ids, ...part }
}

/**
 * The body of a write. Parts of one show are grouped, separate from the show itself.
 *
 * @param place an entry without the fields beside the ids
 * @param always members that are sent even if they are empty
 */
export function bodyOf<Sent extends Target>(
  targets: readonly Sent[],
  place: (target: Sent) => object = ({ ids }) => ({ ids }),
  always: readonly Group[] = [],
): Readonly<Record<string, readonly object[]>> {
  const body: { [group in Group]?: object[] } = Object.fromEntries(always.map((group) => [group, []]))
  for (const target of targets)
    if (target.season === undefined) (body[target.group] ??= []).push({ ...place(target), ...target.extra })
  const parts = targets.filter(({ season }) => season !== undefined)
  for (const ofShow of Map.groupBy(parts, ({ ids }) => JSON.stringify(ids)).values())
    (body.shows ??= []).push({ ...place(ofShow[0] as Sent), seasons: seasonsOf(ofShow) })
  return body
}

/** A row that a response echoes. */
export type Echo = Readonly<Record<string, unknown>>

/**
 * Targets that a response names as not found.
 *
 * @param echoes `not_found` of the response
 */
export function notFoundAmong<Sent extends Target>(
  targets: readonly Sent[],
  echoes: unknown,
  isMeant: (target: Sent, group: Group, echo: Echo) => boolean,
): ReadonlySet<Sent> {
  const missing = new Set<Sent>()
  if (!isRecord(echoes)) return missing
  for (const group of Object.values(GROUPS)) {
    for (const echo of recordsIn(echoes[group]))
      for (const target of targets) if (isMeant(target, group, echo)) missing.add(target)
  }
  return missing
}

/** Every echoed id was sent for the target, and there is at least one. */
export function isNamedBy({ ids }: Pick<Name, 'ids'>, echoed: unknown): boolean {
  if (!isRecord(echoed)) return false
  const echoedIds = Object.entries(echoed).filter(([, id]) => id !== null && id !== undefined)
  return (
    echoedIds.length > 0 && echoedIds.every(([name, id]) => ids[name] !== undefined && String(ids[name]) === String(id))
  )
}

/** The echo lists the target's season or episode. An echo without parts means the show with all its sent parts. */
export function isWithin({ season, episode }: Name, echo: Echo): boolean {
  const seasons = recordsIn(echo['seasons'])
  if (seasons.length === 0) return true
  return seasons.some(({ number, episodes }) => {
    const listed = recordsIn(episodes)
    return number === season && (listed.length === 0 || listed.some((one) => one['number'] === episode))
  })
}

function recordsIn(value: unknown): Echo[] {
  return Array.isArray(value) ? value.filter(isRecord) : []
}
