// Lists what needs attention in the sync: pairs that did not run, held removals, unresolved items.
import type { Attention } from '@playhead/sdk'
import type { History } from './history.ts'
import type { OnHold } from './summary.ts'
import { nameOf } from '../pairs/pairs.ts'
import type { Labels } from './reason-text.ts'

type PairStatus = Awaited<ReturnType<History['pairStatus']>>[number]

export async function attentionOf(
  history: Pick<History, 'held' | 'pairStatus'>,
  providers: () => Promise<Labels>,
  active: { readonly run_id: string; readonly on_hold: OnHold | null } | null,
): Promise<readonly Attention[]> {
  const [{ held }, pairs] = [await history.held(), await history.pairStatus()]
  const known = held.length === 0 ? [] : await providers()
  return [
    ...(active === null || active.on_hold === null
      ? []
      : [
          {
            id: `on_hold:${active.run_id}`,
            kind: 'on_hold',
            severity: 'warning' as const,
            title: 'A sync is on hold',
            detail: active.on_hold.detail,
            since: active.on_hold.since,
            action: { label: 'Open run', path: `/runs/${active.run_id}` },
          },
        ]),
    ...held.map(
      (one): Attention => ({
        id: `held:${one.pair_id}:${one.feature}:${one.side}`,
        kind: 'held_removals',
        severity: 'warning',
        title: `${countOf(one.count, one.reason === 'mass_update' ? 'update' : 'removal')} to approve: ${one.pair_name}`,
        detail: `${one.reason === 'mass_update' ? 'Changing' : 'Removing'} ${countOf(one.count, 'item')} of ${one.feature} at ${nameOf(one.provider, one.instance, known)} needs your approval.`,
        since: one.since,
        pair_id: one.pair_id,
        provider: one.provider,
        instance: one.instance,
        action: {
          label: 'Review',
          path: one.plan_id === null ? `/pairs/${one.pair_id}` : `/plans/${one.plan_id}`,
          call: { method: 'POST', path: one.approve.path, body: one.approve.body },
        },
      }),
    ),
    ...pairs.flatMap((pair): Attention[] => {
      const { id, name, features, last_run_id: runId, last_finished_at: since } = pair
      const waiting = held.filter(({ pair_id: of }) => of === id).reduce((sum, { count }) => sum + count, 0)
      const unresolved = features.reduce((sum, feature) => sum + feature.open, 0) - waiting
      const common = {
        pair_id: id,
        ...(since === null ? {} : { since }),
        action: { label: 'Open run', path: runId === null ? `/pairs/${id}` : `/runs/${runId}` },
      }
      return [
        ...notSynced(pair).map((entry) => ({ ...common, ...entry })),
        ...(unresolved <= 0
          ? []
          : [
              {
                ...common,
                id: `unresolved:${id}`,
                kind: 'unresolved',
                severity: 'info' as const,
                title: `${countOf(unresolved, 'item')} not synced: ${name}`,
                detail: 'They could not be matched or written. The next run tries again.',
              },
            ]),
      ]
    }),
  ]
}

const KINDS = [
  { status: 'failed', kind: 'run_failed', severity: 'error', title: 'The last run failed' },
  { status: 'skipped', kind: 'not_synced', severity: 'error', title: 'Not synced' },
  { status: 'partial', kind: 'synced_in_part', severity: 'warning', title: 'Partly synced' },
] as const

/** Features that were skipped or ran only in part. Disabled pairs are left out. */
function notSynced({ id, name, enabled, features }: PairStatus): readonly Attention[] {
  if (!enabled) return []
  return KINDS.flatMap(({ status, kind, severity, title }) => {
    // Held and unresolved items have separate entries.
    const of = features.filter(
      (feature) => feature.status === status && (status !== 'partial' || feature.reason === 'read_incomplete'),
    )
    if (of.length === 0) return []
    const [account] = of.flatMap(({ about }) => about)
    const detail = [...Map.groupBy(of, ({ reason_text: why }) => why ?? `${title}.`)]
      .map(([why, those]) => `${those.map(({ feature }) => capital(feature)).join(', ')}: ${why}`)
      .join(' ')
    return [{ id: `${kind}:${id}`, kind, severity, title: `${title}: ${name}`, detail, ...account }]
  })
}

function capital(feature: string): string {
  return feature.charAt(0).toUpperCase() + feature.slice(1)
}

function countOf(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`
}
