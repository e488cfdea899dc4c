// Writes user state to every copy of a work, and verifies it.
import { defined } from '@playhead/sdk'
import type { Item } from '@playhead/sdk/items'
import { CHANGED_SINCE_READ, writeInTurn, type WriteRequest, type WriteResult } from '@playhead/sdk/provider'
import type { Server, Session } from '../session.ts'
import { type ItemOutcome, type Target, asPerson, byKey, findAll, inOrder, statesOf } from '../library/targets.ts'
import type { Metadata } from '../wire.ts'

export type States = ReadonlyMap<string, Metadata>

interface StateWrite {
  readonly send: (server: Server, target: Target) => Promise<ItemOutcome>
  /** Whether the copy has the expected state. */
  readonly isSo: (state: Metadata | undefined, ratingKey: string, target: Target) => boolean
  /** Whether the copy still has the value of the row that was read. */
  readonly isAsRead: (state: Metadata, row: Item) => boolean
  /** Reason code of an item without the expected state. */
  readonly unseen: string
  readonly atOnce?: number
  /** Second attempt for unconfirmed items; returns the states after it. */
  readonly finish?: (server: Server, after: States, keys: readonly string[]) => Promise<States>
}

export function writeStates(
  session: Session,
  request: WriteRequest,
  plan: StateWrite,
  signal: AbortSignal,
): Promise<WriteResult> {
  return asPerson(session, request, () => writeAll(session, request, plan, signal), signal)
}

async function writeAll(
  session: Session,
  request: WriteRequest,
  plan: StateWrite,
  signal: AbortSignal,
): Promise<WriteResult> {
  const { log } = session.account
  const server = await session.server(signal)
  const { found, refused } = await findAll(server, request.items, signal)
  const targets = new Map(found.map((target) => [target.write.key, target]))
  const changed = request.op === 'add' ? new Set() : await changedSince(server, found, plan.isAsRead, signal)
  const result = await writeInTurn(
    found.map(({ write }) => write),
    async ({ key }) => (changed.has(key) ? CHANGED_SINCE_READ : plan.send(server, targets.get(key) as Target)),
    { log, ...defined({ atOnce: plan.atOnce }) },
  )
  const outcomes = byKey(result)
  const written = found.filter(({ write: { key } }) =>
    ['applied', 'unknown'].includes(outcomes.get(key)?.outcome ?? ''),
  )
  const after = await statesAfter(written.flatMap(({ copies }) => copies.map(({ rating_key: key }) => key)))
  for (const target of written) outcomes.set(target.write.key, verdictOn(target, after))
  return inOrder(request, new Map([...refused, ...outcomes]), result)

  async function statesAfter(keys: readonly string[]): Promise<States | undefined> {
    try {
      const after = await statesOf(server, keys, signal)
      return (await plan.finish?.(server, after, keys)) ?? after
    } catch (error) {
      log.warn({ err: error }, 'the writes to Plex could not be verified')
      return undefined
    }
  }

  function verdictOn(target: Target, states: States | undefined): ItemOutcome {
    if (states === undefined) return { outcome: 'unknown', reason: 'not_verified' }
    const isSo = target.copies.every(({ rating_key: key }) => plan.isSo(states.get(key), key, target))
    if (!isSo) return { outcome: 'rejected', reason: plan.unseen }
    return { outcome: 'applied', native: { item_id: (target.copies[0] as { rating_key: string }).rating_key } }
  }
}

/** Keys of writes whose row a person has changed since it was read. */
async function changedSince(
  server: Server,
  found: readonly Target[],
  isAsRead: StateWrite['isAsRead'],
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  const rows = found.map(({ write: { key, item, current = item } }) => ({ key, row: current }))
  const states = await statesOf(
    server,
    rows.flatMap(({ row: { native } }) => native?.item_id ?? []),
    signal,
  )
  const isChanged = ({ row }: (typeof rows)[number]) => {
    const state = states.get(row.native?.item_id ?? '')
    return state !== undefined && !isAsRead(state, row)
  }
  return new Set(rows.filter(isChanged).map(({ key }) => key))
}
