// The position of one episode, for writing: from a season to an entry, and back.
import type { AiredAnswer, AiredQuery, EntryAnswer, EntryQuery, EntryScheme, Ids, MappingBasis } from '@playhead/sdk'
import { AIRED, NATIVE } from '../data/descriptor.ts'
import { covers } from '../data/ranges.ts'
import type { Index } from './edges.ts'
import {
  type AiredHit,
  airedOf,
  entriesOf,
  type EntryHit,
  type Found,
  isNative,
  leadsTo,
  perScheme,
  reasonOf,
  sameEntries,
  sameHit,
  sameShows,
  unite,
} from './hits.ts'

/** The start of the edges of an aired episode. */
export interface Start {
  readonly at: AiredHit
  readonly basis: MappingBasis
}

export function startsOf(index: Index, showIds: Ids, season: number, episode: number): readonly Start[] {
  const starts: Start[] = AIRED.flatMap((scheme) => {
    const id = showIds[scheme]
    return id === undefined ? [] : [{ at: { scheme, id, season, episode }, basis: 'anibridge' as const }]
  })
  if (showIds.tvdb !== undefined || starts.length === 0) return starts
  const direct = perScheme(unite(starts.map(({ at }) => sameShows(index, at))).hits).get('tvdb')
  const paired = direct === undefined && showIds.tmdb !== undefined ? index.pairedTvdb(showIds.tmdb) : undefined
  const hop: AiredHit | null | undefined =
    paired === undefined ? direct : { scheme: 'tvdb', id: paired, season, episode }
  return hop === undefined || hop === null ? starts : [...starts, { at: hop, basis: 'show_pair_hop' }]
}

/** The paired show counts only if the data sets have nothing for the season of the item's own ids. */
function entriesOfStarts(
  index: Index,
  starts: readonly Start[],
): { readonly found: Found<EntryHit>; readonly basis: MappingBasis; readonly used: readonly Start[] } {
  const looked = starts.map((start) => ({ start, found: entriesOf(index, start.at) }))
  const direct = looked.filter(({ start }) => start.basis === 'anibridge')
  const hop = looked.find(({ start }) => start.basis === 'show_pair_hop')
  // A mapped season has its own numbers, even if this number is not mapped.
  const isDirect = hop === undefined || direct.some(({ found }) => found.hits.length > 0 || found.problems.size > 0)
  const used = isDirect ? direct : [hop]
  return {
    found: unite(used.map(({ found }) => found)),
    basis: isDirect ? 'anibridge' : 'show_pair_hop',
    used: used.filter(({ found }) => found.hits.length > 0).map(({ start }) => start),
  }
}

export function toEntry(index: Index, query: EntryQuery): EntryAnswer {
  const { showIds, season, episode, scheme, specials = false } = query
  if (season === 0 && !specials) return { found: false, reason: 'specials_off' }
  const starts = startsOf(index, showIds, season, episode)
  const natives = NATIVE.filter((one) => showIds[one] !== undefined)
  if (starts.length === 0 && natives.length === 0) return { found: false, reason: 'no_identity' }
  const { found, basis } = starts.length === 0 ? NOTHING : entriesOfStarts(index, starts)
  const answer = scheme === undefined ? anyScheme(found, basis) : inScheme(index, { found, basis, starts }, scheme)
  // An item that itself names another entry keeps it, if that entry has such an episode.
  const own = answer.found ? showIds[answer.scheme] : undefined
  if (answer.found && (own === undefined || own === answer.id)) return answer
  const schemes = answer.found ? [answer.scheme] : scheme === undefined ? natives : [scheme]
  const passed = passThrough(index, query, starts, schemes)
  return passed ?? answer
}

const NOTHING = { found: { hits: [], problems: new Set<never>() }, basis: 'anibridge' as const }

function anyScheme(found: Found<EntryHit>, basis: MappingBasis): EntryAnswer {
  const unique = perScheme(found.hits)
  const anidb = unique.get('anidb')
  if (anidb !== undefined && anidb !== null) return { found: true, ...anidb, basis }
  const hits = NATIVE.flatMap((scheme) => unique.get(scheme) ?? [])
  if (hits.length === 0) return { found: false, reason: unique.size > 0 ? 'ambiguous' : reasonOf(found) }
  if (new Set(hits.map(({ episode }) => episode)).size > 1) return { found: false, reason: 'disagreement' }
  return { found: true, ...(hits[0] as EntryHit), basis }
}

function inScheme(
  index: Index,
  {
    found,
    basis,
    starts,
  }: { readonly found: Found<EntryHit>; readonly basis: MappingBasis; readonly starts: readonly Start[] },
  scheme: EntryScheme,
): EntryAnswer {
  const unique = perScheme(found.hits)
  const others = NATIVE.flatMap((one) => (one === scheme ? [] : (unique.get(one) ?? [])))
  if (isNative(scheme)) {
    const direct = unique.get(scheme)
    if (direct !== undefined) {
      return direct === null ? { found: false, reason: 'ambiguous' } : { found: true, ...direct, basis }
    }
    const moved = unite(others.map((hit) => sameEntries(index, hit)))
    const reached = moved.hits.filter((hit) => hit.scheme === scheme)
    const [one, ...more] = reached
    // The entry's own edges may identify the episode as another one.
    const isElsewhere = one !== undefined && starts.some(({ at }) => isKnownElsewhere(index, one, at))
    if (one !== undefined && more.length === 0 && !isElsewhere) return { found: true, ...one, basis }
    if (one !== undefined) return { found: false, reason: 'disagreement' }
  }
  if (others.length === 0) return { found: false, reason: unique.size > 0 ? 'ambiguous' : reasonOf(found) }
  if (new Set(others.map(({ episode }) => episode)).size > 1) return { found: false, reason: 'disagreement' }
  const ids = new Set(others.flatMap((hit) => idsInScheme(index, hit, scheme)))
  if (ids.size !== 1) return { found: false, reason: ids.size === 0 ? 'no_mapping' : 'ambiguous' }
  const [id] = ids as Set<string>
  return { found: true, scheme, id: id as string, episode: (others[0] as EntryHit).episode, basis: 'identity' }
}

function isKnownElsewhere(index: Index, hit: EntryHit, at: AiredHit): boolean {
  if (!leadsTo(airedOf(index, hit, true), at)) return true
  const back = toAired(index, { ids: { [hit.scheme]: hit.id }, episode: hit.episode, preferred: at.scheme })
  return at.season > 0 && back.found && back.scheme === at.scheme && !sameHit(back, at)
}

/** Ids of the same entry at another service: only their numbers may be copied unchanged. */
function idsInScheme(index: Index, { scheme, id }: EntryHit, wanted: EntryScheme): readonly string[] {
  if (wanted === 'trackb' || wanted === 'kitsu') {
    const other = index.identity(scheme, id)?.[wanted] ?? ''
    return other === '' ? [] : [other]
  }
  return index
    .edges({ scheme, kind: 'entry', id })
    .all.filter(({ source, target, ranges }) => ranges === null && source.scope === '' && target.scheme === wanted)
    .map(({ target }) => target.id)
}

/**
 * Season 1 of an item with its own entry has the numbers of the entry, if the entry has such an episode and no edge identifies it
 * as another one of the same show.
 */
export function passThrough(
  index: Index,
  { showIds, season, episode }: Pick<EntryQuery, 'showIds' | 'season' | 'episode'>,
  starts: readonly Start[],
  schemes: readonly EntryScheme[],
): (EntryAnswer & { readonly found: true }) | undefined {
  if (season !== 1) return undefined
  for (const scheme of schemes) {
    const id = showIds[scheme]
    if (id === undefined || !isNative(scheme)) continue
    const edges = index.edges({ scheme, kind: 'entry', id }).byScope.get(scheme === 'anidb' ? 'R' : '') ?? []
    const isCovered = edges.some(
      ({ ranges }) => ranges !== null && ranges.from !== 'ratio' && covers(ranges.from, episode),
    )
    const isElsewhere = starts.some(({ at }) => !leadsTo(airedOf(index, { scheme, id, episode }, true), at))
    if (isCovered && !isElsewhere) return { found: true, scheme, id, episode, basis: 'anibridge_native' }
  }
  return undefined
}

export function toAired(index: Index, { ids, episode, preferred }: AiredQuery): AiredAnswer {
  const starts = NATIVE.flatMap((scheme) => {
    const id = ids[scheme]
    return id === undefined ? [] : [{ scheme, id, episode }]
  })
  if (starts.length === 0) return { found: false, reason: 'no_identity' }
  const own = starts.map((start) => ({ scheme: start.scheme, ...airedOf(index, start, false) }))
  if (own.some(({ hits }) => hits.length > 0)) return airedAnswer(index, own, preferred)
  // Through the same entry at another service.
  const same = unite(starts.map((start) => sameEntries(index, start))).hits
  const reached = same.map((hit) => ({ scheme: hit.scheme, ...airedOf(index, hit, false) }))
  if (reached.some(({ hits }) => hits.length > 0)) return airedAnswer(index, reached, preferred)
  return { found: false, reason: reasonOf(unite(own)) }
}

function airedAnswer(
  index: Index,
  found: readonly ({ readonly scheme: EntryHit['scheme'] } & Found<AiredHit>)[],
  preferred: AiredQuery['preferred'],
): AiredAnswer {
  const wanted = [...new Set([...(preferred === undefined ? [] : [preferred]), ...AIRED])]
  for (const some of [found.filter(({ scheme }) => scheme === 'anidb'), found]) {
    const { hits } = unite(some)
    for (const scheme of wanted) {
      const [one, ...more] = hits.filter((hit) => hit.scheme === scheme)
      if (one === undefined) continue
      if (more.length > 0) return { found: false, reason: some.length > 1 ? 'disagreement' : 'ambiguous' }
      return scheme === preferred ? { found: true, ...one, basis: 'anibridge' } : preferredAnswer(index, one, preferred)
    }
  }
  return { found: false, reason: 'no_mapping' }
}

/** In the requested numbering: through an edge between both shows, or if the paired show has equal numbers. */
function preferredAnswer(index: Index, hit: AiredHit, preferred: AiredQuery['preferred']): AiredAnswer {
  const direct = preferred === undefined ? undefined : perScheme(sameShows(index, hit).hits).get(preferred)
  if (direct !== undefined && direct !== null) return { found: true, ...direct, basis: 'anibridge' }
  const isTmdb = preferred === 'tmdb' && hit.scheme === 'tvdb' && direct === undefined
  const paired = isTmdb ? index.pairedTmdb(hit.id) : undefined
  if (paired === undefined) return { found: true, ...hit, basis: 'anibridge' }
  return { found: true, ...hit, scheme: 'tmdb', id: paired, basis: 'show_pair_hop' }
}
