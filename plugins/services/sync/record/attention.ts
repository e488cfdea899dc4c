// Lists what needs attention in the sync: pairs that did not run, held removals, unresolved items.
import { type Attention, defined } from '@playhead/sdk'
import type { History } from './history.ts'
import type { OnHold } from './run-record.ts'
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
  const found: Attention[] = []
  if (active?.on_hold != null)
    found.push({
      id: `on_hold:${active.run_id}`,
      kind: 'on_hold',
      severity: 'warning',
      title: 'A sync is on hold',
      detail: active.on_hold.detail,
      since: active.on_hold.since,
      action: { label: 'Open run', path: `/runs/${active.run_id}` },
    })
  for (const one of held) {
    const { pair_id, feature, provider, instance, count, since, plan_id, approve: call } = one
    const [doing, what] = one.reason === 'mass_update' ? ['Changing', 'update'] : ['Removing', 'removal']
    const at = nameOf(provider, instance, known)
    found.push({
      id: `held:${pair_id}:${feature}:${one.side}`,
      kind: 'held_removals',
      severity: 'warning',
      title: `${countOf(count, what)} to approve: ${one.pair_name}`,
      detail: `${doing} ${countOf(count, 'item')} of ${feature} at ${at} needs your approval.`,
      ...{ since, pair_id, provider, instance },
      action: { label: 'Review', path: plan_id === null ? `/pairs/${pair_id}` : `/plans/${plan_id}`, call },
    })
  }
  for (const pair of pairs) {
    const { id, name, features, last_run_id: runId, last_finished_at: since } = pair
    const waiting = held.filter(({ pair_id: of }) => of === id).reduce((sum, { count }) => sum + count, 0)
    const unresolved = features.reduce((sum, feature) => sum + feature.open, 0) - waiting
    const common = {
      pair_id: id,
      ...defined({ since: since ?? undefined }),
      action: { label: 'Open run', path: runId === null ? `/pairs/${id}` : `/runs/${runId}` },
    }
    found.push(...notSynced(pair).map((entry) => ({ ...common, ...entry })))
    if (unresolved > 0)
      found.push({
        ...common,
        id: `unresolved:${id}`,
        kind: 'unresolved',
        severity: 'info',
        title: `${countOf(unresolved, 'item')} not synced: ${name}`,
        detail: 'They could not be matched or written. The next run tries again.',
      })
  }
  return found
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
