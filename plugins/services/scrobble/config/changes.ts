// Changes of the stored settings, one function for each route. Pure except for new tokens. They run inside the writer, on
// the settings at that moment.
import { readProvider, replacing, type SettingsChange } from '@playhead/sdk'
import { isRecord } from '@playhead/sdk/items'
import { profileTokenName, type RouteSettings, type ScrobbleConfig } from '../settings.ts'
import { fieldError, refuse, unknownRoute } from './field-errors.ts'
import { readProfileInput, readProfileName } from './profile-input.ts'
import type { World } from './providers.ts'
import { readRouteInput } from './route-input.ts'
import { newToken, storedToken } from './tokens.ts'

/** The settings at the moment of a change. */
export interface Moment extends World {
  readonly current: ScrobbleConfig
  /** The stored form, without defaults. */
  readonly stored: Readonly<Record<string, unknown>>
}

export function addRoute(body: unknown, moment: Moment): SettingsChange {
  const { routes } = moment.current.watch
  const route = readRouteInput(body, undefined, routes, moment)
  return { ...turnedOn(route.enabled, moment), watch: { routes: [...routes, route] } }
}

export function changeRoute(id: string, body: unknown, moment: Moment): SettingsChange {
  const { routes } = moment.current.watch
  const before = routes.find((route) => route.id === id)
  if (before === undefined) throw unknownRoute(id)
  return withRoute(readRouteInput(body, before, routes, moment), moment)
}

/** Replaces the stored route with its id. */
export function withRoute(next: RouteSettings, { current }: Pick<Moment, 'current'>): SettingsChange {
  const { routes } = current.watch
  return { watch: { routes: routes.map((route): RouteSettings => (route.id === next.id ? next : route)) } }
}

export function removeRoute(id: string, { current }: Moment): SettingsChange {
  const { routes } = current.watch
  if (!routes.some((route) => route.id === id)) throw unknownRoute(id)
  return { watch: { routes: routes.filter((route) => route.id !== id) } }
}

export function saveProfile(body: unknown, moment: Moment): SettingsChange {
  const { current } = moment
  const find = (provider: string, instance: string) => current.webhook.profiles[provider]?.[instance]
  const { provider, instance, profile, renew } = readProfileInput(body, find, moment)
  const name = profileTokenName(provider, instance)
  const needsToken = renew || storedToken(current.webhook_ids, name) === undefined
  return {
    ...turnedOn(profile.enabled && profile.sinks.length > 0, moment),
    webhook: profileChange(provider, instance, replacing(find(provider, instance), profile)),
    ...(needsToken ? { webhook_ids: { [name]: newToken() } } : {}),
  }
}

/** Switches a profile off, or removes one of its trackers, or all of it with its token. */
export function disableProfile(body: unknown, { current }: Moment): SettingsChange {
  const { provider, instance, profile } = storedProfile(body, current)
  const { sink: sent, remove } = body as Readonly<Record<string, unknown>>
  if (remove !== undefined && typeof remove !== 'boolean')
    throw refuse([fieldError('remove', 'invalid_boolean', 'remove must be true or false.')])
  if (remove !== true) return { webhook: profileChange(provider, instance, { enabled: false }) }
  const sink = sent === undefined || sent === null ? undefined : readProvider(sent)
  const left = sink === undefined ? [] : profile.sinks.filter((one) => one !== sink)
  if (left.length === 0) {
    return {
      webhook: profileChange(provider, instance, undefined),
      webhook_ids: { [profileTokenName(provider, instance)]: undefined },
    }
  }
  return {
    webhook: profileChange(provider, instance, { sinks: left, sink_instances: { [sink as string]: undefined } }),
  }
}

/** Renews the token of one profile. */
export function renewProfile(body: unknown, { current }: Moment): SettingsChange {
  const { provider, instance } = storedProfile(body, current)
  return { webhook_ids: { [profileTokenName(provider, instance)]: newToken() } }
}

/** Removes the tokens of addresses of the older form and of deleted profiles. */
export function cleanUp({ current, stored }: Moment): SettingsChange {
  const kept = new Set(
    Object.entries(current.webhook.profiles).flatMap(([provider, own]) =>
      Object.keys(own).map((instance) => profileTokenName(provider, instance)),
    ),
  )
  const names = [
    ...Object.keys(current.webhook_ids),
    ...Object.keys(isRecord(stored['webhook_ids']) ? stored['webhook_ids'] : {}),
  ]
  const gone = names.filter((name) => !name.startsWith('rating:') && !kept.has(name))
  return {
    legacy_webhooks_removed: true,
    ...(gone.length === 0 ? {} : { webhook_ids: Object.fromEntries(gone.map((name) => [name, undefined])) }),
  }
}

/** The first route or profile switches scrobbling on, unless a person switched it off. */
export function turnedOn(isInUse: boolean, { stored }: Pick<Moment, 'stored'>): SettingsChange {
  return isInUse && stored['enabled'] === undefined ? { enabled: true } : {}
}

function storedProfile(body: unknown, { webhook }: ScrobbleConfig) {
  const { provider, instance } = readProfileName(body)
  const profile = webhook.profiles[provider]?.[instance]
  if (profile !== undefined) return { provider, instance, profile }
  const message = `${provider.slice(0, 80)} has no webhook for the profile ${JSON.stringify(instance.slice(0, 80))}.`
  throw refuse([fieldError('provider_instance', 'profile_not_found', message)])
}

function profileChange(provider: string, instance: string, change: object | undefined): SettingsChange {
  return { profiles: { [provider]: { [instance]: change } } }
}

/** Both changes as one. Lists and maps of both are complete where they overlap, except those of profiles and tokens. */
export function merged(a: SettingsChange, b: SettingsChange): SettingsChange {
  const names = [...new Set([...Object.keys(a), ...Object.keys(b)])]
  return Object.fromEntries(
    names.map((name) => {
      const [first, second] = [a[name], b[name]]
      return [name, isRecord(first) && isRecord(second) ? merged(first, second) : name in b ? second : first]
    }),
  )
}
