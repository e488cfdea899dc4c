// Outcomes of items, from the counts of a response or from the error.
import { isPlayheadError } from '@playhead/sdk'
import { isRecord } from '@playhead/sdk/items'
import { type ItemOutcome, outcomeOfError } from '@playhead/sdk/provider'
import {
  type Batch,
  DOUBT,
  type Group,
  isNamedBy,
  isWithin,
  NOT_FOUND,
  notFoundAmong,
  type Target,
} from '@playhead/trakt-dialect'
import type { WriteAnswer } from '../wire.ts'

/**
 * Outcome per target. Counts are per kind, so all targets of a kind share an outcome unless missing items are named.
 */
export function outcomesOf(
  targets: readonly Target[],
  answer: WriteAnswer,
  op: Batch['op'],
): ReadonlyMap<Target, ItemOutcome> {
  const outcomes = new Map<Target, ItemOutcome>()
  const named = namedMissing(targets, answer.not_found)
  for (const [kind, all] of Map.groupBy(targets, (target) => target.kind)) {
    const missing = all.filter((target) => named.has(target))
    const rest = all.filter((target) => !named.has(target))
    for (const target of missing) outcomes.set(target, NOT_FOUND)
    // Parts may be counted themselves, or as their unknown show.
    const unnamed = Math.max(0, missingOf(answer.not_found, kind, all) - missing.length)
    const outcome =
      op === 'adds' ? added(rest.length, unnamed, answer, kind) : removed(rest.length, unnamed, answer, kind)
    for (const target of rest) outcomes.set(target, outcome)
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
  const count = isRecord(counted) ? counted[kind] : undefined
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

const ID_NAMES = ['imdb', 'tmdb', 'tvdb', 'trakt']

/** Targets named as missing. A missing show includes its parts. */
function namedMissing(targets: readonly Target[], counted: unknown): ReadonlySet<Target> {
  return notFoundAmong(targets, counted, (target, group, echo) => {
    const ids = isRecord(echo['ids']) ? echo['ids'] : Object.fromEntries(ID_NAMES.map((name) => [name, echo[name]]))
    const { season, episode, number, seasons } = echo
    if (!isNamedBy(target, ids)) return false
    if (Array.isArray(seasons) && seasons.some(isRecord)) return target.group === 'shows' && isWithin(target, echo)
    if (group === 'episodes') return season === target.season && (episode ?? number) === target.episode
    if (group === 'seasons') return target.kind === 'seasons' && (season ?? number) === target.season
    return group === target.group
  })
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
