// Writes outside a run: by the watchlist tool, the editor, the scrobbler. Under the same locks, and remembered so that
// no pair takes it for something else: a removal leaves tombstones, and is propagated by the pairs because they find
// the row gone.
import {
  type DirectWrite,
  isPlayheadError,
  type Item,
  PlayheadError,
  providerCapability,
  type WriteItem,
  type WriteOutcome,
  type WriteResult,
} from '@playhead/sdk'
import { baseRows, type BaseState } from '../store/base.ts'
import { hideRows } from '../store/inventory.ts'
import { tombstoneTokens } from '../store/tombstones.ts'
import { itemKey, rowKey } from './rows.ts'
import { type EngineParts, SIDES } from './types.ts'

const DEFAULT_BATCH = 100

/** Throws `PLH_CONFLICT` (`busy`) while a run holds the account, `PLH_NOT_FOUND` for an account that is not there. */
export async function writeDirectly(
  engine: EngineParts,
  request: DirectWrite,
  signal?: AbortSignal,
): Promise<WriteResult> {
  const { provider, instance, feature, op } = request
  const description = (await engine.accounts.providers()).find(({ id }) => id === provider)
  const account = (await engine.accounts.list()).find(
    (each) => each.provider === provider && each.instance === instance,
  )
  if (description === undefined || account === undefined)
    throw new PlayheadError('PLH_NOT_FOUND', `There is no account ${provider}@${instance}.`)
  const support = description.features[feature]
  if (support?.[op] !== true)
    throw new PlayheadError('PLH_UNSUPPORTED', `${description.label} cannot ${op} in ${feature}.`, {
      wire: 'unsupported_feature',
    })
  if (new Set(request.items.map(({ key }) => key)).size < request.items.length)
    throw new PlayheadError('PLH_INVALID', 'The keys of the items are not unique.')
  const release = engine.locks.tryAcquire(account.uid)
  try {
    const api = engine.use(providerCapability(provider))
    const outcomes: WriteOutcome[] = []
    let retryAfterMs: number | undefined
    const size = Math.max(1, support.maxBatch ?? DEFAULT_BATCH)
    for (let start = 0; start < request.items.length; start += size) {
      const items = request.items.slice(start, start + size)
      // What a removal leaves behind is written first: a crash in between suppresses an add at worst.
      const answer = await send(
        () => api.write(instance, { feature, op, ...(request.plays === true ? { plays: true } : {}), items }, signal),
        items,
        outcomes.length > 0,
      )
      const found = new Map(answer.outcomes.map((outcome) => [outcome.key, outcome]))
      const got = items.map(
        ({ key }): WriteOutcome => found.get(key) ?? { key, outcome: 'unknown', reason: 'no_outcome' },
      )
      outcomes.push(...got)
      retryAfterMs = answer.retryAfterMs ?? retryAfterMs
      await remember(
        engine,
        request,
        account.uid,
        items.filter((_, index) => got[index]!.outcome === 'applied' || got[index]!.outcome === 'already'),
      )
    }
    engine.log.info(
      { provider, instance, feature, op, count: request.items.length, cause: request.cause },
      'items were written outside a run',
    )
    return { outcomes, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) }
  } finally {
    release()
  }
}

/** Later batches fail for themselves: what was written before must be reported. */
async function send(
  write: () => Promise<WriteResult>,
  items: readonly WriteItem[],
  begun: boolean,
): Promise<WriteResult> {
  try {
    return await write()
  } catch (error) {
    if (!begun) throw error
    const reason = isPlayheadError(error) ? error.wire : 'internal_error'
    return { outcomes: items.map(({ key }) => ({ key, outcome: 'unknown', reason })) }
  }
}

async function remember(
  engine: EngineParts,
  request: DirectWrite,
  uid: string,
  items: readonly WriteItem[],
): Promise<void> {
  if (items.length === 0) return
  const { db } = engine
  const { feature, op } = request
  const plays = request.plays === true
  const nowMs = engine.now()
  const tokens = items.flatMap(({ item }) => tombstoneTokens(item, plays ? markOf(item) : ''))
  for (let start = 0; start < tokens.length; start += 200) {
    const chunk = tokens.slice(start, start + 200)
    if (op === 'remove') {
      const row = { removed_at: nowMs, proof_at: nowMs, evidence_at: null, pair_id: null, run_id: null }
      await db
        .insertInto('sync__tombstone')
        .values(chunk.map((token) => ({ uid, feature, token, ...row })))
        .onConflict((conflict) => conflict.columns(['uid', 'feature', 'token']).doUpdateSet(row))
        .execute()
    } else if (op === 'add')
      await db
        .deleteFrom('sync__tombstone')
        .where('uid', '=', uid)
        .where('feature', '=', feature)
        .where('token', 'in', chunk)
        .execute()
  }
  if (op === 'remove') {
    await hideRows(
      db,
      uid,
      feature,
      items.flatMap(({ item, current }) => [
        rowKey(item, plays),
        ...(current === undefined ? [] : [rowKey(current, plays)]),
      ]),
    )
    await forgetPending(
      engine,
      request,
      uid,
      items.map(({ item }) => item),
    )
  }
}

/** A pair that waits to see what it wrote waits no more: a person took it away. */
async function forgetPending(
  { db }: EngineParts,
  { feature, plays }: DirectWrite,
  uid: string,
  items: readonly Item[],
): Promise<void> {
  const states = await db
    .selectFrom('sync__state')
    .select(['pair_id', 'state'])
    .where('feature', '=', feature)
    .execute()
  const keys = [...new Set(items.flatMap((item) => [itemKey(item), rowKey(item, plays === true)]))]
  for (const { pair_id, state } of states) {
    const { uid: uids } = JSON.parse(state) as { uid: Readonly<Record<'a' | 'b', string>> }
    const slots = SIDES.filter((side) => uids[side] === uid).map((side) =>
      side === 'a' ? ('pa' as const) : ('pb' as const),
    )
    if (slots.length === 0) continue
    for (let start = 0; start < keys.length; start += 200) {
      const found = await db
        .selectFrom('sync__base')
        .select('id')
        .where('pair_id', '=', pair_id)
        .where('feature', '=', feature)
        .where('key', 'in', keys.slice(start, start + 200))
        .execute()
      for (const row of (
        await baseRows(
          db,
          found.map(({ id }) => Number(id)),
        )
      ).values()) {
        const next: Record<string, unknown> = { ...row.state }
        for (const slot of slots) if ((next[slot] as BaseState['pa'])?.o !== 'remove') delete next[slot]
        await db
          .updateTable('sync__base')
          .set({ state: JSON.stringify(next) })
          .where('id', '=', row.id)
          .execute()
      }
    }
  }
}

function markOf(item: Item): string {
  const key = rowKey(item, true)
  const at = key.indexOf('@')
  return at === -1 ? '' : key.slice(at)
}
