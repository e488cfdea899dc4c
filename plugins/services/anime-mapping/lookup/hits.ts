// Follows the edges of one episode to its counterparts.
import type { AiredCoordinate, EntryCoordinate, MappingReason } from '@playhead/sdk'
import { type Aired, AIRED, type Native, NATIVE } from '../data/descriptor.ts'
import { type NoCounterpart, translate } from '../data/ranges.ts'
import type { Edge, Index } from './edges.ts'

export type EntryHit = EntryCoordinate & { readonly scheme: Native }
export type AiredHit = AiredCoordinate

/** Distinct counterparts, and what was in the way of others. */
export interface Found<Hit> {
  readonly hits: readonly Hit[]
  readonly problems: ReadonlySet<NoCounterpart>
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
    // Specials are numbered by each service in its own way.
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

function follow<Hit extends object>(
  edges: readonly Edge[] | undefined,
  isTooMany: boolean,
  episode: number,
  hitOf: (edge: Edge, number: number) => Hit | undefined,
): Found<Hit> {
  const problems = new Set<NoCounterpart>(isTooMany ? ['ambiguous'] : [])
  const hits = new Map<string, Hit>()
  for (const edge of edges ?? []) {
    if (edge.ranges === null) continue
    const number = translate(edge.ranges.from, edge.ranges.to, episode)
    const hit = hitOf(edge, typeof number === 'number' ? number : 1)
    if (hit === undefined) continue
    if (typeof number === 'number') hits.set(keyOfHit(hit), hit)
    else problems.add(number)
  }
  return { hits: [...hits.values()], problems }
}

export function keyOfHit(hit: object): string {
  const { scheme, id, season, episode } = hit as AiredHit & Partial<AiredHit>
  return `${scheme}:${id}:${season ?? ''}:${episode}`
}

export function sameHit<Hit extends EntryHit | AiredHit>(a: Hit, b: Hit): boolean {
  return keyOfHit(a) === keyOfHit(b)
}

export function unite<Hit extends object>(found: readonly Found<Hit>[]): Found<Hit> {
  if (found.length === 1) return found[0] as Found<Hit>
  const hits = new Map(found.flatMap((one) => one.hits.map((hit) => [keyOfHit(hit), hit] as const)))
  return { hits: [...hits.values()], problems: new Set(found.flatMap(({ problems }) => [...problems])) }
}

/** The only hit of each scheme; null where there are several. */
export function perScheme<Hit extends { readonly scheme: string }>(
  hits: readonly Hit[],
): ReadonlyMap<Hit['scheme'], Hit | null> {
  const found = new Map<Hit['scheme'], Hit | null>()
  for (const hit of hits) found.set(hit.scheme, found.has(hit.scheme) ? null : hit)
  return found
}

/** False if the way back leads to another position at the same service. */
export function leadsTo<Hit extends EntryHit | AiredHit>(
  { hits, problems }: Found<Hit>,
  start: EntryHit | AiredHit,
): boolean {
  return (
    !problems.has('ambiguous') &&
    hits.every((hit) => hit.scheme !== start.scheme || sameHit<EntryHit | AiredHit>(hit, start))
  )
}

export function reasonOf({ problems }: Pick<Found<unknown>, 'problems'>): MappingReason {
  if (problems.has('ambiguous')) return 'ambiguous'
  if (problems.has('ratio')) return 'ratio_unsupported'
  return problems.has('outside') ? 'outside_ranges' : 'no_mapping'
}

export function isNative(scheme: string): scheme is Native {
  return (NATIVE as readonly string[]).includes(scheme)
}

export function isAired(scheme: string): scheme is Aired {
  return (AIRED as readonly string[]).includes(scheme)
}
