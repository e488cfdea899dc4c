// Follows the edges of one episode to its counterparts.
import type { AiredCoordinate, EntryCoordinate, MappingReason } from '@playhead/sdk'
import { type Aired, type Native, NATIVE } from '../data/descriptor.ts'
import { type NoCounterpart, translate } from '../data/ranges.ts'
import type { Edge } from '../index-file/lines.ts'
import type { Index } from './edges.ts'

export type EntryHit = EntryCoordinate & { readonly scheme: Native }
export type AiredHit = AiredCoordinate

/** `ambiguous`: there are more edges than are read. */
export type Problem = NoCounterpart | 'ambiguous'

/** Distinct counterparts, and why others were rejected. */
export interface Found<Hit> {
  readonly hits: readonly Hit[]
  readonly problems: ReadonlySet<Problem>
}

/** Counterparts in the entries of anime services. */
export function entriesOf(index: Index, { scheme, id, season, episode }: AiredHit): Found<EntryHit> {
  const edges = index.edges({ scheme, kind: 'show', id })
  return follow<EntryHit>(edges.byScope.get(`s${season}`), edges.isTooMany, episode, ({ target }, number) => {
    if (target.kind !== 'entry') return undefined
    // Numbers of AniDB specials are not numbers of the entry.
    if (target.scheme === 'anidb' && (target.scope !== 'R' || season === 0)) return undefined
    return { scheme: target.scheme as Native, id: target.id, episode: number }
  })
}

/** Counterparts in the seasons of shows. */
export function airedOf(index: Index, { scheme, id, episode }: EntryHit, specials: boolean): Found<AiredHit> {
  const edges = index.edges({ scheme, kind: 'entry', id })
  const own = edges.byScope.get(scheme === 'anidb' ? 'R' : '')
  return follow<AiredHit>(own, edges.isTooMany, episode, ({ target }, number) => {
    if (target.kind !== 'show' || target.season === undefined) return undefined
    if (target.season === 0 && (!specials || scheme === 'anidb')) return undefined
    return { scheme: target.scheme as Aired, id: target.id, season: target.season, episode: number }
  })
}

/** Counterparts in other shows, by direct edges. */
export function sameShows(index: Index, { scheme, id, season, episode }: AiredHit): Found<AiredHit> {
  const edges = index.edges({ scheme, kind: 'show', id })
  return follow<AiredHit>(edges.byScope.get(`s${season}`), edges.isTooMany, episode, ({ target }, number) => {
    if (target.kind !== 'show' || target.season === undefined || target.scheme === scheme) return undefined
    // Each service numbers specials in its own way.
    if ((target.season === 0) !== (season === 0)) return undefined
    return { scheme: target.scheme as Aired, id: target.id, season: target.season, episode: number }
  })
}

/** Counterparts in entries of other anime services, by direct edges. */
export function sameEntries(index: Index, { scheme, id, episode }: EntryHit): Found<EntryHit> {
  const edges = index.edges({ scheme, kind: 'entry', id })
  const own = edges.byScope.get(scheme === 'anidb' ? 'R' : '')
  return follow<EntryHit>(own, edges.isTooMany, episode, ({ target }, number) => {
    if (target.kind !== 'entry' || target.scheme === scheme) return undefined
    if (target.scheme === 'anidb' && target.scope !== 'R') return undefined
    return { scheme: target.scheme as Native, id: target.id, episode: number }
  })
}

function follow<Hit extends EntryHit | AiredHit>(
  edges: readonly Edge[] | undefined,
  isTooMany: boolean,
  episode: number,
  hitOf: (edge: Edge, number: number) => Hit | undefined,
): Found<Hit> {
  if (edges === undefined && !isTooMany) return NOTHING
  const problems = new Set<Problem>(isTooMany ? ['ambiguous'] : [])
  const hits: Hit[] = []
  for (const edge of edges ?? []) {
    if (edge.ranges === null) continue
    const number = translate(edge.ranges.from, edge.ranges.to, episode)
    const hit = hitOf(edge, typeof number === 'number' ? number : 1)
    if (hit === undefined) continue
    if (typeof number !== 'number') problems.add(number)
    else if (!hits.some((other) => sameHit(other, hit))) hits.push(hit)
  }
  return { hits, problems }
}

const NOTHING = { hits: [], problems: new Set<never>() }

export function sameHit(a: EntryHit | AiredHit, b: EntryHit | AiredHit): boolean {
  return (
    a.scheme === b.scheme &&
    a.id === b.id &&
    a.episode === b.episode &&
    ('season' in a ? a.season : null) === ('season' in b ? b.season : null)
  )
}

export function unite<Hit extends EntryHit | AiredHit>(found: readonly Found<Hit>[]): Found<Hit> {
  if (found.length === 1) return found[0] as Found<Hit>
  const hits: Hit[] = []
  for (const one of found) for (const hit of one.hits) if (!hits.some((other) => sameHit(other, hit))) hits.push(hit)
  return { hits, problems: new Set(found.flatMap(({ problems }) => [...problems])) }
}

/** The only hit of each scheme; null where there are several. */
export function perScheme<Hit extends { readonly scheme: string }>(
  hits: readonly Hit[],
): ReadonlyMap<Hit['scheme'], Hit | null> {
  const found = new Map<Hit['scheme'], Hit | null>()
  for (const hit of hits) found.set(hit.scheme, found.has(hit.scheme) ? null : hit)
  return found
}

/** False if the reverse edge leads to another position at the same service. */
export function leadsTo<Hit extends EntryHit | AiredHit>(
  { hits, problems }: Found<Hit>,
  start: EntryHit | AiredHit,
): boolean {
  return !problems.has('ambiguous') && hits.every((hit) => hit.scheme !== start.scheme || sameHit(hit, start))
}

export function reasonOf({ problems }: Pick<Found<unknown>, 'problems'>): MappingReason {
  if (problems.has('ambiguous')) return 'ambiguous'
  if (problems.has('ratio')) return 'ratio_unsupported'
  return problems.has('outside') ? 'outside_ranges' : 'no_mapping'
}

export function isNative(scheme: string): scheme is Native {
  return (NATIVE as readonly string[]).includes(scheme)
}
