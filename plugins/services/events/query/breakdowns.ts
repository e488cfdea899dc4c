// Breakdowns of runs and deliveries by outcome, kind, route and reason.
import { isNotInLibrary, reasonLabel } from '@playhead/sdk'
import type { CountedFacet } from '../store/facets.ts'
import { countIn, deliveriesOf, deltaOf, eventsIn, round, type RunTimes, type Window } from './measures.ts'
import { all, fragment, type Row } from './sql.ts'
import type { Reading } from './view.ts'
import { STATUSES } from '../store/vocabulary.ts'

const TOP = 8

export async function outcomesOf(
  { reader }: Reading,
  window: Window,
  runs: readonly RunTimes[],
  facets: readonly CountedFacet[],
) {
  const counts = { completed: 0, warning: 0, failed: 0, active: 0 }
  for (const { state } of runs) counts[state] += 1
  const sessions = eventsIn(
    'group_id',
    facets.filter(({ domain }) => domain === 'scrobble').map(({ id }) => id),
    window,
  )
  const groups = await all(
    reader,
    fragment(
      `SELECT status, count(*) AS n FROM grp WHERE id IN (${sessions.text}) AND last_at >= ? AND last_at < ? GROUP BY status`,
      ...sessions.values,
      window.since,
      window.until,
    ),
  )
  for (const { status, n } of groups) {
    const name = STATUSES[Number(status)]
    const key =
      name === 'completed' || name === 'rated'
        ? 'completed'
        : name === 'running'
          ? 'active'
          : name === 'failed'
            ? 'failed'
            : null
    if (key !== null) counts[key] += Number(n)
  }
  const labels = { completed: 'Completed', warning: 'With issues', failed: 'Failed', active: 'Active' }
  return (Object.keys(counts) as (keyof typeof counts)[])
    .filter((key) => counts[key] > 0)
    .map((key) => ({ key, label: labels[key], value: counts[key] }))
}

export async function typesOf(
  reading: Reading,
  window: Window,
  runs: readonly RunTimes[],
  facets: readonly CountedFacet[],
) {
  const of = (kind: string) =>
    facets.filter(({ domain, source_kind: source }) => domain === 'scrobble' && source === kind).map(({ id }) => id)
  return [
    { key: 'sync', label: 'Sync', value: runs.length },
    { key: 'watcher', label: 'Watcher', value: await countIn(reading, of('watcher'), window) },
    { key: 'webhook', label: 'Webhook', value: await countIn(reading, of('webhook'), window) },
  ]
}

export async function routesOf({ reader }: Reading, window: Window, facets: readonly CountedFacet[]) {
  const routes = new Map<
    string,
    { source: string; destination: string; runs: number; scrobbles: number; good: number }
  >()
  const routeOf = (source: string, destination: string) => {
    const key = `${source}>${destination}`
    const route = routes.get(key) ?? { source, destination, runs: 0, scrobbles: 0, good: 0 }
    routes.set(key, route)
    return route
  }
  const rows = await all(
    reader,
    fragment(
      `SELECT x.source, x.destination, count(*) AS n, sum(1 - x.bad) AS good FROM run r JOIN run_route x ON x.run_no = r.no
      WHERE r.started_at >= ? AND r.started_at < ? AND r.dry_run = 0 GROUP BY x.source, x.destination`,
      window.since,
      window.until,
    ),
  )
  for (const { source, destination, n, good } of rows) {
    const route = routeOf(String(source), String(destination))
    route.runs += Number(n)
    route.good += Number(good)
  }
  const scrobbles = facets.filter(
    ({ domain, source_provider: source, destination_provider: destination }) =>
      domain === 'scrobble' && source !== null && destination !== null,
  )
  const failed = new Set(deliveriesOf(facets).failed)
  const byRoute = Map.groupBy(scrobbles, (facet) => `${facet.source_provider}>${facet.destination_provider}`)
  for (const own of byRoute.values()) {
    const sessions = await sessionsIn(own)
    const bad = await sessionsIn(own.filter(({ id }) => failed.has(id)))
    if (sessions === 0) continue
    const route = routeOf(String(own[0]?.source_provider), String(own[0]?.destination_provider))
    route.scrobbles += sessions
    route.good += sessions - bad
  }
  return [...routes.values()]
    .map(({ good, ...route }) => ({
      ...route,
      volume: route.runs + route.scrobbles,
      success_rate: round((good / (route.runs + route.scrobbles)) * 100, 1),
    }))
    .toSorted((a, b) => b.volume - a.volume || (a.source < b.source ? -1 : 1))
    .slice(0, TOP)

  async function sessionsIn(own: readonly CountedFacet[]): Promise<number> {
    if (own.length === 0) return 0
    const [row] = await all(
      reader,
      eventsIn(
        'count(DISTINCT group_id) AS n',
        own.map(({ id }) => id),
        window,
      ),
    )
    return Number(row?.['n'] ?? 0)
  }
}

export async function reasonsOf({ reader }: Reading, window: Window, before: Window, facets: readonly CountedFacet[]) {
  // Includes older events, which did not yet have the neutral status.
  const errors = facets.filter(
    ({ severity, domain, reason_code: reason }) =>
      severity === 'error' && !(domain === 'sync' && isNotInLibrary(reason)),
  )
  const reasons = new Map(errors.map(({ id, reason_code: reason }) => [id, reason ?? '']))
  const sumBy = async (each: Window) => {
    const sums = new Map<string, number>()
    const rows: readonly Row[] =
      errors.length === 0
        ? []
        : await all(
            reader,
            eventsIn(
              'facet_id, count(*) AS n',
              errors.map(({ id }) => id),
              each,
              'GROUP BY facet_id',
            ),
          )
    for (const { facet_id: facet, n } of rows) {
      const reason = reasons.get(Number(facet)) ?? ''
      sums.set(reason, (sums.get(reason) ?? 0) + Number(n))
    }
    return sums
  }
  const [now, last] = [await sumBy(window), await sumBy(before)]
  const total = [...now.values()].reduce((sum, n) => sum + n, 0)
  return [...now]
    .toSorted(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))
    .slice(0, TOP)
    .map(([reason, count]) => ({
      reason,
      label: reasonLabel(reason),
      count,
      prev: last.get(reason) ?? 0,
      share: round((count / total) * 100, 1),
      delta: deltaOf(count, last.get(reason) ?? 0),
    }))
}
