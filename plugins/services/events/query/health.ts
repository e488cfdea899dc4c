// How often the services were checked in each part of a time range, and how often a check failed.
import type { CountedFacet } from '../store/facets.ts'
import { bucketAt } from './buckets.ts'
import { eventsIn, type Window } from './measures.ts'
import { all } from './sql.ts'
import type { Reading } from './view.ts'

export async function checksOf(
  { reader }: Reading,
  window: Window,
  starts: readonly number[],
  facets: readonly CountedFacet[],
) {
  const own = new Map(
    facets
      .filter(({ event_type: type, source_provider: provider }) => type === 'provider_health' && provider !== null)
      .map((facet) => [facet.id, facet]),
  )
  if (own.size === 0) return []
  const accounts = new Map<string, { provider: string; instance: string; checks: number[]; failed: number[] }>()
  // Every time zone offset is a multiple of 15 minutes.
  for (const { facet_id: id, at, n } of await all(
    reader,
    eventsIn('facet_id, ts / 900 * 900 AS at, count(*) AS n', [...own.keys()], window, 'GROUP BY facet_id, ts / 900'),
  )) {
    const { source_provider: provider, source_instance: instance, severity } = own.get(Number(id)) as CountedFacet
    const name = `${provider}@${instance ?? 'default'}`
    const account = accounts.get(name) ?? {
      provider: provider as string,
      instance: instance ?? 'default',
      checks: starts.map(() => 0),
      failed: starts.map(() => 0),
    }
    accounts.set(name, account)
    const bucket = bucketAt(starts, Math.max(Number(at), window.since))
    account.checks[bucket]! += Number(n)
    if (severity !== 'info') account.failed[bucket]! += Number(n)
  }
  return [...accounts].sort(([a], [b]) => a.localeCompare(b)).map(([, account]) => account)
}
