// The overview of all sources, routes and webhooks. Read-only.
import type { Account, ProviderDescription } from '@playhead/sdk'
import type { AccessInput } from '../config/access.ts'
import { profilesOf, sinkInstanceOf, switchOf, webhookTuning } from '../config/effective.ts'
import {
  canSendWebhooks,
  canWatch,
  findAccount,
  findProvider,
  isSink,
  isSource,
  ratingToggle,
  reportsRatings,
  takesRatings,
} from '../config/providers.ts'
import { ratingsField } from '../config/settings-input.ts'
import { storedToken } from '../config/tokens.ts'
import type { GroupStatus } from '../contract.ts'
import { legacyTokenName, type ProfileSettings, profileTokenName, RATING_KEY, type RouteSettings } from '../settings.ts'
import { endpointUrl, ratingsUrl, sharedRatingsUrl } from './addresses.ts'
import { modeOf } from './overview-block.ts'
import { isRunning, runningRoutes, sinksOf, watchStatus } from './status.ts'

/** @param baseUrl origin of the generated addresses */
export function buildOverview(world: AccessInput, groups: readonly GroupStatus[], baseUrl: string) {
  const { settings, effective } = world
  const { routes } = settings.watch
  const webhooks = webhookRows(world, baseUrl)
  const eligible = eligibleSources(world, baseUrl)
  return {
    ok: true,
    source_state: sourceState(world, baseUrl),
    eligible_sources: eligible,
    destination_availability: world.descriptions
      .filter(isSink)
      .map((sink) => ({
        provider: sink.id,
        label: sink.label,
        takes_ratings: takesRatings(sink),
        local: sink.signIn.flow === 'local',
        profiles: accountsOf(world, sink).map((account) => ({
          ...profileName(sink, account),
          configured: account.configured,
          reason: account.configured ? '' : 'not_configured',
        })),
      })),
    webhooks,
    routes: routes.map((route) => routeRow(route, world, groups, baseUrl)),
    watcher_runtime: watcherRuntime(world, groups),
    summary: {
      active_webhooks: webhooks.filter(({ active }) => active).length,
      eligible_profiles: eligible.flatMap(({ profiles }) => profiles).filter((one) => one.eligible).length,
      enabled_routes: routes.filter(({ enabled }) => enabled).length,
      total_routes: routes.length,
      watcher_running: groups.some(isRunning),
    },
    hybrid_warning: isHybrid(effective),
    legacy_webhooks: settings.legacy_webhooks_removed
      ? []
      : world.descriptions
          .filter(({ id }) => storedToken(settings.webhook_ids, legacyTokenName(id)) !== undefined)
          .map(({ label }) => label),
  }
}

function sourceState(world: AccessInput, baseUrl: string) {
  const { settings, effective, descriptions } = world
  const { watch, webhook, policy } = settings
  const switches = { webhook: switchOf(settings, 'webhook'), watcher: switchOf(settings, 'watcher') }
  return {
    enabled: settings.enabled,
    sources: { ...switches, watch: switches.watcher },
    effective: { webhook: effective.sources.webhook, watcher: effective.sources.watcher },
    mode: modeOf(effective),
    watch_autostart: watch.autostart,
    global_auto_remove_watchlist: settings.auto_remove_watchlist,
    global_auto_remove_types: settings.auto_remove_types,
    watch_defaults: {
      watched_at: policy.watched_at,
      force_stop_at: policy.force_stop_at,
      progress_step: policy.progress_step,
      pause_debounce_seconds: watch.pause_debounce_seconds,
      suppress_start_at: watch.suppress_start_at,
    },
    webhook_defaults: {
      pause_debounce_seconds: webhook.pause_debounce_seconds,
      suppress_start_at: webhook.suppress_start_at,
    },
    ...Object.fromEntries(
      descriptions.filter(reportsRatings).map((source) => {
        const toggles = descriptions
          .filter(takesRatings)
          .map((sink) => [sink.token, isOn(watch, ratingToggle(source, sink))])
        const endpoint_url = sharedRatingsUrl(world, source, baseUrl)
        return [ratingsField(source), { ...Object.fromEntries(toggles), endpoint_url }]
      }),
    ),
  }
}

function eligibleSources(world: AccessInput, baseUrl: string) {
  const { webhook } = world.settings
  return world.descriptions.filter(isSource).map((source) => ({
    provider: source.id,
    label: source.label,
    watch: canWatch(source),
    webhook: canSendWebhooks(source),
    ratings: reportsRatings(source),
    setup: source.playback?.webhook?.setup ?? '',
    profiles: accountsOf(world, source).map((account) => {
      const profile = webhook.profiles[source.id]?.[account.instance]
      return {
        ...profileName(source, account),
        configured: account.configured,
        eligible: account.configured,
        explicit: profile !== undefined,
        enabled: profile?.enabled ?? false,
        reason: account.configured ? '' : 'not_configured',
        endpoint_url: endpointUrl(world, source, account.instance, baseUrl),
      }
    }),
  }))
}

function webhookRows(world: AccessInput, baseUrl: string) {
  const { settings } = world
  return profilesOf(settings.webhook.profiles).flatMap(({ provider, instance, profile }) => {
    const source = findProvider(world, provider)
    const account = findAccount(world, provider, instance)
    const isConfigured = account?.configured === true
    return profile.sinks.map((sink) => {
      const sinkInstance = sinkInstanceOf(profile, sink)
      const sinkAccount = findAccount(world, sink, sinkInstance)
      const tracker = findProvider(world, sink)
      const isReady = sinkAccount?.configured === true && tracker !== undefined && isSink(tracker)
      return {
        id: `${provider}:${instance}:${sink}:${sinkInstance}`,
        provider,
        provider_label: source?.label ?? provider,
        provider_instance: instance,
        profile_label: account?.label || instance,
        sink,
        sink_label: tracker?.label ?? sink,
        sink_instance: sinkInstance,
        sink_profile_label: sinkAccount?.label || sinkInstance,
        sink_ready: isReady,
        enabled: profile.enabled,
        source_configured: isConfigured,
        explicit: true,
        active: profile.enabled && isConfigured && isReady,
        endpoint_url: source === undefined ? '' : endpointUrl(world, source, instance, baseUrl),
        webhook_token: storedToken(settings.webhook_ids, profileTokenName(provider, instance)) ?? '',
        effective_settings: { ...webhookTuning(settings, provider, profile), ...shownOf(profile) },
        explicit_settings: explicitOf(profile),
        needs_account_filter: needsAccountFilter(world, profile.filters, { provider, instance }),
      }
    })
  })
}

function shownOf(profile: ProfileSettings) {
  const toggle = new RegExp(RATING_KEY, 'u')
  return {
    filters: profile.filters,
    ...Object.fromEntries(Object.entries(profile).filter(([name]) => toggle.test(name))),
  }
}

function explicitOf({ enabled: _enabled, sinks: _sinks, sink_instances: _instances, ...rest }: ProfileSettings) {
  return rest
}

function routeRow(route: RouteSettings, world: AccessInput, groups: readonly GroupStatus[], baseUrl: string) {
  const source = findProvider(world, route.provider)
  const { webhook_id: _id, webhook_token: _token, ...ratings } = route.options.ratings
  const group = groups.find(({ routes }) => routes.includes(route.id))
  const account = findAccount(world, route.provider, route.provider_instance)
  const sinkAccount = findAccount(world, route.sink, route.sink_instance)
  return {
    ...route,
    options: { ...route.options, ratings },
    runtime: { running: runningRoutes(groups).has(route.id), state: group?.state ?? 'stopped' },
    ready: world.effective.lanes.some(({ method, id }) => method === 'watcher' && id === route.id),
    ratings_webhook_url: source === undefined ? '' : ratingsUrl(route, source, baseUrl),
    source_label: source?.label ?? route.provider,
    source_profile_label: account?.label || route.provider_instance,
    sink_label: findProvider(world, route.sink)?.label ?? route.sink,
    sink_profile_label: sinkAccount?.label || route.sink_instance,
    needs_account_filter: needsAccountFilter(world, route.filters, {
      provider: route.provider,
      instance: route.provider_instance,
    }),
  }
}

/** Several trackers share a source account, and this one has no user filter. */
function needsAccountFilter(
  { effective }: AccessInput,
  filters: RouteSettings['filters'],
  { provider, instance }: { readonly provider: string; readonly instance: string },
): boolean {
  if ((filters.username_whitelist ?? []).length > 0 || (filters.user_id ?? '') !== '') return false
  const sharing = effective.lanes.filter(({ source }) => source.provider === provider && source.instance === instance)
  return new Set(sharing.map(({ sink }) => `${sink.provider}:${sink.instance}`)).size > 1
}

function watcherRuntime({ settings, effective }: AccessInput, groups: readonly GroupStatus[]) {
  const { groups: shown, routes } = watchStatus(settings, groups)
  const running = runningRoutes(groups)
  const active = groups.filter(isRunning)
  return {
    running: active.length > 0,
    groups: shown,
    routes,
    running_route_count: running.size,
    configured_route_count: effective.lanes.filter(({ method }) => method === 'watcher').length,
    active_source_providers: [...new Set(active.map(({ provider }) => provider))].sort(),
    active_sinks: sinksOf(settings.watch.routes.filter(({ id }) => running.has(id))),
    autostart: settings.watch.autostart,
    error: groups.find(({ lastError, state }) => lastError !== null && state !== 'connected')?.lastError ?? '',
  }
}

/** A play may arrive twice, but is recorded once. */
function isHybrid({ sources, lanes }: AccessInput['effective']): boolean {
  if (!sources.watcher || !sources.webhook) return false
  const watched = new Set(
    lanes.flatMap(({ method, source }) => (method === 'watcher' ? [`${source.provider}:${source.instance}`] : [])),
  )
  return lanes.some(
    ({ method, source }) => method === 'webhook' && watched.has(`${source.provider}:${source.instance}`),
  )
}

function accountsOf({ accounts }: AccessInput, { id }: ProviderDescription): readonly Account[] {
  return accounts.filter(({ provider }) => provider === id)
}

function profileName({ id }: ProviderDescription, { instance, label }: Account) {
  return { provider: id, instance, label: label || instance }
}

function isOn(settings: object, name: string): boolean {
  return Object.entries(settings).some(([key, value]) => value === true && key.toLowerCase() === name.toLowerCase())
}
