// Shared code of providers that record plays: the call for a report, the names of an item, and outcomes.
import { meaningOf } from '../writes/outcomes.ts'
import { LRUCache } from 'lru-cache'
import { isPlayheadError } from '../../errors.ts'
import type { Item } from '../../items/item.ts'
import { parseTime } from '../../items/time.ts'
import type { WriteResult } from '../writes/contract.ts'
import { outcomeOfError } from '../failures.ts'
import type { ScrobbleRequest, ScrobbleResult } from './playback.ts'
import { defined } from '../../defined.ts'

export type ScrobbleStep =
  /** The service refuses or misunderstands it; nothing is lost. */
  | { readonly type: 'nothing' }
  | { readonly type: 'call'; readonly action: ScrobbleRequest['action']; readonly percent: number }
  /** A play below the percentage that the service records is added to the history. */
  | { readonly type: 'history' }

export interface ScrobbleSteps {
  /** As `ScrobbleSupport.playAtPercent`. */
  readonly playAtPercent: number
  /** The call that ends an unfinished playback below that percentage. Above it, `pause` is always used. */
  readonly unfinished: 'stop' | 'pause'
}

/** Services treat positions below 1 % as errors, and starts below 2 % as previews. */
const MIN_PERCENT = 1
const MIN_START_PERCENT = 2
const RESULT_OF_ALREADY: ScrobbleResult = { outcome: 'already' }
const MISSING_IDS: ScrobbleResult = { outcome: 'unsupported', reason: 'missing_ids' }

/**
 * @example
 * scrobbleStep({ action: 'stop', percent: 75, completed: true, … }, { playAtPercent: 80, unfinished: 'stop' })
 * // { type: 'history' }
 */
export function scrobbleStep(
  { action, percent, completed }: Pick<ScrobbleRequest, 'action' | 'percent' | 'completed'>,
  { playAtPercent, unfinished }: ScrobbleSteps,
): ScrobbleStep {
  if (action === 'start') return { type: 'call', action, percent: Math.max(MIN_START_PERCENT, percent) }
  if (isPlay({ action, completed }))
    return percent >= playAtPercent ? { type: 'call', action, percent } : { type: 'history' }
  if (percent < MIN_PERCENT) return { type: 'nothing' }
  const ends = action === 'stop' && percent < playAtPercent
  return { type: 'call', action: ends ? unfinished : 'pause', percent }
}

export function isPlay({ action, completed }: Pick<ScrobbleRequest, 'action' | 'completed'>): boolean {
  return action === 'stop' && completed
}

/** The play as an item of the history, with a precision of seconds. */
export function playToAdd({ item, atMs }: Pick<ScrobbleRequest, 'item' | 'atMs'>): Item {
  const seconds = new Date(atMs).toISOString().replace(/\.\d+Z$/, 'Z')
  return { ...item, watched: true, watched_at: seconds }
}

/** The result of a scrobble whose play was added with `playToAdd`. */
export function playAdded({ outcomes, retryAfterMs }: WriteResult, play: Item): ScrobbleResult {
  const { outcome = 'unknown', reason } = outcomes[0] ?? {}
  const isThere = meaningOf(outcome) === 'done'
  return {
    outcome,
    ...defined({ reason }),
    ...(isThere ? { play: { watchedAtMs: parseTime(play.watched_at)?.atMs ?? null } } : {}),
    ...defined({ retryAfterMs }),
  }
}

/**
 * The result of a 409: the service recorded the item recently, at the `watched_at` of the body.
 *
 * @param text the body
 */
export function alreadyPlayed(text: string, request: ScrobbleRequest): ScrobbleResult {
  if (!isPlay(request)) return RESULT_OF_ALREADY
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    // A body that is not JSON adds nothing.
  }
  const at =
    typeof body === 'object' && body !== null ? (body as { readonly watched_at?: unknown }).watched_at : undefined
  const time = parseTime(at)
  return {
    outcome: 'already',
    play: { watchedAtMs: time === undefined || time.precision === 'date' ? null : time.atMs },
  }
}

/**
 * The result of a scrobble that failed with this error; undefined for a plugin bug. As for writes, but a refused
 * application may be accepted again, and a failed server may have recorded a play.
 */
export function scrobbleFailure(error: unknown, request: ScrobbleRequest): ScrobbleResult | undefined {
  const outcome = outcomeOfError(error)
  if (outcome === undefined || !isPlayheadError(error)) return undefined
  const status = error.details?.['status']
  const after = error.retryAfterMs === undefined ? {} : { retryAfterMs: error.retryAfterMs }
  if (error.code === 'PLH_FORBIDDEN' || status === 403) return { outcome: 'failed', reason: outcome.reason, ...after }
  if (isPlay(request) && outcome.outcome === 'failed' && typeof status === 'number' && status >= 500)
    return { outcome: 'unknown', reason: outcome.reason, ...after }
  return { ...outcome, ...after }
}

export interface NamesInTurn<Name> {
  /**
   * Tries the item's ids in turn until the service finds it, starting with the last one that worked.
   * `more` is called when all ids are unknown. Without ids: `missing_ids`.
   */
  send(
    item: Item,
    names: readonly Name[],
    send: (name: Name) => Promise<ScrobbleResult>,
    more?: () => Promise<readonly Name[]>,
  ): Promise<ScrobbleResult>
}

/** @param most maximum number of remembered items; the least recently used are dropped */
export function createNamesInTurn<Name extends NonNullable<unknown>>(most = 1_000): NamesInTurn<Name> {
  const known = new LRUCache<string, Name>({ max: most })

  return {
    async send(item, names, send, more) {
      const key = identityOf(item)
      const last = known.get(key)
      const isLast = (name: Name) => JSON.stringify(name) === JSON.stringify(last)
      const ordered = last === undefined ? names : [last, ...names.filter((name) => !isLast(name))]
      let result = MISSING_IDS
      const tryAll = async (all: readonly Name[]): Promise<boolean> => {
        for (const name of all) {
          result = await send(name)
          if (result.outcome === 'not_found') continue
          known.set(key, name)
          return true
        }
        return false
      }
      if (!(await tryAll(ordered))) {
        known.delete(key)
        if (more === undefined) return result
        const found = await more().catch((error: unknown) => notSent(error))
        if ('outcome' in found) return found
        await tryAll(found.filter((name) => !isLast(name)))
      }
      return result
    },
  }
}

/** A lookup failed, so nothing was recorded. */
function notSent(error: unknown): ScrobbleResult {
  const failure = outcomeOfError(error)
  if (failure === undefined) throw error
  const retryAfterMs = isPlayheadError(error) ? error.retryAfterMs : undefined
  return {
    outcome: failure.outcome === 'unknown' ? 'failed' : failure.outcome,
    reason: failure.reason,
    ...defined({ retryAfterMs }),
  }
}

const IDENTITY = ['type', 'ids', 'show_ids', 'season', 'episode'] as const satisfies readonly (keyof Item)[]

function identityOf(item: Item): string {
  return JSON.stringify(IDENTITY.map((name) => item[name] ?? null))
}
