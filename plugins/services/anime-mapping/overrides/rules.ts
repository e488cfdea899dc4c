// Stored rules and their results for an item. They are separate from the data sets, so that a new index does not affect them
// and they apply without an index.
import { createHash } from 'node:crypto'
import type {
  AiredCoordinate,
  AiredScheme,
  EntryCoordinate,
  EntryScheme,
  Ids,
  IdScheme,
  KeyValueStore,
} from '@playhead/sdk'
import { type Rule, schemeFor, targetScheme } from './rule.ts'

export interface Rules {
  /** Changes with the active rules; empty if there are none. */
  readonly revision: string
  /** Ids of the entry of a whole film or show, by scheme. */
  idsOf(ids: Ids, kind: 'movie' | 'show'): ReadonlyMap<EntryScheme, string | 'ambiguous'>
  /** Positions in entries, by scheme. */
  entriesOf(showIds: Ids, season: number, episode: number): ReadonlyMap<EntryScheme, EntryCoordinate | 'ambiguous'>
  /** Positions in shows that rules map to this position, by scheme. */
  airedOf(entry: EntryCoordinate): ReadonlyMap<AiredScheme, AiredCoordinate | 'ambiguous'>
  /** Whether a rule maps this show's episode elsewhere. */
  claims(aired: AiredCoordinate): boolean
}

const AIRED: ReadonlySet<string> = new Set(['tvdb', 'tmdb', 'imdb'])
const KEY = 'overrides'

export interface RuleStore {
  list(): Promise<readonly Rule[]>
  save(rules: readonly Rule[]): Promise<void>
  rules(): Promise<Rules>
}

export function createRuleStore(store: KeyValueStore): RuleStore {
  let cached: { readonly stamp: string; readonly list: readonly Rule[]; readonly rules: Rules } | null = null

  // Another version of the plugin may have written the rules. The stamp is small, whereas the rules may be many.
  async function read() {
    const stamp = (await store.get<string>(`${KEY}-stamp`)) ?? ''
    if (cached?.stamp === stamp) return cached
    const list = (await store.get<readonly Rule[]>(KEY)) ?? []
    cached = { stamp, list, rules: createRules(list) }
    return cached
  }

  return {
    list: async () => (await read()).list,
    rules: async () => (await read()).rules,
    async save(list) {
      const stamp = createHash('sha256').update(JSON.stringify(list)).digest('base64url')
      await store.setMany(
        new Map<string, unknown>([
          [KEY, list],
          [`${KEY}-stamp`, stamp],
        ]),
      )
      cached = null
    },
  }
}

function createRules(list: readonly Rule[]): Rules {
  const active = list.filter(({ enabled }) => enabled)
  const byMatch = Map.groupBy(active, (rule) => `${schemeFor(rule.match_provider)}:${rule.match_id}`)
  const byTarget = Map.groupBy(active.filter(isForEpisodes), (rule) => `${targetScheme(rule)}:${rule.target_id}`)
  const matching = (ids: Ids) => Object.entries(ids).flatMap(([scheme, id]) => byMatch.get(`${scheme}:${id}`) ?? [])

  return {
    revision:
      active.length === 0
        ? ''
        : createHash('sha256')
            .update(JSON.stringify(active.map(meaningOf).sort()))
            .digest('base64url')
            .slice(0, 16),
    idsOf(ids, kind) {
      const found = new Map<EntryScheme, string | 'ambiguous'>()
      for (const rule of matching(ids)) {
        if (!isForEpisodes(rule) && rule.media_type === kind) put(found, targetScheme(rule), rule.target_id)
      }
      return found
    },
    entriesOf(showIds, season, episode) {
      const found = new Map<EntryScheme, EntryCoordinate | 'ambiguous'>()
      for (const rule of matching(showIds)) {
        if (!isForEpisodes(rule) || rule.match_season !== season) continue
        const number = mapped(episode, rule.episode_from, rule.episode_to, rule.episode_start_at)
        const scheme = targetScheme(rule)
        if (number !== undefined) put(found, scheme, { scheme, id: rule.target_id, episode: number })
      }
      return found
    },
    airedOf({ scheme, id, episode }) {
      const found = new Map<AiredScheme, AiredCoordinate | 'ambiguous'>()
      for (const rule of byTarget.get(`${scheme}:${id}`) ?? []) {
        const match = schemeFor(rule.match_provider)
        const last = rule.episode_to === null ? null : rule.episode_start_at + rule.episode_to - rule.episode_from
        const number = mapped(episode, rule.episode_start_at, last, rule.episode_from)
        if (number === undefined || !isAired(match)) continue
        put(found, match, { scheme: match, id: rule.match_id, season: rule.match_season, episode: number })
      }
      return found
    },
    claims({ scheme, id, season, episode }) {
      return (byMatch.get(`${scheme}:${id}`) ?? []).some(
        (rule) =>
          isForEpisodes(rule) &&
          rule.match_season === season &&
          mapped(episode, rule.episode_from, rule.episode_to, rule.episode_start_at) !== undefined,
      )
    },
  }
}

type EpisodeRule = Rule & {
  readonly match_season: number
  readonly episode_from: number
  readonly episode_start_at: number
}

function isForEpisodes(rule: Rule): rule is EpisodeRule {
  return rule.match_season !== null
}

function mapped(number: number, from: number, to: number | null, start: number): number | undefined {
  return number >= from && number <= (to ?? Infinity) ? start + number - from : undefined
}

function put<Scheme, Value>(found: Map<Scheme, Value | 'ambiguous'>, scheme: Scheme, value: Value): void {
  const known = found.get(scheme)
  found.set(scheme, known === undefined || JSON.stringify(known) === JSON.stringify(value) ? value : 'ambiguous')
}

function isAired(scheme: IdScheme): scheme is AiredScheme {
  return AIRED.has(scheme)
}

/** The rules without titles, notes and times. */
function meaningOf(rule: Rule): string {
  const { media_type, match_provider, match_id, match_season, target_namespace, target_id } = rule
  const { episode_from, episode_to, episode_start_at } = rule
  return JSON.stringify([
    ...[media_type, match_provider, match_id, match_season, target_namespace, target_id],
    ...[episode_from, episode_to, episode_start_at],
  ])
}
