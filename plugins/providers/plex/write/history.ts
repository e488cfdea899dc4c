// Writes plays. Marking as played would use the current time, so plays are reported with their time, like by an offline player. If
// the server does not store that time, the write is undone and sending stops.
import { defined } from '@playhead/sdk'
import { formatTime, parseTime, REPORTED_PLAY_MS, sameTime } from '@playhead/sdk/items'
import { playTime, writeInTurn, type WriteItem, type WriteRequest, type WriteResult } from '@playhead/sdk/provider'
import { SAME_PLAY_S } from '../read/play-log.ts'
import { removePlays, removeWatched } from './remove-history.ts'
import type { Server, Session } from '../session.ts'
import {
  asPerson,
  byKey,
  findAll,
  inOrder,
  type ItemOutcome,
  nowSeconds,
  report,
  statesOf,
  type Target,
  unmark,
} from '../library/targets.ts'
import type { Metadata } from '../wire.ts'

/** Maximum age of a play that counts as current; leaves time for the request. */
const RECENT_S = SAME_PLAY_S / 2
const PROOF = 'keeps-dates'
const PROOF_FOR_MS = 7 * 24 * 60 * 60_000

type States = ReadonlyMap<string, Metadata>

interface Planned {
  readonly write: WriteItem
  readonly at: number
  readonly copies: readonly { readonly key: string; readonly durationMs: number }[]
}

export function writeHistory(session: Session, request: WriteRequest, signal: AbortSignal): Promise<WriteResult> {
  return asPerson(
    session,
    request,
    async () => {
      const server = await session.server(signal)
      if (request.op === 'remove') {
        return request.plays === true
          ? removePlays(session, server, request, signal)
          : removeWatched(session, server, request, signal)
      }
      return addPlays(session, server, request, signal)
    },
    signal,
  )
}

async function addPlays(
  session: Session,
  server: Server,
  request: WriteRequest,
  signal: AbortSignal,
): Promise<WriteResult> {
  const { account } = session
  const { found, refused } = await findAll(server, request.items, signal)
  const before = await statesOf(
    server,
    found.flatMap(({ copies }) => copies.map(({ rating_key: key }) => key)),
    signal,
  )
  const outcomes = new Map(refused)
  const planned: Planned[] = []
  for (const target of found) {
    const plan = planOf(target, before, request.plays === true)
    if ('outcome' in plan) outcomes.set(target.write.key, plan)
    else planned.push(plan)
  }

  const proof = `${PROOF}/${server.binding.machineId}/${server.binding.version}`
  let keepsDates = await account.store.get<boolean>(proof)
  let retryAfterMs: number | undefined
  if (keepsDates === undefined && planned.length > 0) {
    // A single undoable play tests how the server handles all others.
    const first = planned.find(
      ({ at, copies }) => nowSeconds() - at > 2 * SAME_PLAY_S && copies.every(({ key }) => !before.get(key)?.viewCount),
    )
    if (first !== undefined) {
      planned.splice(planned.indexOf(first), 1)
      const tried = await send([first])
      for (const [key, outcome] of tried) outcomes.set(key, outcome)
      const { outcome, reason } = tried.get(first.write.key) as ItemOutcome
      if (outcome === 'applied') keepsDates = true
      if (reason === 'date_not_kept' || reason === 'write_not_visible') keepsDates = false
      if (keepsDates !== undefined) await account.store.set(proof, keepsDates, PROOF_FOR_MS)
    }
  }
  // A server that stores its own time still stores the correct time for a current play.
  const isCertain = ({ at }: Planned) => nowSeconds() - at <= RECENT_S && retryAfterMs === undefined
  const certain = new Set(keepsDates === true ? planned : planned.filter(isCertain))
  if (certain.size > 0) for (const [key, outcome] of await send([...certain])) outcomes.set(key, outcome)
  if (keepsDates !== true) {
    // After a rate limit, sending stops.
    const undecided: ItemOutcome =
      retryAfterMs === undefined
        ? { outcome: 'failed', reason: 'date_unproven' }
        : { outcome: 'rate_limited', reason: 'deferred' }
    const refusal: ItemOutcome = keepsDates === false ? { outcome: 'unsupported', reason: 'date_not_kept' } : undecided
    for (const plan of planned) if (!certain.has(plan)) outcomes.set(plan.write.key, refusal)
  }
  return inOrder(request, outcomes, { outcomes: [], ...defined({ retryAfterMs }) })

  async function send(plans: readonly Planned[]): Promise<ReadonlyMap<string, ItemOutcome>> {
    const byWrite = new Map(plans.map((plan) => [plan.write.key, plan]))
    const result = await writeInTurn(
      plans.map(({ write }) => write),
      async ({ key }) => {
        const { at, copies } = byWrite.get(key) as Planned
        // Never retried: every report adds a play.
        for (const copy of copies)
          await report(
            server,
            { key: copy.key, positionMs: copy.durationMs, durationMs: copy.durationMs, at },
            false,
            signal,
          )
        return { outcome: 'applied', native: { item_id: (copies[0] as { key: string }).key } }
      },
      { log: account.log, atOnce: account.profile.history_workers },
    )
    retryAfterMs = Math.max(retryAfterMs ?? 0, result.retryAfterMs ?? 0) || undefined
    const sent = byKey(result)
    const touched = plans.filter(({ write: { key } }) => ['applied', 'unknown'].includes(sent.get(key)?.outcome ?? ''))
    for (const [key, outcome] of await verify(touched)) sent.set(key, outcome)
    return sent
  }

  async function verify(plans: readonly Planned[]): Promise<ReadonlyMap<string, ItemOutcome>> {
    const keys = plans.flatMap(({ copies }) => copies.map(({ key }) => key))
    const expected = new Map<string, { plays: number; last: number }>()
    for (const { at, copies } of plans) {
      for (const { key } of copies) {
        const known = expected.get(key) ?? { plays: 0, last: before.get(key)?.lastViewedAt ?? 0 }
        expected.set(key, { plays: known.plays + 1, last: Math.max(known.last, at) })
      }
    }
    let after: States
    try {
      after = await statesOf(server, keys, signal)
    } catch (error) {
      account.log.warn({ err: error }, 'the plays written to Plex could not be verified')
      return new Map(plans.map(({ write }) => [write.key, { outcome: 'unknown', reason: 'not_verified' }]))
    }
    const outcomes_ = new Map<string, ItemOutcome>()
    for (const { write, copies } of plans) {
      const verdicts = copies.map(({ key }) =>
        verdictOf(before.get(key), after.get(key), expected.get(key) as { plays: number; last: number }),
      )
      const worst = VERDICTS.find((verdict) => verdicts.includes(verdict)) ?? 'partly'
      if (worst === 'date_not_kept') await takeBack(copies, after)
      outcomes_.set(write.key, OUTCOMES[worst](copies[0]?.key ?? ''))
    }
    return outcomes_
  }

  // Only items that were never watched before can be undone safely.
  async function takeBack(copies: Planned['copies'], after: States): Promise<void> {
    for (const { key, durationMs } of copies) {
      const was = before.get(key)
      if (was?.viewCount || !after.get(key)?.viewCount) continue
      account.log.warn(
        { ratingKey: key, at: formatTime({ atMs: Date.now(), precision: 'second' }) },
        'the server does not store the time of a play; the play was removed again',
      )
      await unmark(server, key, was, durationMs, signal)
    }
  }
}

type Verdict = 'date_not_kept' | 'write_not_visible' | 'partly' | 'so'
const VERDICTS: readonly Verdict[] = ['date_not_kept', 'write_not_visible', 'partly', 'so']
const OUTCOMES: Readonly<Record<Verdict, (ratingKey: string) => ItemOutcome>> = {
  date_not_kept: () => ({ outcome: 'rejected', reason: 'date_not_kept' }),
  write_not_visible: () => ({ outcome: 'rejected', reason: 'write_not_visible' }),
  partly: () => ({ outcome: 'unknown', reason: 'not_verified' }),
  so: (ratingKey) => ({ outcome: 'applied', native: { item_id: ratingKey } }),
}

function verdictOf(
  before: Metadata | undefined,
  after: Metadata | undefined,
  expected: { readonly plays: number; readonly last: number },
): Verdict {
  const more = (after?.viewCount ?? 0) - (before?.viewCount ?? 0)
  if (more <= 0) return 'write_not_visible'
  if (Math.abs((after?.lastViewedAt ?? 0) - expected.last) > SAME_PLAY_S) return 'date_not_kept'
  return more >= expected.plays ? 'so' : 'partly'
}

function planOf({ write, copies }: Target, before: States, plays: boolean): Planned | ItemOutcome {
  const { item } = write
  const played = parseTime(item.watched_at)
  const time = playTime(item, Date.now())
  if (played === undefined || 'refused' in time)
    return 'refused' in time ? time.refused : { outcome: 'rejected', reason: 'missing_watched_at' }
  const at = Math.floor(time.atMs / 1_000)
  if (at > nowSeconds() + SAME_PLAY_S) return { outcome: 'rejected', reason: 'time_in_future' }
  // Plex stores seconds since 1970 and must not mistake an earlier play for a current one.
  if (at <= 0) return { outcome: 'rejected', reason: 'date_not_kept' }
  const there = (key: string) => {
    const { viewCount = 0, lastViewedAt = 0 } = before.get(key) ?? {}
    const last = { atMs: lastViewedAt * 1_000, precision: 'second' } as const
    return viewCount > 0 && (!plays || sameTime(last, played, REPORTED_PLAY_MS))
  }
  if (copies.some(({ rating_key: key }) => there(key)))
    return { outcome: 'already', native: { item_id: (copies[0] as { rating_key: string }).rating_key } }
  const timed = copies.map((copy) => ({ key: copy.rating_key, durationMs: copy.duration_ms ?? item.duration_ms }))
  if (timed.some(({ durationMs }) => durationMs === undefined))
    return { outcome: 'rejected', reason: 'missing_duration' }
  return { write, at, copies: timed as Planned['copies'] }
}
