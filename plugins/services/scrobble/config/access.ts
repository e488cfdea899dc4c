// Decides which webhook calls are accepted, and resolves their scope to a destination.
import { type AccountName, sameText, type WebhookAccess, type WebhookCall } from '@playhead/sdk'
import type { Effective, Filters, Lane } from '../contract.ts'
import { legacyTokenName, profileTokenName, ratingTokenName, type ScrobbleConfig } from '../settings.ts'
import { librariesOf, needsOf, NO_FILTERS, profilesOf, resolveFilters, switchOf } from './effective.ts'
import { canSendWebhooks, findAccount, reportsRatings, takesRatings, toggledSinks, type World } from './providers.ts'
import { storedToken } from './tokens.ts'
import { ratingTargets } from './usages.ts'

/** The destination for ratings of one webhook scope. */
interface RatingScope {
  readonly scope: string
  readonly source: AccountName
  readonly filters: Filters
  /** Library ids of the source profile; empty: all. */
  readonly libraries: readonly string[]
  /** Configured accounts. */
  readonly targets: readonly AccountName[]
}

export interface AccessInput extends World {
  readonly settings: ScrobbleConfig
  readonly effective: Effective
}

type Refusal = Extract<WebhookAccess, { readonly ok: false }>['reason']

const RATING = 'rating:'

/** Compares with every token, in constant time. */
export function accessOf(call: WebhookCall, input: AccessInput): WebhookAccess {
  const source = input.descriptions.find(
    (one) => one.token.toLowerCase() === call.provider.toLowerCase() && canSendWebhooks(one),
  )
  if (call.purpose === 'ratings') {
    if (!input.settings.enabled || !switchOf(input.settings, 'watcher')) return refused('webhook_disabled')
    return source === undefined || !reportsRatings(source)
      ? refused('invalid_webhook_token')
      : ratingAccess(call, source.id, input)
  }
  if (!input.settings.enabled || !switchOf(input.settings, 'webhook')) return refused('webhook_disabled')
  const isOld = call.profile === undefined && call.token !== undefined
  if (isOld) {
    const isValid = source !== undefined && isLegacyToken(call.token ?? '', source.id, input.settings)
    return isValid ? profileAccess(source.id, 'default', input) : refused('invalid_webhook_token')
  }
  const named = source === undefined ? undefined : findProfile(call.profile ?? '', source.id, input.settings)
  return named === undefined ? refused('invalid_profile') : profileAccess(named.provider, named.instance, input)
}

/** Lanes of a webhook profile, by the scope that `accessOf` returned. */
export function lanesOfScope({ lanes }: Effective, scope: string): readonly Lane[] {
  return lanes.filter(({ method, source }) => method === 'webhook' && `${source.provider}:${source.instance}` === scope)
}

/**
 * The destination for ratings of a scope: a webhook profile, a route, or the address that all routes of a provider share.
 * Undefined if the scope no longer exists.
 */
export function ratingScopeOf(scope: string, { settings, ...world }: AccessInput): RatingScope | undefined {
  const usable = (targets: readonly AccountName[]) =>
    targets.filter(({ provider, instance }) => {
      const found = world.descriptions.find(({ id }) => id === provider)
      return found !== undefined && takesRatings(found) && isConfigured(world, provider, instance)
    })
  const globalSource = world.descriptions.find(({ id }) => scope === `${RATING}${id}`)
  if (globalSource !== undefined) {
    const { id } = globalSource
    return {
      scope,
      source: { provider: id, instance: 'default' },
      filters: NO_FILTERS,
      libraries: librariesOf(world, id, 'default'),
      targets: usable(
        toggledSinks(settings.watch, globalSource, world).map((provider) => ({ provider, instance: 'default' })),
      ),
    }
  }
  const route = settings.watch.routes.find(({ id }) => scope === `${RATING}route:${id}`)
  if (route !== undefined) {
    return {
      scope,
      source: { provider: route.provider, instance: route.provider_instance },
      filters: resolveFilters(route.filters),
      libraries: librariesOf(world, route.provider, route.provider_instance),
      targets: usable(ratingTargets(route)),
    }
  }
  const own = profilesOf(settings.webhook.profiles).find((one) => `${one.provider}:${one.instance}` === scope)
  const source = world.descriptions.find(({ id }) => id === own?.provider)
  if (own === undefined || source === undefined) return undefined
  const toggled = toggledSinks(own.profile, source, world).filter((sink) => own.profile.sinks.includes(sink))
  return {
    scope,
    source: { provider: own.provider, instance: own.instance },
    filters: resolveFilters(own.profile.filters),
    libraries: librariesOf(world, own.provider, own.instance),
    targets: usable(
      toggled.map((provider) => ({ provider, instance: own.profile.sink_instances[provider] ?? 'default' })),
    ),
  }
}

function ratingAccess(call: WebhookCall, provider: string, input: AccessInput): WebhookAccess {
  const { settings } = input
  const token = call.token ?? ''
  if (call.route === undefined || call.route === '') {
    const stored = storedToken(settings.webhook_ids, ratingTokenName(provider)) ?? ''
    if (!sameText(stored, token)) return refused('invalid_webhook_token')
    return isConfigured(input, provider, 'default')
      ? ratingAnswer(`${RATING}${provider}`, input)
      : refused('provider_not_connected')
  }
  const route = settings.watch.routes.find(
    ({ provider: of, options: { ratings } }) =>
      of === provider &&
      sameText(ratings.webhook_id ?? '', call.route ?? '') &&
      sameText(ratings.webhook_token ?? '', token),
  )
  if (route === undefined) return refused('invalid_webhook_token')
  if (!isConfigured(input, route.provider, route.provider_instance)) return refused('provider_not_connected')
  return route.enabled ? ratingAnswer(`${RATING}route:${route.id}`, input) : refused('profile_disabled')
}

function ratingAnswer(scope: string, input: AccessInput): WebhookAccess {
  const found = ratingScopeOf(scope, input)
  if (found === undefined || found.targets.length === 0) return refused('no_destinations')
  const { filters, libraries, source } = found
  return { ok: true, ...source, scope, needs: needsOf([{ filters, libraries }]) }
}

function profileAccess(provider: string, instance: string, input: AccessInput): WebhookAccess {
  const profile = input.settings.webhook.profiles[provider]?.[instance]
  if (!isConfigured(input, provider, instance)) return refused('provider_not_connected')
  if (profile?.enabled === false) return refused('profile_disabled')
  const scope = `${provider}:${instance}`
  const lanes = lanesOfScope(input.effective, scope)
  if (lanes.length === 0) return refused('no_destinations')
  const position = input.settings.webhook.probe_session_progress ? { position: true } : {}
  return { ok: true, provider, instance, scope, needs: { ...needsOf(lanes), ...position } }
}

function findProfile(token: string, provider: string, { webhook_ids: tokens, webhook }: ScrobbleConfig) {
  const named = profilesOf(webhook.profiles).filter((one) => one.provider === provider)
  return named.filter((one) =>
    sameText(storedToken(tokens, profileTokenName(one.provider, one.instance)) ?? '', token),
  )[0]
}

function isLegacyToken(token: string, provider: string, settings: ScrobbleConfig): boolean {
  if (settings.legacy_webhooks_removed) return false
  return sameText(storedToken(settings.webhook_ids, legacyTokenName(provider)) ?? '', token)
}

function isConfigured(world: World, provider: string, instance: string): boolean {
  return findAccount(world, provider, instance)?.configured === true
}

function refused(reason: Refusal): WebhookAccess {
  return { ok: false, reason }
}
