// What people should look at in the sync: removals that wait, items that could not be settled.
import type { Attention, ProviderDescription } from '@playhead/sdk'
import type { History } from './history.ts'
import { nameOf } from './pairs.ts'

export async function attentionOf(history: Pick<History, 'held' | 'pairStatus'>, providers: () => Promise<readonly Pick<ProviderDescription, 'id' | 'label'>[]>): Promise<readonly Attention[]> {
  const [{ held }, pairs] = [await history.held(), await history.pairStatus()]
  const known = held.length === 0 ? [] : await providers()
  return [
    ...held.map((one): Attention => ({
      id: `held:${one.pair_id}:${one.feature}:${one.side}`,
      kind: 'held_removals',
      severity: 'warning',
      title: `${countOf(one.count, 'removal')} held: ${one.pair_name}`,
      detail: `Removing ${countOf(one.count, 'item')} of ${one.feature} at ${nameOf(one.provider, one.instance, known)} waits for your approval.`,
      since: one.since,
      pair_id: one.pair_id,
      provider: one.provider,
      instance: one.instance,
      action: { label: 'Review', path: one.plan_id === null ? `/pairs/${one.pair_id}` : `/plans/${one.plan_id}`, call: { method: 'POST', path: one.approve.path, body: one.approve.body } },
    })),
    ...pairs.flatMap(({ id, name, features, last_run_id: runId, last_finished_at: since }): Attention[] => {
      const waiting = held.filter(({ pair_id: of }) => of === id).reduce((sum, { count }) => sum + count, 0)
      const open = features.reduce((sum, feature) => sum + feature.open, 0) - waiting
      const failed = features.filter(({ status }) => status === 'failed')
      const common = { pair_id: id, ...(since === null ? {} : { since }), action: { label: 'Look at the run', path: runId === null ? `/pairs/${id}` : `/runs/${runId}` } }
      return [
        ...(failed.length === 0 ? [] : [{
          ...common, id: `failed:${id}`, kind: 'run_failed', severity: 'error' as const, title: `The last run failed: ${name}`,
          detail: failed.map(({ feature, reason }) => `${feature}: ${reason ?? 'failed'}`).join('; '),
        }]),
        ...(open <= 0 ? [] : [{
          ...common, id: `unresolved:${id}`, kind: 'unresolved', severity: 'info' as const, title: `${countOf(open, 'item')} unresolved: ${name}`,
          detail: 'They could not be matched or written, and are tried again in the next run.',
        }]),
      ]
    }),
  ]
}

function countOf(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`
}
