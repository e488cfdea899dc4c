// Writes items in batches, with one outcome per item.
import { defined, isPlayheadError } from '@playhead/sdk'
import { NOT_SENT, type WriteItem, writeResult, type WriteResult } from '@playhead/sdk/provider'
import { afterRefusal, resized, freeRows } from './capacity.ts'
import { notFoundAmong } from './not-found.ts'
import { type Counting, type Verdict, verdictOfError, verdictsOf } from './outcomes.ts'
import type { Session, Sized } from '../session.ts'
import { bodyOf, type Extra, namesOf, type Target } from './targets.ts'
import { WriteAnswer } from '../wire.ts'

export interface Batch {
  readonly feature: Sized
  readonly path: string
  readonly counting: Counting
  /** Safe to repeat; otherwise it is never sent again, regardless of the first result. */
  readonly idempotent: boolean
  readonly chunk: number
  /** Fields beside the ids, or why the item is not sent. */
  readonly extraOf: (item: WriteItem) => { readonly extra: Extra } | { readonly refused: Verdict }
}

const FULL: Verdict = { outcome: 'rejected', reason: 'provider_limit' }
const UNEXPECTED: Verdict = { outcome: 'unknown', reason: 'internal' }
/** Validation errors: no part of the request was applied. */
const REFUSED_WHOLE = [400, 409, 422]

interface Progress {
  readonly outcomes: Map<string, Verdict>
  /** Why sending stopped, and for how long. */
  stopped?: { readonly verdict: Verdict; readonly retryAfterMs?: number }
}

export async function writeBatch(
  session: Session,
  batch: Batch,
  items: readonly WriteItem[],
  signal: AbortSignal,
): Promise<WriteResult> {
  const progress: Progress = { outcomes: new Map() }
  const ways: Target[][] = []
  for (const item of items) {
    const names = namesOf(item.item, session.account.profile.history_number_fallback)
    const checked = batch.extraOf(item)
    if ('refused' in checked) progress.outcomes.set(item.key, checked.refused)
    else if (names.length === 0) progress.outcomes.set(item.key, { outcome: 'unsupported', reason: 'missing_ids' })
    else {
      // Removals only use the most reliable id.
      const used = batch.counting === 'adds' ? names : names.slice(0, 1)
      ways.push(used.map((name) => ({ ...name, key: item.key, extra: checked.extra })))
    }
  }

  try {
    // Items that Trakt does not know by their first id are retried with the next; no change was made for them.
    for (let way = 0; ; way += 1) {
      const targets = ways.flatMap((names) => {
        const target = names[way]
        const isOpen = target !== undefined && (way === 0 || progress.outcomes.get(target.key)?.outcome === 'not_found')
        return isOpen ? [target] : []
      })
      if (targets.length === 0) break
      for (let from = 0; from < targets.length; from += batch.chunk)
        await sendWithin(targets.slice(from, from + batch.chunk))
    }
  } finally {
    session.activities.drop()
    // Watched items leave the watchlist.
    if (batch.feature === 'history') session.sizes.delete('watchlist')
  }
  return writeResult(items, progress.outcomes, progress.stopped?.retryAfterMs)

  function settle(targets: readonly Target[], verdict: Verdict): void {
    for (const { key } of targets) progress.outcomes.set(key, verdict)
  }

  /** Sends at most as many items as fit. */
  async function sendWithin(targets: readonly Target[]): Promise<void> {
    if (progress.stopped !== undefined) {
      const { verdict } = progress.stopped
      // Unsent items are certain, regardless of the previous request.
      return settle(targets, verdict.outcome === 'unknown' ? NOT_SENT : verdict)
    }
    const free = batch.counting === 'adds' ? await freeRows(session, batch.feature).catch(() => undefined) : undefined
    const fitting = free === undefined ? targets : targets.slice(0, free)
    settle(targets.slice(fitting.length), FULL)
    if (fitting.length > 0) await send(fitting)
  }

  async function send(targets: readonly Target[]): Promise<void> {
    try {
      const answer = await session.upstream.request({
        method: 'POST',
        path: batch.path,
        json: bodyOf(targets),
        accept: REFUSED_WHOLE,
        idempotent: batch.idempotent,
        signal,
      })
      if (!REFUSED_WHOLE.includes(answer.status)) return judge(targets, await answer.json(WriteAnswer))
      await answer.text()
      await afterRefused(targets, answer.status)
    } catch (error) {
      if (isPlayheadError(error) && error.details?.['reason'] === 'provider_limit') await afterFull(targets, error)
      else fail(targets, error)
    }
  }

  function judge(targets: readonly Target[], answer: WriteAnswer): void {
    const missing = notFoundAmong(targets, answer)
    settle([...missing], { outcome: 'not_found', reason: 'not_found' })
    const found = targets.filter((target) => !missing.has(target))
    const verdicts = verdictsOf(found, answer, batch.counting)
    for (const target of found) progress.outcomes.set(target.key, verdicts.get(target.kind) as Verdict)
    const isCertain = found.every(({ kind }) => verdicts.get(kind)?.outcome !== 'unknown')
    const sum = (counts: Readonly<Record<string, number>> = {}) =>
      Object.values(counts).reduce((all, count) => all + count, 0)
    resized(session, batch.feature, isCertain ? sum(answer.added) - sum(answer.deleted) : undefined)
  }

  /** One item is invalid, and the service does not say which. */
  async function afterRefused(targets: readonly Target[], status: number): Promise<void> {
    // A conflict may be partial, and repeated plays would be stored twice.
    if (status === 409 && targets.length > 1 && !batch.idempotent)
      settle(targets, { outcome: 'unknown', reason: 'conflict' })
    else if (targets.length > 1) {
      const half = Math.ceil(targets.length / 2)
      await sendWithin(targets.slice(0, half))
      await sendWithin(targets.slice(half))
    } else
      settle(targets, status === 409 ? { outcome: 'already' } : { outcome: 'rejected', reason: 'refused_by_service' })
  }

  async function afterFull(targets: readonly Target[], error: unknown): Promise<void> {
    const { free, nothingStored } = await afterRefusal(session, batch.feature, error, targets.length, signal).catch(
      () => ({ free: 0, nothingStored: false }),
    )
    if (!nothingStored) return settle(targets, { outcome: 'unknown', reason: 'provider_limit' })
    const fitting = targets.slice(0, free)
    settle(targets.slice(fitting.length), FULL)
    // Must shrink, or it would loop forever.
    if (fitting.length === targets.length) settle(fitting, FULL)
    else if (fitting.length > 0) await send(fitting)
  }

  function fail(targets: readonly Target[], error: unknown): void {
    // Earlier batches may have been written and must be reported.
    const verdict = verdictOfError(error) ?? UNEXPECTED
    if (verdict === UNEXPECTED)
      session.account.log.error({ account: session.account.name, err: error }, 'a write failed unexpectedly')
    resized(session, batch.feature, verdict.outcome === 'unknown' ? undefined : 0)
    settle(targets, verdict)
    const retryAfterMs = isPlayheadError(error) ? error.retryAfterMs : undefined
    progress.stopped = { verdict, ...defined({ retryAfterMs }) }
  }
}
