// State of the watchers in the form that the routes return.
import type { GroupStatus } from '../contract.ts'
import type { ScrobbleConfig } from '../settings.ts'

interface WatchStatus {
  readonly groups: readonly object[]
  readonly routes: readonly object[]
  /** A route is enabled. */
  readonly has_watch: boolean
  /** A group follows its server, or is trying to. */
  readonly alive: boolean
  readonly stop_set: false
  /** The provider of the groups; `multi` for several. */
  readonly provider: string | null
  readonly sinks: readonly string[]
}

const RUNNING: ReadonlySet<GroupStatus['state']> = new Set(['connecting', 'connected', 'offline'])

export function isRunning({ state }: GroupStatus): boolean {
  return RUNNING.has(state)
}

/** Ids of the followed routes. */
export function runningRoutes(groups: readonly GroupStatus[]): ReadonlySet<string> {
  return new Set(groups.filter(isRunning).flatMap(({ routes }) => routes))
}

export function watchStatus({ watch }: ScrobbleConfig, groups: readonly GroupStatus[]): WatchStatus {
  const running = runningRoutes(groups)
  const active = groups.filter(isRunning)
  const providers = [...new Set(active.map(({ provider }) => provider))]
  return {
    groups: groups.map((group) => ({
      id: group.id,
      provider: group.provider,
      provider_instance: group.instance,
      running: isRunning(group),
      routes: group.routes,
      state: group.state,
      connected: group.state === 'connected',
      by: group.by,
      others: group.others,
      last_event_at: seconds(group.lastEventAtMs),
      last_error: group.lastError,
      retry_at: seconds(group.retryAtMs),
      failures: group.failures,
    })),
    routes: watch.routes.map((route) => ({
      id: route.id,
      provider: route.provider,
      provider_instance: route.provider_instance,
      sink: route.sink,
      sink_instance: route.sink_instance,
      enabled: route.enabled,
      running: running.has(route.id),
    })),
    has_watch: watch.routes.some(({ enabled }) => enabled),
    alive: active.length > 0,
    stop_set: false,
    provider: providers.length > 1 ? 'multi' : (providers[0] ?? null),
    sinks: sinksOf(watch.routes.filter(({ id }) => running.has(id))),
  }
}

export function sinksOf(routes: readonly { readonly sink: string }[]): readonly string[] {
  return [...new Set(routes.map(({ sink }) => sink))].sort()
}

function seconds(ms: number | null): number | null {
  return ms === null ? null : Math.floor(ms / 1_000)
}
