// The effective configuration: the settings, with all defaults and overrides resolved for each route and webhook
// destination.
import { type Account, deepFreeze, type ProviderDescription, type WatchOptions } from '@playhead/sdk'
import type { Effective, Filters, Lane, Method, Thresholds } from '../contract.ts'
import type {
  FilterSettings,
  PolicyOverride,
  ProfileSettings,
  RouteSettings,
  ScrobbleConfig,
  Tuning,
} from '../settings.ts'
import { findAccount, findProvider, canSendWebhooks, canWatch, isSink, type World } from './providers.ts'

/** An aborted play needs a stricter guard if the tracker itself counts stops near the end. */
const SMOOTH_STOP_PAUSE = 85
const STOP_PAUSE = 80

export const NO_FILTERS: Filters = {
  username_whitelist: [],
  user_id: '',
  server_uuid: '',
  server_uuid_whitelist: [],
  server_uuid_blacklist: [],
  ignore_live_tv_dvr: false,
  ignore_placeholder_trailers: false,
  ignored_path_prefixes: [],
  ignored_filename_patterns: [],
  ignored_editions: [],
  ignored_marker_files: [],
  min_duration_seconds: 0,
}

/** Pure. Computed once per revision of its inputs. */
export function makeEffective(
  settings: ScrobbleConfig,
  accounts: readonly Account[],
  descriptions: readonly ProviderDescription[],
): Effective {
  const world: World = { accounts, descriptions }
  const lanes = [...routeLanes(settings, world), ...webhookLanes(settings, world)]
  const isOn = (method: Method) =>
    settings.enabled && switchOf(settings, method) && lanes.some((lane) => lane.method === method)
  return deepFreeze({
    enabled: settings.enabled,
    sources: { watcher: isOn('watcher'), webhook: isOn('webhook') },
    autostart: settings.watch.autostart,
    heartbeatMs: settings.watch.heartbeat_seconds * 1_000,
    lanes,
    autoRemoveTypes: settings.auto_remove_types,
  })
}

/** The switch of a source. If it was never set, it is on when something is configured for the source. */
export function switchOf(settings: ScrobbleConfig, method: Method): boolean {
  return settings.sources[method] ?? isConfigured(settings, method)
}

/** An enabled route, or an enabled webhook profile with trackers. */
function isConfigured({ watch, webhook }: ScrobbleConfig, method: Method): boolean {
  return method === 'watcher'
    ? watch.routes.some(({ enabled }) => enabled)
    : profilesOf(webhook.profiles).some(({ profile }) => profile.enabled && profile.sinks.length > 0)
}

export function profilesOf(profiles: ScrobbleConfig['webhook']['profiles']) {
  return Object.entries(profiles).flatMap(([provider, byInstance]) =>
    Object.entries(byInstance).map(([instance, profile]) => ({ provider, instance, profile })),
  )
}

/** The data about these lanes that the filters need. */
export function needsOf(lanes: readonly Pick<Lane, 'filters' | 'libraries'>[]): WatchOptions {
  const needsFiles = ({ filters }: Pick<Lane, 'filters'>) =>
    filters.ignore_placeholder_trailers ||
    filters.ignored_path_prefixes.length > 0 ||
    filters.ignored_filename_patterns.length > 0 ||
    filters.ignored_editions.length > 0 ||
    filters.ignored_marker_files.length > 0
  return {
    ...(lanes.some(({ libraries }) => libraries.length > 0) ? { libraries: true } : {}),
    ...(lanes.some(needsFiles) ? { files: true } : {}),
  }
}

/** Id of the lane from a webhook profile to a tracker. */
function webhookLaneId(provider: string, instance: string, sink: string, sinkInstance: string): string {
  return `${provider}:${instance}:${sink}:${sinkInstance}`
}

/** The profile of a tracker that a webhook profile delivers to. */
export function sinkInstanceOf({ sink_instances: instances }: ProfileSettings, sink: string): string {
  return instances[sink] ?? 'default'
}

export function resolveFilters(filters: FilterSettings): Filters {
  return { ...NO_FILTERS, ...filters }
}

/** Chosen libraries of a source profile; empty: all. */
export function librariesOf(world: World, provider: string, instance: string): readonly string[] {
  return findAccount(world, provider, instance)?.libraries?.scrobble ?? []
}

/** Both accounts exist, are configured, and have the abilities that the lane needs. */
function isUsable(world: World, lane: Pick<Lane, 'method' | 'source' | 'sink'>): boolean {
  const source = findProvider(world, lane.source.provider)
  const sink = findProvider(world, lane.sink.provider)
  if (source === undefined || sink === undefined || !isSink(sink)) return false
  // The account would report a recorded play as a new one.
  if (source === sink && lane.source.instance === lane.sink.instance) return false
  if (!(lane.method === 'watcher' ? canWatch : canSendWebhooks)(source)) return false
  return [lane.source, lane.sink].every(
    ({ provider, instance }) => findAccount(world, provider, instance)?.configured === true,
  )
}

function routeLanes(settings: ScrobbleConfig, world: World): Lane[] {
  return settings.watch.routes
    .filter((route) => route.enabled)
    .map((route) => toLane(settings, world, route))
    .filter((lane) => isUsable(world, lane))
}

function toLane(settings: ScrobbleConfig, world: World, route: RouteSettings): Lane {
  const { options } = route
  const remove = options.auto_remove_watchlist
  return {
    id: route.id,
    method: 'watcher',
    source: { provider: route.provider, instance: route.provider_instance },
    sink: { provider: route.sink, instance: route.sink_instance },
    filters: resolveFilters(route.filters),
    libraries: librariesOf(world, route.provider, route.provider_instance),
    thresholds: {
      ...thresholdsOf(settings, world, route.sink, [policyOf(settings, route.sink), options.watch], options.scrobble),
      guardAutoplayMs: 0,
      startGuardMinProgress: 0,
    },
    autoRemove: remove === 'inherit' ? settings.auto_remove_watchlist : remove === 'on',
  }
}

function webhookLanes(settings: ScrobbleConfig, world: World): Lane[] {
  return profilesOf(settings.webhook.profiles)
    .filter(({ profile }) => profile.enabled)
    .flatMap(({ provider, instance, profile }) =>
      profile.sinks.map((sink) => webhookLane(settings, world, { provider, instance, profile, sink })),
    )
    .filter((lane) => isUsable(world, lane))
}

function webhookLane(
  settings: ScrobbleConfig,
  world: World,
  { provider, instance, profile, sink }: ReturnType<typeof profilesOf>[number] & { readonly sink: string },
): Lane {
  const { webhook, policy } = settings
  const own = policyOf(settings, sink)
  const tuning = webhookTuning(settings, provider, profile)
  const trusted = own.complete_at ?? own.force_stop_at ?? policy.complete_at
  return {
    id: webhookLaneId(provider, instance, sink, sinkInstanceOf(profile, sink)),
    method: 'webhook',
    source: { provider, instance },
    sink: { provider: sink, instance: sinkInstanceOf(profile, sink) },
    filters: resolveFilters(profile.filters),
    libraries: librariesOf(world, provider, instance),
    thresholds: {
      ...thresholdsOf(
        settings,
        world,
        sink,
        [webhook, own, webhook.providers[provider] ?? {}, profile],
        trusted === undefined ? {} : { force_stop_at: trusted },
      ),
      guardAutoplayMs: tuning.guard_autoplay_seconds * 1_000,
      startGuardMinProgress: tuning.start_guard_min_progress,
    },
    autoRemove: settings.auto_remove_watchlist,
  }
}

/** The webhook settings of a profile: global ones, those of its provider, its own. */
export function webhookTuning({ webhook }: ScrobbleConfig, provider: string, profile: ProfileSettings) {
  const last = lastOf<Pick<typeof webhook, keyof typeof Tuning>>(webhook, webhook.providers[provider], profile)
  return {
    pause_debounce_seconds: last('pause_debounce_seconds'),
    suppress_start_at: last('suppress_start_at'),
    guard_autoplay_seconds: last('guard_autoplay_seconds'),
    start_guard_min_progress: last('start_guard_min_progress'),
  }
}

/** The value of a setting in the last layer that has it. */
function lastOf<Values extends object>(first: Values, ...layers: readonly (Partial<Values> | undefined)[]) {
  return <Name extends keyof Values>(name: Name): Values[Name] =>
    layers.reduce<Values[Name]>((value, layer) => layer?.[name] ?? value, first[name])
}

function thresholdsOf(
  settings: ScrobbleConfig,
  world: World,
  sink: string,
  timing: readonly Pick<PolicyOverride, 'pause_debounce_seconds' | 'suppress_start_at'>[],
  overrides: Pick<PolicyOverride, 'watched_at' | 'force_stop_at' | 'progress_step'>,
): Omit<Thresholds, 'guardAutoplayMs' | 'startGuardMinProgress'> {
  const isSmooth = findProvider(world, sink)?.playback?.scrobble?.smooth === true
  const { policy } = settings
  const { stop_pause_threshold = isSmooth ? SMOOTH_STOP_PAUSE : STOP_PAUSE } = policy
  const last = lastOf({ ...policy, stop_pause_threshold }, policyOf(settings, sink), overrides)
  const lastTiming = lastOf(settings.watch, ...timing)
  return {
    watchedAt: last('watched_at'),
    forceStopAt: last('force_stop_at'),
    progressStep: last('progress_step'),
    stopPauseThreshold: last('stop_pause_threshold'),
    regressTolerance: last('regress_tolerance_percent'),
    suppressStartAt: lastTiming('suppress_start_at'),
    pauseDebounceMs: lastTiming('pause_debounce_seconds') * 1_000,
  }
}

/** The values from a tracker's own policy. */
function policyOf({ policy }: ScrobbleConfig, sink: string): PolicyOverride {
  const own = (policy as Readonly<Record<string, unknown>>)[sink]
  return typeof own === 'object' && own !== null ? (own as PolicyOverride) : {}
}
