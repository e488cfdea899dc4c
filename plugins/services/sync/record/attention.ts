// Lists what needs attention in the sync: pairs that are not in sync, held removals, unresolved items.
import { type Attention, defined, needYou, statusOf, type SyncCause, type SyncCauseKind } from '@playhead/sdk'
import type { History } from './history.ts'
import type { OnHold } from './run-record.ts'
import { nameOf } from '../pairs/pairs.ts'
import type { Labels } from './reason-text.ts'
import { capital, UNWRITTEN } from './status.ts'

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
  // A pair that is off cannot run, so that an approval has no effect.
  const on = pairs.filter(({ enabled }) => enabled)
  for (const one of held.filter(({ pair_id: id }) => on.some((pair) => pair.id === id))) {
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
  for (const pair of on) {
    const { id, name, last_run_id: runId, last_finished_at: since } = pair
    const { count, causes } = pair.sync_status
    const common = {
      pair_id: id,
      ...defined({ since: since ?? undefined }),
      action: { label: 'Open run', path: runId === null ? `/pairs/${id}` : `/runs/${runId}` },
    }
    found.push(...notSynced(pair).map((entry) => ({ ...common, ...entry })))
    const items = causes.filter(({ kind }) => kind === 'items').reduce((sum, cause) => sum + cause.count, 0)
    if (items > 0)
      found.push({
        ...common,
        id: `unresolved:${id}`,
        kind: 'unresolved',
        severity: 'info',
        title: `${needYou(count)}: ${name}`,
        detail: `${countOf(items, 'item')} could not be matched or written. The next run tries again.`,
      })
  }
  return found
}

const KINDS = [
  { status: 'failed', kind: 'run_failed', severity: 'error' },
  { status: 'skipped', kind: 'not_synced', severity: 'error' },
  { status: 'partial', kind: 'synced_in_part', severity: 'warning' },
] as const
/** Held and unresolved items have separate entries. */
const OWN = new Set<SyncCauseKind>(['items', 'approval'])

/** Features that were skipped or ran only in part. */
function notSynced({ id, name, features }: PairStatus): readonly Attention[] {
  return KINDS.flatMap(({ status, kind, severity }) => {
    const of = features.filter((feature) => feature.status === status && causesOf(feature).length > 0)
    if (of.length === 0) return []
    const [account] = of.flatMap(({ about }) => about)
    const detail = [...Map.groupBy(of, (feature) => feature.reason_text ?? UNWRITTEN)]
      .map(([why, those]) => `${those.map(({ feature }) => capital(feature)).join(', ')}: ${why}`)
      .join(' ')
    const title = `${statusOf(of.flatMap(causesOf)).text}: ${name}`
    return [{ id: `${kind}:${id}`, kind, severity, title, detail, ...account }]
  })
}

function causesOf({ sync_status: { causes } }: PairStatus['features'][number]): readonly SyncCause[] {
  return causes.filter(({ kind }) => !OWN.has(kind))
}

function countOf(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`
}
