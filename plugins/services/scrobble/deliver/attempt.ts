// One delivery attempt: live while the event is recent; later, a play is added to the history with its own time.
import { type AccountName, type Actions, defined, isPlayheadError, type Remote } from '@playhead/sdk'
import { CLOCKS_MS, DELIVERED_PLAY_MS, type Item, parseTime, tokensOf } from '@playhead/sdk/items'
import { outcomeOfError, type Provider, type ScrobbleRequest, type ScrobbleResult } from '@playhead/sdk/provider'
import { type Delivery, sinkKey } from '../store/delivery.ts'
import type { Store } from '../store/store.ts'

export type Tracker = Remote<Required<Pick<Provider, 'describe' | 'scrobble' | 'plays'>>>

interface AttemptDependencies {
  /** Undefined while the provider is unavailable. */
  readonly provider: (id: string) => Tracker | undefined
  /** Undefined without the library. */
  readonly actions: () => Pick<Remote<Actions>, 'plan' | 'apply'> | undefined
  readonly delivered: Store['delivered']
  /** The account at the service that a tracker's profile is signed in to now; undefined if it cannot be determined. */
  readonly sinkAccount: (sink: AccountName) => Promise<string | undefined>
  readonly now: () => number
}

/**
 * - `done`: the tracker has it.
 * - `again`: retry after a temporary error; with `unknown` the message may have arrived.
 * - `failed`: the tracker rejects it.
 * - `planned`: the library writes it as soon as the account is free.
 */
export type Attempt =
  | { readonly end: 'done'; readonly already: boolean; readonly watchedAtMs: number | null }
  | {
      readonly end: 'again'
      readonly reason: string
      readonly retryAfterMs?: number
      readonly unknown: boolean
      /** The plan ended without success, so a new one is needed. */
      readonly replan?: true
    }
  | { readonly end: 'failed'; readonly reason: string }
  | { readonly end: 'planned'; readonly planId: string }

/** Older plays are not scrobbled live. */
const LIVE_MS = 10 * 60_000
/** Within this time of the report the tracker account is assumed unchanged. */
const FRESH_MS = 60_000
/** The tracker may date an earlier play as late as this before the viewing. */
const EARLIER_MS = 3_600_000
const WAIT_MS = 5_000
const EARLY: Attempt = { end: 'again', reason: 'plugin_unavailable', unknown: false }

export function createAttempt({ provider, actions, delivered, sinkAccount, now }: AttemptDependencies) {
  async function attempt(delivery: Delivery, signal: AbortSignal): Promise<Attempt> {
    try {
      const refused = await accountRefusal(delivery)
      if (refused !== undefined) return refused
      if (delivery.planId !== null) return await resumePlan(delivery, delivery.planId)
      if (delivery.action === 'rating') return await change(delivery, ratingChange(delivery))
      if (!delivery.completed) return await live(delivery, delivery.action, signal)
      const isRetried = delivery.attempts > 0 || delivery.state === 'sending'
      const isLive = now() - delivery.atMs <= LIVE_MS
      // The response was lost, or a sync may have written the play meanwhile.
      if (isRetried || !isLive) {
        const found = await findPlay(delivery, signal)
        if (found !== undefined) return { end: 'done', already: true, watchedAtMs: found }
      }
      if (isLive) {
        const sent = await live(delivery, 'stop', signal)
        if (!(await isOtherPlay(sent, delivery))) return sent
      }
      return await change(delivery, playChange(delivery))
    } catch (error) {
      return toAttempt(error)
    }
  }

  /** Pending deliveries of one person must never go to another person's account. */
  async function accountRefusal(delivery: Delivery): Promise<Attempt | undefined> {
    const { sink, sinkAccount: wanted, attempts, atMs } = delivery
    if (wanted === undefined || (attempts === 0 && now() - atMs < FRESH_MS)) return undefined
    const account = await sinkAccount(sink)
    if (account === undefined) return { end: 'again', reason: 'account_unknown', unknown: false }
    return account === wanted ? undefined : { end: 'failed', reason: 'account_changed' }
  }

  async function live(delivery: Delivery, action: ScrobbleRequest['action'], signal: AbortSignal): Promise<Attempt> {
    const sink = provider(delivery.sink.provider)
    if (sink === undefined) return EARLY
    const { percent, durationMs, completed, atMs } = delivery
    const result = await sink.scrobble(
      delivery.sink.instance,
      {
        action,
        item: toShared(delivery.item),
        percent,
        ...(durationMs === null
          ? {}
          : { durationMs, positionMs: Math.min(durationMs, Math.round((durationMs * percent) / 100)) }),
        completed,
        atMs,
      },
      signal,
    )
    return ofResult(result)
  }

  /** The time of the play; undefined if the delivery is not a play. */
  async function findPlay(delivery: Delivery, signal: AbortSignal): Promise<number | undefined> {
    const { sink, item, startedAtMs, atMs } = delivery
    const tracker = provider(sink.provider)
    if (tracker === undefined) throw EARLY_ERROR
    const { features } = await tracker.describe()
    if (features.history?.read !== true) return undefined
    const plays = await tracker.plays(
      sink.instance,
      // A live play has the time at which the tracker received it.
      { item: toShared(item), fromMs: startedAtMs - DELIVERED_PLAY_MS, toMs: atMs + LIVE_MS + CLOCKS_MS },
      signal,
    )
    const times = plays.flatMap(({ watched_at: at }) => parseTime(at)?.atMs ?? [])
    if (times.length === 0) return undefined
    const [own] = without(times, await otherPlays(delivery))
    return own
  }

  /** Trackers reject a scrobble for some time after the last one of the same item, even for a rewatch. */
  async function isOtherPlay(sent: Attempt, delivery: Delivery): Promise<boolean> {
    if (sent.end !== 'done' || !sent.already || sent.watchedAtMs === null) return false
    if (sent.watchedAtMs < delivery.startedAtMs - CLOCKS_MS) return true
    return without([sent.watchedAtMs], await otherPlays(delivery)).length === 0
  }

  /** Times at the tracker of the item's plays from other deliveries. */
  async function otherPlays({ id, sink, item, startedAtMs }: Delivery): Promise<readonly number[]> {
    const tokens = new Set(tokensOf(item))
    const others = await delivered(sinkKey(sink), startedAtMs - EARLIER_MS)
    return others
      .filter((other) => other.id !== id && tokensOf(other.item).some((token) => tokens.has(token)))
      .map(({ watchedAtMs, atMs, doneAtMs, reason }) => watchedAtMs ?? (reason === 'already' ? null : doneAtMs) ?? atMs)
  }

  /** Adds the play through a plan of the library, which is the only way to write. */
  async function change({ sink, item }: Delivery, wanted: Change): Promise<Attempt> {
    const tracker = provider(sink.provider)
    const plans = actions()
    if (tracker === undefined || plans === undefined) return EARLY
    const { features } = await tracker.describe()
    const support = features[wanted.feature]
    if (support?.[wanted.op] !== true) return { end: 'failed', reason: 'unsupported_feature' }
    const plays = wanted.feature === 'history' && support.plays?.write === true
    const { planId, leftOut } = await plans.plan({
      ...sink,
      feature: wanted.feature,
      ...(plays ? { plays } : {}),
      changes: [{ op: wanted.op, key: 'play', item: { ...toShared(item), ...wanted.values } }],
      cause: 'scrobble',
    })
    if (leftOut[0] !== undefined) return { end: 'failed', reason: leftOut[0].reason }
    return { end: 'planned', planId }
  }

  async function resumePlan(delivery: Delivery, planId: string): Promise<Attempt> {
    const plans = actions()
    if (plans === undefined) return EARLY
    const report = await plans.apply(planId, { approved: true, waitMs: WAIT_MS }).catch(undefinedIfExpired)
    if (report?.isWaiting === true) return { end: 'planned', planId }
    const [change] = report?.outcomes ?? []
    // The tracker's history shows whether the plan was applied.
    if (change === undefined) return { end: 'again', reason: 'plan_expired', unknown: true, replan: true }
    const { ok, status, outcome, reason = outcome, retryable } = change
    if (ok)
      return { end: 'done', already: status === 'already', watchedAtMs: delivery.completed ? delivery.atMs : null }
    const isAgain = status === 'failed' ? retryable : outcome === 'unknown'
    return isAgain ? { end: 'again', reason, unknown: outcome === 'unknown', replan: true } : { end: 'failed', reason }
  }

  return attempt
}

/** The times that no other delivery explains; each delivery explains its nearest time. */
function without(times: readonly number[], others: readonly number[]): readonly number[] {
  const left = times.toSorted((a, b) => a - b)
  for (const other of others) {
    const distances = left.map((atMs) => Math.abs(atMs - other))
    const nearest = distances.indexOf(Math.min(...distances))
    if (nearest !== -1 && distances[nearest]! <= CLOCKS_MS) left.splice(nearest, 1)
  }
  return left
}

interface Change {
  readonly feature: 'history' | 'ratings'
  readonly op: 'add' | 'remove'
  readonly values: Partial<Item>
}

function playChange({ atMs }: Delivery): Change {
  return { feature: 'history', op: 'add', values: { watched: true, watched_at: isoTime(atMs) } }
}

function ratingChange({ rating, atMs }: Delivery): Change {
  return rating === null
    ? { feature: 'ratings', op: 'remove', values: {} }
    : { feature: 'ratings', op: 'add', values: { rating, rated_at: isoTime(atMs) } }
}

function isoTime(ms: number): string {
  return new Date(ms).toISOString()
}

/** The item without fields that only its own server understands. */
export function toShared({ type, title, year, ids, show_ids, season, episode, series_title, series_year }: Item): Item {
  return defined({ type, ids, title, year, show_ids, season, episode, series_title, series_year })
}

function ofResult({ outcome, reason, play, retryAfterMs }: ScrobbleResult): Attempt {
  switch (outcome) {
    case 'applied':
    case 'already':
      return { end: 'done', already: outcome === 'already', watchedAtMs: play?.watchedAtMs ?? null }
    case 'rate_limited':
    case 'failed':
    case 'unknown':
      return { end: 'again', reason: reason ?? outcome, unknown: outcome === 'unknown', ...defined({ retryAfterMs }) }
    default:
      return { end: 'failed', reason: reason ?? outcome }
  }
}

/** Deletes old plans. */
function undefinedIfExpired(error: unknown): undefined {
  if (isPlayheadError(error, 'PLH_NOT_FOUND') && error.wire === 'plan_not_found') return undefined
  throw error
}

const EARLY_ERROR = new Error('The provider is not there.')

function toAttempt(error: unknown): Attempt {
  if (error === EARLY_ERROR) return EARLY
  const known = outcomeOfError(error)
  if (known === undefined) {
    // The plugin is being replaced or has a fault, so keep the delivery.
    if (isPlayheadError(error)) return { end: 'again', reason: error.wire, unknown: true }
    throw error
  }
  const retryAfterMs = isPlayheadError(error) ? error.retryAfterMs : undefined
  return ofResult({ ...known, ...defined({ retryAfterMs }) })
}
