// Reports a removal per provider, account and key.
import { outcomeOf, type AccountOutcome, type KeyOutcome, type Wanted } from './removal.ts'
import type { Targets } from './targets.ts'
import { defined } from '@playhead/sdk'

interface InstanceReport {
  readonly ok: boolean
  readonly removed?: number
  readonly error?: string
}

interface ProviderReport {
  readonly ok: boolean
  readonly per_instance: Readonly<Record<string, InstanceReport>>
  readonly removed: number
}

interface SingleReport {
  readonly ok: boolean
  readonly deleted: number
  readonly provider: string
  readonly key: string
  readonly status: 'ok' | 'error' | 'noop'
  readonly reason?: string
  readonly details: unknown
}

export function reportSingle(wanted: Wanted, { provider }: Targets, outcomes: readonly AccountOutcome[]): SingleReport {
  const result = outcomeOf(wanted, outcomes)
  const isNoop = result.reason === 'not_in_state'
  const ok = result.deleted || isNoop
  const providers = byProvider(outcomes)
  return {
    ok,
    deleted: removedOf(outcomes),
    provider,
    key: wanted.key,
    status: isNoop ? 'noop' : ok ? 'ok' : 'error',
    ...defined({ reason: result.reason }),
    details:
      provider === 'ALL'
        ? Object.fromEntries([...providers].map(([id, own]) => [id, providerReport(own)]))
        : providerReport(providers.get(provider) ?? []).per_instance,
  }
}

/** `deleted_total` counts sent removals, `deleted_ok` successful ones; both per key and provider. */
export function reportBatch(
  wanted: readonly Wanted[],
  { provider }: Targets,
  outcomes: readonly AccountOutcome[],
): Readonly<Record<string, unknown>> {
  const providers = byProvider(outcomes)
  // A single provider is reported even without any of the keys.
  if (provider !== 'ALL' && !providers.has(provider)) providers.set(provider, [])
  const results = [...providers].map(([id, own]) => {
    const keys = wanted.map((one) => ({ one, outcome: outcomeOf(one, own) }))
    return {
      provider: id,
      ok: keys.every(({ outcome }) => isFine(outcome)),
      deleted: keys.filter(({ outcome }) => outcome.deleted).length,
      per_key: keys.map(({ one: { key, found }, outcome }) => ({
        key,
        ...(found.outcome === 'found' && found.entry.key !== key ? { resolved_key: found.entry.key } : {}),
        ...outcome,
      })),
      per_instance: providerReport(own).per_instance,
    }
  })
  const unresolved = wanted.flatMap(({ key, found }) =>
    found.outcome === 'found' ? [] : [{ key, reason: found.outcome }],
  )
  const perKey = results.flatMap(({ per_key: keys }) => keys)
  const ok = results.every((result) => result.ok) && unresolved.every(({ reason }) => reason === 'not_in_state')
  return {
    ok,
    partial: !ok && perKey.some(({ deleted }) => deleted),
    provider,
    targets: [...providers.keys()],
    deleted_ok: perKey.filter(({ deleted }) => deleted).length,
    deleted_total: perKey.filter(({ attempted }) => attempted).length,
    results,
    unresolved,
  }
}

function isFine({ deleted, reason }: KeyOutcome): boolean {
  return deleted || reason === 'not_in_state'
}

function byProvider(outcomes: readonly AccountOutcome[]): Map<string, AccountOutcome[]> {
  return Map.groupBy(
    outcomes.toSorted((a, b) => (a.provider < b.provider ? -1 : 1)),
    ({ provider }) => provider,
  )
}

function providerReport(outcomes: readonly AccountOutcome[]): ProviderReport {
  const reports = outcomes.map((outcome): [string, InstanceReport] => {
    const rows = [...outcome.rows.values()]
    const failed = rows.find(({ ok }) => !ok)
    const removed = rows.filter(({ ok }) => ok).length
    if (failed === undefined) return [outcome.instance, { ok: true, removed }]
    return [outcome.instance, { ok: false, removed, error: failed.reason ?? 'failed' }]
  })
  return {
    ok: reports.every(([, { ok }]) => ok),
    per_instance: Object.fromEntries(reports),
    removed: removedOf(outcomes),
  }
}

function removedOf(outcomes: readonly AccountOutcome[]): number {
  return outcomes.reduce((sum, { rows }) => sum + [...rows.values()].filter(({ ok }) => ok).length, 0)
}
