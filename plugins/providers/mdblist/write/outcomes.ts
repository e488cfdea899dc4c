// Outcomes of items, from the counts of a response or from the error.
import { isPlayheadError } from '@playhead/sdk'
import { type ItemOutcome, outcomeOfError } from '@playhead/sdk/provider'
import type { Group, Target } from './targets.ts'
import { type Fields, isFields, listOf, type WriteAnswer } from '../wire.ts'

export type Counting = 'adds' | 'removes'

const NOT_FOUND: ItemOutcome = { outcome: 'not_found', reason: 'not_found' }
/** Reading the account again will show which items. */
export const DOUBT: ItemOutcome = { outcome: 'unknown', reason: 'count_mismatch' }

/**
 * Outcome per target. Counts are per kind, so all targets of a kind share an outcome unless missing items are named.
 */
export function outcomesOf(
  targets: readonly Target[],
  answer: WriteAnswer,
  counting: Counting,
): ReadonlyMap<string, ItemOutcome> {
  const outcomes = new Map<string, ItemOutcome>()
  const named = namedMissing(targets, answer.not_found)
  for (const [kind, all] of Map.groupBy(targets, (target) => target.kind)) {
    const missing = all.filter((target) => named.has(target))
    const rest = all.filter((target) => !named.has(target))
    for (const { key } of missing) outcomes.set(key, NOT_FOUND)
    // Parts may be counted themselves, or as their unknown show.
    const unnamed = Math.max(0, missingOf(answer.not_found, kind, all) - missing.length)
    const outcome =
      counting === 'adds' ? added(rest.length, unnamed, answer, kind) : removed(rest.length, unnamed, answer, kind)
    for (const { key } of rest) outcomes.set(key, outcome)
  }
  return outcomes
}

function added(expected: number, missing: number, answer: WriteAnswer, kind: Group): ItemOutcome {
  const existing = countOf(answer.existing, kind)
  const fresh = countOf(answer.added, kind) + countOf(answer.updated, kind)
  if (missing === 0 && existing + fresh >= expected)
    return fresh === 0 ? { outcome: 'already' } : { outcome: 'applied' }
  return missing >= expected && existing + fresh === 0 ? NOT_FOUND : DOUBT
}

function removed(expected: number, missing: number, answer: WriteAnswer, kind: Group): ItemOutcome {
  const gone = countOf(answer.deleted, kind) + countOf(answer.removed, kind)
  if (missing === 0 && gone >= expected) return { outcome: 'applied' }
  // Missing and unknown items look the same, unless all were missing.
  if (missing === 0) return gone === 0 ? { outcome: 'already' } : DOUBT
  return missing >= expected && gone === 0 ? NOT_FOUND : DOUBT
}

function countOf(counted: unknown, kind: Group): number {
  const count = isFields(counted) ? counted[kind] : undefined
  return typeof count === 'number' ? count : Array.isArray(count) ? count.length : 0
}

function missingOf(counted: unknown, kind: Group, all: readonly Target[]): number {
  const own = countOf(counted, kind)
  const shows = kind === 'shows' || kind === 'movies' ? 0 : countOf(counted, 'shows')
  if (shows === 0) return own
  // For partly found shows, the number of parts is only known when all are missing.
  const ofShows = new Set(all.map(({ ids }) => JSON.stringify(ids))).size
  return Math.max(own, shows >= ofShows ? all.length : 1)
}

/** Targets named as missing: every id in the response was sent for them. */
function namedMissing(targets: readonly Target[], counted: unknown): ReadonlySet<Target> {
  const missing = new Set<Target>()
  if (!isFields(counted)) return missing
  for (const group of ['movies', 'shows', 'seasons', 'episodes'] as const) {
    for (const echo of listOf(counted[group])) {
      for (const target of targets) if (isMeant(target, group, echo)) missing.add(target)
    }
  }
  return missing
}

function isMeant(target: Target, group: Group, echo: Fields): boolean {
  const ids = isFields(echo['ids'])
    ? echo['ids']
    : Object.fromEntries(['imdb', 'tmdb', 'tvdb', 'trakt'].map((name) => [name, echo[name]]))
  const echoedIds = Object.entries(ids).filter(([, id]) => id !== null && id !== undefined)
  const isNamed =
    echoedIds.length > 0 &&
    echoedIds.every(([name, id]) => target.ids[name] !== undefined && String(target.ids[name]) === String(id))
  if (!isNamed) return false
  const seasons = listOf(echo['seasons'])
  if (seasons.length > 0) {
    return (
      target.group === 'shows' &&
      seasons.some((season) => {
        const episodes = listOf(season['episodes'])
        return (
          season['number'] === target.season &&
          (episodes.length === 0 || episodes.some(({ number }) => number === target.episode))
        )
      })
    )
  }
  if (group === 'episodes')
    return echo['season'] === target.season && (echo['episode'] ?? echo['number']) === target.episode
  if (group === 'seasons') return target.kind === 'seasons' && (echo['season'] ?? echo['number']) === target.season
  // A missing show includes its parts.
  return group === target.group
}

/** Outcome of all items of a failed request; undefined for errors unrelated to the request. */
export function outcomeOfFailure(error: unknown, isIdempotent: boolean): ItemOutcome | undefined {
  if (isPlayheadError(error) && error.details?.['reason'] === 'provider_limit')
    return { outcome: 'rejected', reason: 'provider_limit' }
  const outcome = outcomeOfError(error)
  const status = isPlayheadError(error) ? error.details?.['status'] : undefined
  // A failing server may have applied a part; repeated plays could be stored twice.
  return !isIdempotent && typeof status === 'number' && status >= 500
    ? { outcome: 'unknown', reason: `http_${status}` }
    : outcome
}
