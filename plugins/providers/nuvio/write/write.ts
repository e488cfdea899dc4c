// Batch writes: decided by the current rows, with one outcome per item.
import { isPlayheadError } from '@playhead/sdk'
import {
  type ItemOutcome,
  NOT_SENT,
  outcomeOfError,
  type WriteItem,
  writeResult,
  type WriteResult,
} from '@playhead/sdk/provider'
import { currentRows } from './mirror.ts'
import { type Arguments, isMissing, tell } from '../rpc.ts'
import type { Session } from '../session.ts'
import type { Table } from '../tables.ts'
import type { Row } from '../wire.ts'

export type Rows = ReadonlyMap<string, Row>

/** An immediate outcome, or a payload with its row keys. */
export type Planned<Payload> =
  | { readonly settled: ItemOutcome }
  | { readonly send: readonly Payload[]; readonly keys: readonly string[] }

export interface Batch<Payload> {
  readonly table: Table
  readonly plan: (item: WriteItem, rows: Rows) => Planned<Payload>
  readonly send: (payloads: readonly Payload[], keys: readonly string[]) => Promise<void>
}

interface Pending<Payload> {
  readonly key: string
  readonly payloads: readonly Payload[]
  readonly names: readonly string[]
}

const TWICE: ItemOutcome = { outcome: 'failed', reason: 'duplicate_in_batch' }
const UNEXPECTED: ItemOutcome = { outcome: 'unknown', reason: 'internal' }

/** Throws only when reading the current rows fails: then nothing was sent. */
export function writeBatch<Payload>(
  session: Session,
  batch: Batch<Payload>,
  items: readonly WriteItem[],
  signal: AbortSignal,
): Promise<WriteResult> {
  return session.inTurn(async () => {
    const rows = await currentRows(session, batch.table, signal)
    const outcomes = new Map<string, ItemOutcome>()
    const pending: Pending<Payload>[] = []
    const taken = new Set<string>()
    for (const item of items) {
      const planned = batch.plan(item, rows)
      if ('settled' in planned) outcomes.set(item.key, planned.settled)
      // The service accepts a row once per request.
      else if (planned.keys.some((name) => taken.has(name))) outcomes.set(item.key, TWICE)
      else {
        for (const name of planned.keys) taken.add(name)
        pending.push({ key: item.key, payloads: planned.send, names: planned.keys })
      }
    }
    const retryAfterMs = await sendAll(session, batch, pending, outcomes)
    return writeResult(items, outcomes, retryAfterMs)
  })
}

/** Returns the requested delay. Requests are atomic, so a refused one is split in halves to find the bad row. */
async function sendAll<Payload>(
  session: Session,
  batch: Batch<Payload>,
  pending: readonly Pending<Payload>[],
  outcomes: Map<string, ItemOutcome>,
): Promise<number | undefined> {
  const waiting: (readonly Pending<Payload>[])[] = pending.length === 0 ? [] : [pending]
  for (let part = waiting.shift(); part !== undefined; part = waiting.shift()) {
    try {
      await batch.send(
        part.flatMap(({ payloads }) => payloads),
        part.flatMap(({ names }) => names),
      )
      for (const { key, names } of part) outcomes.set(key, { outcome: 'applied', ...nativeOf(names) })
    } catch (error) {
      if (isRefused(error) && part.length > 1) {
        const half = Math.ceil(part.length / 2)
        waiting.unshift(part.slice(0, half), part.slice(half))
        continue
      }
      const outcome = outcomeOfError(error) ?? UNEXPECTED
      if (outcome === UNEXPECTED)
        session.account.log.error({ account: session.account.name, err: error }, 'a write failed unexpectedly')
      for (const { key } of part) outcomes.set(key, outcome)
      if (isRefused(error)) continue
      const rest: ItemOutcome =
        outcome.outcome === 'rate_limited' ? { outcome: 'rate_limited', reason: 'deferred' } : NOT_SENT
      for (const { key } of waiting.flat()) outcomes.set(key, rest)
      return isPlayheadError(error) ? error.retryAfterMs : undefined
    }
  }
  return undefined
}

/** Calls a write function; older services do not accept the client id. */
export async function change(
  { upstream, absent, profileId, origin }: Session,
  name: string,
  args: Arguments,
  signal: AbortSignal,
): Promise<void> {
  const all = { p_profile_id: profileId, ...args }
  const unnamed = `${name} p_origin_client_id`
  if (!absent.has(unnamed)) {
    try {
      return await tell(upstream, name, { ...all, p_origin_client_id: await origin() }, signal)
    } catch (error) {
      if (!isMissing(error)) throw error
      absent.add(unnamed)
    }
  }
  return tell(upstream, name, all, signal)
}

export function nativeOf(names: readonly string[]): Pick<ItemOutcome, 'native'> {
  const [name] = names
  return name === undefined || name.length > 256 ? {} : { native: { item_id: name } }
}

/** A validation error: no change was made. */
function isRefused(error: unknown): boolean {
  const status = isPlayheadError(error, 'PLH_UPSTREAM') ? error.details?.['status'] : undefined
  return status === 400 || status === 409 || status === 422
}
