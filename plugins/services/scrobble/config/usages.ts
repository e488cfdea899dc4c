// Routes and webhook profiles that use a provider profile, including disabled ones.
import type { AccountName, ProfileUsage, ProviderDescription } from '@playhead/sdk'
import type { ScrobbleConfig } from '../settings.ts'
import { profilesOf, sinkInstanceOf } from './effective.ts'
import { reportsRatings, toggledSinks, type World } from './providers.ts'

/** @param descriptions provide the names in the labels */
export function usagesOf(
  settings: ScrobbleConfig,
  provider: string,
  instance: string,
  descriptions: readonly Pick<ProviderDescription, 'id' | 'label'>[] = [],
): readonly ProfileUsage[] {
  const nameOf = (id: string) => descriptions.find((one) => one.id === id)?.label ?? id
  const routes = settings.watch.routes.flatMap((route) => {
    const about = {
      feature: 'watcher',
      route_id: route.id,
      enabled: route.enabled,
      label: `${route.id}: ${nameOf(route.provider)} → ${nameOf(route.sink)}`,
    }
    const roles = [
      ['provider', route.provider, route.provider_instance],
      ['sink', route.sink, route.sink_instance],
      ...ratingTargets(route).map((target) => ['ratings', target.provider, target.instance] as const),
    ] as const
    const own = roles.filter(([, id, profile]) => id === provider && profile === instance)
    return [...new Set(own.map(([role]) => role))].map((role) => ({ ...about, role }))
  })
  const webhooks = profilesOf(settings.webhook.profiles).flatMap((one) =>
    one.profile.sinks.flatMap((sink) => {
      const sinkInstance = sinkInstanceOf(one.profile, sink)
      const roles = [
        ['provider', one.provider, one.instance],
        ['sink', sink, sinkInstance],
      ] as const
      return roles
        .filter(([, id, profile]) => id === provider && profile === instance)
        .map(([role]) => ({
          feature: 'webhook',
          role,
          provider: one.provider,
          instance: one.instance,
          sink,
          sink_instance: sinkInstance,
          enabled: one.profile.enabled,
          label: `${nameOf(one.provider)} → ${nameOf(sink)}`,
        }))
    }),
  )
  return [...routes, ...webhooks]
}

/** Accounts that receive a route's ratings: the profile of its tracker, or the first profile of another tracker. */
export function ratingTargets({ sink, sink_instance, options }: ScrobbleConfig['watch']['routes'][number]) {
  if (options.ratings.mode !== 'custom') return []
  return options.ratings.targets.map((target) => ({
    provider: target,
    instance: target === sink ? sink_instance : 'default',
  }))
}

/** The accounts of each route, of each webhook profile, and of each address for ratings that all routes of a provider share. */
export function joinedBy({ watch, webhook }: ScrobbleConfig, world: World): readonly (readonly AccountName[])[] {
  const of = (provider: string, instance = 'default') => ({ provider, instance })
  return [
    ...watch.routes.map((route) => [
      of(route.provider, route.provider_instance),
      of(route.sink, route.sink_instance),
      ...ratingTargets(route),
    ]),
    ...profilesOf(webhook.profiles).map(({ provider, instance, profile }) => [
      of(provider, instance),
      ...profile.sinks.map((sink) => of(sink, sinkInstanceOf(profile, sink))),
    ]),
    ...world.descriptions
      .filter(reportsRatings)
      .map((source) => [of(source.id), ...toggledSinks(watch, source, world).map((sink) => of(sink))]),
  ]
}
