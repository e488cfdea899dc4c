// Applies the person's rules to a request and returns the remaining queries for the index.
import type {
  AiredAnswer,
  AiredQuery,
  Coordinates,
  Enriched,
  EntryAnswer,
  EntryCoordinate,
  EntryQuery,
  EntryScheme,
  MappingReason,
} from '@playhead/sdk'
import { type Ids, type Item, kindOf, normaliseId } from '@playhead/sdk/items'
import type { Position } from '../lookup/coordinates.ts'
import type { Work } from '../lookup/enrich.ts'
import type { Rules } from './rules.ts'

export const AMBIGUOUS = { found: false, reason: 'ambiguous' } as const
const SCHEMES = ['tvdb', 'tmdb', 'imdb', 'anidb', 'mal', 'anilist', 'kitsu', 'trackb'] as const
const ENTRY_SCHEMES = ['anidb', 'mal', 'anilist', 'kitsu', 'trackb'] as const

interface PlannedWork extends Work {
  readonly replaced: Enriched['replaced']
  readonly given: Enriched['added']
  readonly contradicting: readonly EntryScheme[]
}

/** Null for seasons and episodes. */
export function workOf(item: Item, rules: Rules | null): PlannedWork | null {
  const kind = kindOf(item)
  if (kind !== 'movie' && kind !== 'show') return null
  const ids = knownIds(item.ids)
  const said = [...(rules?.idsOf(ids, kind) ?? [])]
  const set = said.filter(([, id]) => id !== 'ambiguous') as [EntryScheme, string][]
  return {
    ids: { ...ids, ...Object.fromEntries(set) },
    kind,
    isAnime: item.type === 'anime' && item.film !== true,
    given: set.filter(([scheme]) => ids[scheme] === undefined).map(([scheme]) => scheme),
    replaced: set.filter(([scheme, id]) => ids[scheme] !== undefined && ids[scheme] !== id).map(([scheme]) => scheme),
    contradicting: said.filter(([, id]) => id === 'ambiguous').map(([scheme]) => scheme),
  }
}

export function withRules(
  ids: Ids,
  { ids: seeds, given, replaced, contradicting }: PlannedWork,
  found: Enriched,
): Enriched {
  // A conflict between rules is not resolved by the data sets either.
  const added = [...given, ...found.added.filter((scheme) => !(contradicting as readonly string[]).includes(scheme))]
  const isByRule = given.length > 0 || replaced.length > 0
  const { reason, ...rest } = found
  const values = { ...found.ids, ...seeds }
  return {
    ...rest,
    ids: { ...ids, ...Object.fromEntries([...added, ...replaced].map((scheme) => [scheme, values[scheme]])) },
    added,
    replaced,
    ambiguous: [...new Set([...contradicting, ...found.ambiguous])],
    basis: isByRule ? 'user_override' : added.length === 0 ? null : found.basis,
    ...(isByRule || added.length > 0
      ? {}
      : contradicting.length > 0
        ? { reason: 'ambiguous' as const }
        : reason === undefined
          ? {}
          : { reason }),
  }
}

export function unchanged(ids: Ids, reason: MappingReason): Enriched {
  return { ids, added: [], replaced: [], shared: [], ambiguous: [], basis: null, reason }
}

export function nowhere(reason: MappingReason): Coordinates {
  return { aired: [], entries: [], ambiguous: [], basis: null, reason }
}

type Plan = { readonly answer: Coordinates } | { readonly position: Position }

export function planOf(item: Item, rules: Rules | null, specials: boolean): Plan {
  if (item.type !== 'episode') return { answer: nowhere('not_mappable') }
  const { season, episode } = item
  if (!isNumber(season, 0) || !isNumber(episode, 1)) return { answer: nowhere('no_position') }
  const showIds = knownIds(item.show_ids ?? {})
  const byRule = rules === null ? undefined : ruledCoordinates(showIds, season, episode, rules)
  return byRule === undefined ? { position: { showIds, season, episode, specials } } : { answer: byRule }
}

/** Rules alone decide, because they correct the data sets' statement about the same episode. */
function ruledCoordinates(showIds: Ids, season: number, episode: number, rules: Rules): Coordinates | undefined {
  const forward = [...rules.entriesOf(showIds, season, episode)]
  const given = SCHEMES.flatMap((scheme) => {
    const id = showIds[scheme]
    return id === undefined ? [] : [{ scheme, id }]
  })
  const isAired = given.some(({ scheme }) => !isEntry(scheme))
  const starts: EntryCoordinate[] =
    isAired || season !== 1 ? [] : given.flatMap(({ scheme, id }) => (isEntry(scheme) ? [{ scheme, id, episode }] : []))
  const backward = starts.flatMap((start) => [...rules.airedOf(start)])
  if (forward.length === 0 && backward.length === 0) return undefined
  const aired = new Map<string, Coordinates['aired'][number] | 'ambiguous'>()
  for (const [scheme, at] of backward)
    aired.set(scheme, aired.has(scheme) && JSON.stringify(aired.get(scheme)) !== JSON.stringify(at) ? 'ambiguous' : at)
  const own = isAired
    ? given.flatMap(({ scheme, id }) => (isEntry(scheme) ? [] : [{ scheme, id, season, episode }]))
    : []
  const reachedAired = [...aired.values()].filter((at) => at !== 'ambiguous')
  const reachedEntries = forward.flatMap(([, at]) => (at === 'ambiguous' ? [] : [at]))
  const ambiguous = [
    ...[...aired].filter(([, at]) => at === 'ambiguous').map(([scheme]) => scheme),
    ...forward.filter(([, at]) => at === 'ambiguous').map(([scheme]) => scheme),
  ] as Coordinates['ambiguous'][number][]
  if (reachedAired.length === 0 && reachedEntries.length === 0) return { ...nowhere('ambiguous'), ambiguous }
  const ruled = new Set(reachedEntries.map(({ scheme }) => scheme))
  return {
    aired: [...own, ...reachedAired],
    entries: [...starts.filter(({ scheme }) => !ruled.has(scheme)), ...reachedEntries],
    ambiguous,
    basis: 'user_override',
  }
}

/** A position that a rule assigns to another episode is excluded, regardless of the data sets. */
export function withoutClaimed(
  found: Coordinates,
  { showIds, season, episode }: Position,
  rules: Rules | null,
): Coordinates {
  if (rules === null || rules.revision === '' || found.reason !== undefined) return found
  const entries = found.entries.filter((at) => !isClaimed(at, { showIds, season, episode }, rules))
  const aired = found.aired.filter((at) => !rules.claims(at))
  const lost = [...found.entries, ...found.aired].filter((at) => ![...entries, ...aired].includes(at as never))
  if (lost.length === 0) return found
  const ambiguous = [...new Set([...found.ambiguous, ...lost.map(({ scheme }) => scheme)])]
  // The given position alone is not a mapping.
  if (entries.length === 0 || (aired.length === 0 && entries.length < 2)) return { ...nowhere('ambiguous'), ambiguous }
  return { ...found, entries, aired, ambiguous }
}

export function isClaimed(
  at: EntryCoordinate,
  { showIds, season, episode }: Omit<EntryQuery, 'scheme'>,
  rules: Rules | null,
) {
  return [...(rules?.airedOf(at) ?? [])].some(
    ([scheme, aired]) =>
      aired === 'ambiguous' ||
      // In a show without a known id here it may be the same episode.
      (showIds[scheme] !== undefined &&
        (aired.id !== showIds[scheme] || aired.season !== season || aired.episode !== episode)),
  )
}

type EntryPlan = { readonly answer: EntryAnswer } | { readonly query: EntryQuery }

export function planOfEntry(query: EntryQuery, rules: Rules | null): EntryPlan {
  const { season, episode, scheme } = query
  if (!isNumber(season, 0) || !isNumber(episode, 1)) return { answer: { found: false, reason: 'no_position' } }
  const showIds = knownIds(query.showIds)
  const said = rules?.entriesOf(showIds, season, episode) ?? new Map<EntryScheme, EntryCoordinate | 'ambiguous'>()
  const wanted = scheme === undefined ? ENTRY_SCHEMES : [scheme]
  const ruled = wanted.flatMap((one) => said.get(one) ?? [])
  if (ruled.includes('ambiguous')) return { answer: AMBIGUOUS }
  const [first] = ruled as EntryCoordinate[]
  if (first === undefined) return { query: { ...query, showIds } }
  return { answer: { found: true, ...first, basis: 'user_override' } }
}

type AiredPlan = { readonly answer: AiredAnswer } | { readonly query: AiredQuery }

export function planOfAired(query: AiredQuery, rules: Rules | null): AiredPlan {
  if (!isNumber(query.episode, 1)) return { answer: { found: false, reason: 'no_position' } }
  const ids = knownIds(query.ids)
  const said = ENTRY_SCHEMES.flatMap((scheme) => {
    const id = ids[scheme]
    return id === undefined ? [] : [...(rules?.airedOf({ scheme, id, episode: query.episode }) ?? [])]
  })
  const wanted = [query.preferred, 'tvdb', 'tmdb', 'imdb'].filter((scheme) => scheme !== undefined)
  for (const scheme of wanted) {
    const of = new Map(said.filter(([one]) => one === scheme).map(([, at]) => [JSON.stringify(at), at]))
    if (of.size === 0) continue
    const [at, ...more] = of.values()
    if (at === undefined || at === 'ambiguous' || more.length > 0) return { answer: AMBIGUOUS }
    return { answer: { found: true, ...at, basis: 'user_override' } }
  }
  return { query: { ...query, ids } }
}

function knownIds(ids: Ids): Ids {
  return Object.fromEntries(
    SCHEMES.flatMap((scheme) => {
      const id = normaliseId(scheme, ids[scheme])
      return id === undefined ? [] : [[scheme, id]]
    }),
  )
}

function isEntry(scheme: string): scheme is EntryScheme {
  return (ENTRY_SCHEMES as readonly string[]).includes(scheme)
}

function isNumber(value: unknown, least: number): value is number {
  return Number.isSafeInteger(value) && (value as number) >= least
}
