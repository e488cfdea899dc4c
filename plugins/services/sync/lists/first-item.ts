// The first item of a new list is a normal write: plugins judge it and are notified.
import { randomUUID } from 'node:crypto'
import {
  AFTER_WRITE,
  BEFORE_WRITE,
  FILTER_PLAN,
  type HookOperation,
  type NewAccountList,
  PlayheadError,
} from '@playhead/sdk'
import { rowKey } from '@playhead/sdk/items'
import type { EngineDeps, FeatureRun } from '../feature-run.ts'
import { judge, scopeOf, VETOED } from '../plan/judge.ts'
import { askTaps } from '../run/ask-taps.ts'
import { NO_PAIR } from '../store/plans.ts'

/** Throws `PLH_INVALID` (`vetoed`, `veto_failed`) if a plugin rejects it. Otherwise returns a callback that notifies plugins after the write. */
export async function judgeFirst(
  { hooks, log, now }: Pick<EngineDeps, 'hooks' | 'log' | 'now'>,
  { provider, instance, list: { first }, cause }: NewAccountList,
): Promise<() => Promise<void>> {
  if (first === undefined) return async () => {}
  const taps = await askTaps(hooks)
  const planId = `change-${randomUUID()}`
  const run = {
    ...{ engine: { taps, log }, order: { runId: planId }, pair: { id: NO_PAIR } },
    ...{ feature: 'playlists', dryRun: false, plays: false, nowMs: now() },
  } as unknown as FeatureRun
  const account = { provider, instance }
  const key = rowKey(first, false)
  const operation: HookOperation = { n: 0, account, op: 'add', key, item: first, current: null, cause }
  for (const hook of [FILTER_PLAN, BEFORE_WRITE]) {
    if (!taps.has(hook)) continue
    const verdict = (await judge({ run, hook, planId, operations: [operation] })).get(0)
    if (verdict === undefined) continue
    const { note } = verdict
    throw new PlayheadError('PLH_INVALID', `A plugin holds the first item of the list back: ${note}`, {
      wire: 'reason' in verdict && verdict.reason === VETOED ? 'vetoed' : 'veto_failed',
      details: { note },
    })
  }
  const outcomes = [{ key, item: first, outcome: 'applied', reason: null }]
  return () => taps.tell(AFTER_WRITE, { ...scopeOf(run), planId, account, op: 'add', outcomes })
}
