// Writes items in batches, with one outcome per item.
import { defined, isPlayheadError, type PlayheadError, type UpstreamAnswer } from '@playhead/sdk'
import type { Item } from '@playhead/sdk/items'
import {
  type Feature,
  type ItemOutcome,
  NOT_SENT,
  type NotSent,
  type WriteItem,
  writeResult,
  type WriteResult,
} from '@playhead/sdk/provider'
import type { TrackerSession } from '../session.ts'
import type { Extra, Name, Target } from './targets.ts'

export interface Batch {
  /** A feature, or one own list. */
  readonly feature: Feature | `list/${string}`
  readonly path: string
  readonly op: 'adds' | 'removes'
  /** Safe to repeat; otherwise it is never sent again, regardless of the first result. */
  readonly idempotent: boolean
  readonly chunk: number
  /** Fields beside the ids, or why the item is not sent. */
  readonly extraOf: (item: WriteItem) => { readonly extra: Extra } | NotSent
}

/** Free rows of the account or list, for additions. */
export interface Room {
  /** Undefined when uncertain. */
  free(): Promise<number | undefined>
  /** After the service refused a request because the account is full. Undefined if it may have stored a part of it. */
  freeAfterRefusal(error: PlayheadError, sent: number): Promise<number | undefined>
}

type Outcomes = ReadonlyMap<Target, ItemOutcome>

/** How a service accepts batches, and the meanings of its responses. */
export interface BatchDialect {
  /** Identifications of an item, most reliable first. Removals only use the first. */
  readonly namesOf: (item: Item) => readonly Name[]
  readonly bodyOf: (targets: readonly Target[]) => object
  /** Statuses of a refused request, of which no part was applied. */
  readonly refusals: readonly number[]
  /** The outcome of all items of such a request; undefined if one of them is invalid and the service does not name it. */
  readonly refused?: (targets: readonly Target[], status: number) => ItemOutcome | undefined
  /** The outcome of each item. */
  readonly judge: (targets: readonly Target[], answer: UpstreamAnswer) => Promise<Outcomes>
  /** The outcome of all items of a failed request; undefined for errors unrelated to the request. */
  readonly outcomeOf: (error: unknown) => ItemOutcome | undefined
  /** For a service whose plans limit the rows. */
  readonly room?: Room
  /** Maximum number of further requests to determine which items a doubtful response refers to. Default: 0. */
  readonly maxRepeats?: number
}

/** The response only has counts, which do not add up. Reading the account again will show which items. */
export const DOUBT: ItemOutcome = { outcome: 'unknown', reason: 'count_mismatch' }
export const NOT_FOUND: ItemOutcome = { outcome: 'not_found', reason: 'not_found' }
const FULL: ItemOutcome = { outcome: 'rejected', reason: 'provider_limit' }
const REFUSED: ItemOutcome = { outcome: 'rejected', reason: 'refused_by_service' }
const MISSING_IDS: ItemOutcome = { outcome: 'unsupported', reason: 'missing_ids' }
const UNEXPECTED: ItemOutcome = { outcome: 'unknown', reason: 'internal' }

export async function writeBatch(
  session: TrackerSession,
  batch: Batch,
  dialect: BatchDialect,
  items: readonly WriteItem[],
  signal: AbortSignal,
): Promise<WriteResult> {
  const outcomes = new Map<string, ItemOutcome>()
  /** Why sending stopped, and for how long. */
  let stopped: { readonly outcome: ItemOutcome; readonly retryAfterMs?: number } | undefined
  let repeatsLeft = dialect.maxRepeats ?? 0
  const ways: Target[][] = []
  for (const item of items) {
    const { key } = item
    const names = dialect.namesOf(item.item).slice(0, batch.op === 'adds' ? undefined : 1)
    const checked = batch.extraOf(item)
    if ('refused' in checked) outcomes.set(key, checked.refused)
    else if (names.length === 0) outcomes.set(key, MISSING_IDS)
    else ways.push(names.map((name) => ({ ...name, key, extra: checked.extra })))
  }

  try {
    // Items that the service does not know by their first name are sent with the next; no change was made for them.
    for (let way = 0; ; way += 1) {
      const targets = ways
        .flatMap((names) => names[way] ?? [])
        .filter(({ key }) => way === 0 || outcomes.get(key)?.outcome === 'not_found')
      if (targets.length === 0) break
      await sendAll(targets, batch.chunk)
    }
  } finally {
    session.activities.drop()
  }
  return writeResult(items, outcomes, stopped?.retryAfterMs)

  function settle(targets: readonly Target[], outcome: ItemOutcome): void {
    for (const { key } of targets) outcomes.set(key, outcome)
  }

  async function sendAll(targets: readonly Target[], chunk: number): Promise<void> {
    for (let from = 0; from < targets.length; from += chunk) await sendChunk(targets.slice(from, from + chunk))
  }

  /** Sends at most as many items as fit. */
  async function sendChunk(targets: readonly Target[]): Promise<void> {
    // Unsent items are certain, regardless of the previous request.
    if (stopped !== undefined)
      return settle(targets, stopped.outcome.outcome === 'unknown' ? NOT_SENT : stopped.outcome)
    const free = batch.op === 'adds' ? await dialect.room?.free() : undefined
    settle(targets.slice(free ?? targets.length), FULL)
    const fitting = targets.slice(0, free)
    if (fitting.length > 0) await send(fitting)
  }

  async function send(targets: readonly Target[]): Promise<void> {
    try {
      const answer = await session.writes.request({
        method: 'POST',
        path: batch.path,
        json: dialect.bodyOf(targets),
        accept: dialect.refusals,
        idempotent: batch.idempotent,
        signal,
      })
      if (dialect.refusals.includes(answer.status)) {
        await answer.text()
        return await afterRefusal(targets, answer.status)
      }
      const found = await dialect.judge(targets, answer)
      for (const [{ key }, outcome] of found) outcomes.set(key, outcome)
      await splitDoubtful(targets.filter((target) => found.get(target) === DOUBT))
    } catch (error) {
      const isFull = isPlayheadError(error) && error.details?.['reason'] === 'provider_limit'
      if (isFull && dialect.room !== undefined) await afterFull(targets, dialect.room, error)
      else fail(targets, error)
    }
  }

  /** Adding is idempotent here, so smaller requests find the unknown items. */
  async function splitDoubtful(targets: readonly Target[]): Promise<void> {
    const mayRepeat = batch.idempotent && batch.op === 'adds' && targets.length > 1
    if (!mayRepeat || repeatsLeft < 2) return
    repeatsLeft -= 2
    await sendAll(targets, Math.ceil(targets.length / 2))
  }

  async function afterRefusal(targets: readonly Target[], status: number): Promise<void> {
    const outcome = dialect.refused?.(targets, status) ?? (targets.length === 1 ? REFUSED : undefined)
    if (outcome !== undefined) settle(targets, outcome)
    else await sendAll(targets, Math.ceil(targets.length / 2))
  }

  async function afterFull(targets: readonly Target[], room: Room, error: PlayheadError): Promise<void> {
    const free = await room.freeAfterRefusal(error, targets.length)
    if (free === undefined) return settle(targets, { outcome: 'unknown', reason: 'provider_limit' })
    // Must shrink, or it would loop forever.
    const fitting = free < targets.length ? targets.slice(0, free) : []
    settle(targets.slice(fitting.length), FULL)
    if (fitting.length > 0) await send(fitting)
  }

  function fail(targets: readonly Target[], error: unknown): void {
    const outcome = dialect.outcomeOf(error)
    // Earlier batches may have been written and must be reported.
    if (outcome === undefined)
      session.account.log.error({ account: session.account.name, err: error }, 'a write failed unexpectedly')
    const retryAfterMs = isPlayheadError(error) ? error.retryAfterMs : undefined
    stopped = { outcome: outcome ?? UNEXPECTED, ...defined({ retryAfterMs }) }
    settle(targets, stopped.outcome)
  }
}
