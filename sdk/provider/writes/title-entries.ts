// Writes to services that have one entry for each title, with a status, a count of episodes and a rating. Watchlist, history and
// ratings are parts of it: a change of one leaves the others, except that a watched title is not planned any more.
import { defined } from '../../defined.ts'
import { kindOf, workOf } from '../../items/kind.ts'
import { isRating } from '../../items/rating.ts'
import { parseTime } from '../../items/time.ts'
import type { Logger } from '../../logger.ts'
import { countAfter } from '../counted-episodes.ts'
import { outcomeOfError } from '../failures.ts'
import type { WriteItem, WriteRequest, WriteResult } from './contract.ts'
import { CHANGED_SINCE_READ, type ItemOutcome, writeInTurn } from './write-in-turn.ts'
import { isInFuture, type NotSent } from './write-parts.ts'

/** A person's entry of a title as it is now. */
export interface TitleEntry {
  /** As `native.item_id` of its rows on the watchlist. */
  readonly id: string
  /** `other`: paused or dropped. Such a status is kept until the title is completed. */
  readonly status: 'planned' | 'watching' | 'completed' | 'other'
  /** Watched episodes; of a film 0 or 1. All of them if it was completed before. */
  readonly count: number
  /** Completed before, and perhaps being watched again: it cannot be unmarked. */
  readonly watchedAgain: boolean
  /** 1 to 10, as rows have it. */
  readonly rating?: number | undefined
  /** Notes, dates or anything else that a person entered: then the entry is never deleted. */
  readonly holdsMore: boolean
}

export interface TitleWrite extends Pick<WriteRequest, 'feature' | 'op'> {
  readonly kind: 'movie' | 'show'
  /** Episodes of the title. Undefined: unknown. */
  readonly total?: number | undefined
  /** All of this title; of a show, episodes of season 1. */
  readonly items: readonly WriteItem[]
  /** Absent: the person has no entry of the title. */
  readonly entry?: TitleEntry | undefined
  /** Epoch milliseconds. */
  readonly nowMs: number
}

/** Fields to set; absent ones are not to be sent. */
export interface TitleChange {
  readonly status?: 'planned' | 'watching' | 'completed'
  readonly count?: number
  /** Null: none. */
  readonly rating?: number | null
  /** `watched_at` of the first play. Present if the change begins the title and the time is known. */
  readonly startedAt?: string
  /** `watched_at` of the last play. Present if the change completes the title and the time is known. */
  readonly finishedAt?: string
}

export interface TitleDecision {
  /** Absent: nothing is to be sent. `remove`: delete the entry. */
  readonly change?: TitleChange | 'remove'
  /** By the key of the item. `applied` counts once the service confirmed the change. */
  readonly outcomes: ReadonlyMap<string, ItemOutcome>
}

/**
 * Decides the one change of an entry for a write.
 *
 * - A watchlist entry is added only without an entry (`already_on_list`), and deleted only if it has nothing else (`entry_in_use`).
 * - A rating needs an entry, because a new one needs a status that the person did not choose (`not_on_list`). It is compared with
 *   the row that was read; declare `compares: ['add', 'update', 'remove']`.
 * - History counts as `countAfter` does. A planned title is being watched from the first episode, and completed with the last one.
 *
 * @example
 * const { change, outcomes } = decideTitle({ feature, op, kind, total: 12, items, entry, nowMs: Date.now() })
 */
export function decideTitle(write: TitleWrite): TitleDecision {
  switch (write.feature) {
    case 'watchlist':
      return decideOne(write, watchlistChange)
    case 'ratings':
      return decideOne(write, ratingChange)
    default:
      return write.kind === 'movie' ? decideOne(write, filmChange) : decideEpisodes(write)
  }
}

type Decided = TitleChange | 'remove' | ItemOutcome
const isOutcome = (decided: Decided): decided is ItemOutcome => typeof decided === 'object' && 'outcome' in decided
const ALREADY: ItemOutcome = { outcome: 'already' }
const NOT_CONFIRMED: ItemOutcome = { outcome: 'unknown', reason: 'not_confirmed' }
const rejected = (reason: string): ItemOutcome => ({ outcome: 'rejected', reason })

/** Two items of one film or show would set the same value twice. */
function decideOne(write: TitleWrite, decide: (write: TitleWrite, item: WriteItem) => Decided): TitleDecision {
  const [first, ...others] = write.items
  if (first === undefined) return { outcomes: new Map() }
  const decided = decide(write, first)
  const outcomes = new Map(others.map(({ key }) => [key, rejected('duplicate_target')]))
  outcomes.set(first.key, isOutcome(decided) ? decided : { outcome: 'applied' })
  return isOutcome(decided) ? { outcomes } : { change: decided, outcomes }
}

function watchlistChange({ op, entry }: TitleWrite, { item: { native } }: WriteItem): Decided {
  if (op !== 'remove') {
    if (entry === undefined) return { status: 'planned' }
    return entry.status === 'planned' ? ALREADY : rejected('already_on_list')
  }
  if (entry?.status !== 'planned') return ALREADY
  // Removed and added again since the read.
  if (native?.item_id !== undefined && native.item_id !== entry.id) return CHANGED_SINCE_READ
  const isInUse = entry.holdsMore || entry.count > 0 || entry.watchedAgain || entry.rating !== undefined
  return isInUse ? rejected('entry_in_use') : 'remove'
}

function ratingChange({ op, entry }: TitleWrite, { item, current }: WriteItem): Decided {
  if (op === 'remove') {
    if (entry?.rating === undefined) return ALREADY
    return item.rating !== undefined && item.rating !== entry.rating ? CHANGED_SINCE_READ : { rating: null }
  }
  if (!isRating(item.rating)) return rejected('missing_rating')
  if (entry === undefined) return rejected('not_on_list')
  if (entry.rating === item.rating) return ALREADY
  return entry.rating === current?.rating ? { rating: item.rating } : CHANGED_SINCE_READ
}

function filmChange({ op, entry, nowMs }: TitleWrite, { item }: WriteItem): Decided {
  const isWatched = entry !== undefined && (entry.status === 'completed' || entry.count > 0)
  if (op === 'remove') {
    if (!isWatched) return ALREADY
    if (entry.watchedAgain) return rejected('counts_as_watched')
    return { ...(entry.status === 'completed' ? { status: 'watching' } : {}), count: 0 }
  }
  if (isWatched) return ALREADY
  if (isAhead(item, nowMs)) return rejected('watched_in_future')
  const at = timeOf(item)
  return defined({ status: 'completed' as const, count: 1, startedAt: at, finishedAt: at })
}

function decideEpisodes({ op, entry, total, items, nowMs }: TitleWrite): TitleDecision {
  const before = entry?.count ?? 0
  const outcomes = new Map<string, ItemOutcome>()
  const wanted = new Map<number, WriteItem>()
  for (const one of items) {
    const { season, episode = 0 } = one.item
    if (season !== 1 || episode < 1) outcomes.set(one.key, rejected('episode_missing'))
    else if (wanted.has(episode)) outcomes.set(one.key, rejected('duplicate_target'))
    else if (op !== 'remove' && isAhead(one.item, nowMs)) outcomes.set(one.key, rejected('watched_in_future'))
    else if (op === 'remove' && entry?.watchedAgain === true && episode <= before)
      outcomes.set(one.key, rejected('counts_as_watched'))
    else wanted.set(episode, one)
  }
  const asked = { op: op === 'remove' ? ('remove' as const) : ('add' as const), count: before, total }
  const { count, outcomes: counted } = countAfter({ ...asked, episodes: [...wanted.keys()] })
  for (const [episode, { key }] of wanted) outcomes.set(key, counted.get(episode) as ItemOutcome)
  if (count === before) return { outcomes }
  const status = statusAfter(entry?.status, asked.op, count === total)
  const change = defined({
    count,
    status,
    startedAt: op !== 'remove' && before === 0 ? timeOf(wanted.get(1)?.item) : undefined,
    finishedAt: status === 'completed' ? timeOf(wanted.get(count)?.item) : undefined,
  })
  return { change, outcomes }
}

/** Undefined: the status stays. */
function statusAfter(
  before: TitleEntry['status'] | undefined,
  op: 'add' | 'remove',
  isLast: boolean,
): 'watching' | 'completed' | undefined {
  if (op === 'remove') return before === 'completed' ? 'watching' : undefined
  if (isLast) return before === 'completed' ? undefined : 'completed'
  return before === undefined || before === 'planned' ? 'watching' : undefined
}

function isAhead({ watched_at: text }: WriteItem['item'], nowMs: number): boolean {
  const time = parseTime(text)
  return time !== undefined && isInFuture(time, nowMs)
}

function timeOf(item: WriteItem['item'] | undefined): string | undefined {
  return parseTime(item?.watched_at) === undefined ? undefined : item?.watched_at
}

/** A title of the service. */
export interface FoundTitle {
  readonly kind: 'movie' | 'show'
  /** As `TitleWrite.total`. */
  readonly total?: number | undefined
  /** As `TitleWrite.entry`. */
  readonly entry?: TitleEntry | undefined
}

/** A look-up without an answer changed nothing. */
function notSent(error: unknown): NotSent {
  const failure = outcomeOfError(error)
  if (failure?.outcome !== 'unknown') throw error
  return { refused: { outcome: 'failed', reason: failure.reason } }
}

export interface TitleService<Found extends FoundTitle> {
  /** The title of an item at the service, or why it has none. */
  readonly titleOf: (item: WriteItem) => string | NotSent
  /** The title as it is now. Without an entry only if its absence is proven. */
  readonly lookUp: (title: string) => Promise<Found | NotSent>
  /** Sends a change. False: the answer does not confirm it. */
  readonly send: (found: Found, change: TitleChange | 'remove') => Promise<boolean>
  readonly log: Logger
  /** Epoch milliseconds. Default: now. */
  readonly nowMs?: number
}

/**
 * Writes title by title, one after the other: looks it up, decides by `decideTitle`, and sends one change for all of its items. A
 * title of another kind is `rejected` (`kind_mismatch`). Errors become outcomes, as in `writeInTurn`.
 *
 * @example
 * write: { ratings: (session, request, signal) => writeTitles(request, serviceOf(session, request, signal)) }
 */
export function writeTitles<Found extends FoundTitle>(
  { feature, op, items }: Pick<WriteRequest, 'feature' | 'op' | 'items'>,
  { titleOf, lookUp, send, log, nowMs = Date.now() }: TitleService<Found>,
): Promise<WriteResult> {
  const titles = new Map(items.map((item) => [item.key, titleOf(item)]))
  const of = Map.groupBy(items, ({ key }) => titles.get(key))
  const written = new Map<string, Promise<(key: string) => ItemOutcome | undefined>>()

  async function write(title: string): Promise<(key: string) => ItemOutcome | undefined> {
    const found = await lookUp(title).catch(notSent)
    if ('refused' in found) return () => found.refused
    const some = of.get(title) ?? []
    if (some.some(({ item }) => kindOf(workOf(item)) !== found.kind)) return () => rejected('kind_mismatch')
    const { kind, total, entry } = found
    const { change, outcomes } = decideTitle({ feature, op, kind, total, entry, items: some, nowMs })
    const isConfirmed = change === undefined || (await send(found, change))
    return (key) => {
      const outcome = outcomes.get(key)
      return outcome?.outcome === 'applied' && !isConfirmed ? NOT_CONFIRMED : outcome
    }
  }

  return writeInTurn(
    items,
    async ({ key }) => {
      const title = titles.get(key)
      if (typeof title !== 'string') return title?.refused ?? rejected('not_found')
      const outcomeOf = await written.getOrInsertComputed(title, write)
      return outcomeOf(key) ?? { outcome: 'unknown', reason: 'no_outcome' }
    },
    { log, atOnce: 1 },
  )
}
