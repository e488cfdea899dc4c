// The tokens in webhook addresses, for the list of tokens in the settings.
import {
  accountLabel,
  ROTATE_TOKEN,
  TOKEN_USES,
  type LastUsed,
  type PluginContext,
  type SettingsChange,
  type TokenUse,
} from '@playhead/sdk'
import type { AccessInput } from '../config/access.ts'
import { changeRoute, type Moment, renewProfile } from '../config/changes.ts'
import { profilesOf } from '../config/effective.ts'
import { readStored } from '../settings.ts'
import { findAccount, findProvider } from '../config/providers.ts'
import { newToken, storedToken } from '../config/tokens.ts'
import { profileTokenName, ratingTokenName, type ScrobbleConfig } from '../settings.ts'
import { endpointUrl, ratingsUrl, sharedRatingsUrl } from './addresses.ts'

interface Entry extends Omit<TokenUse, 'lastUsedAtMs' | 'canRotate' | 'kind' | 'id'> {
  /** The scope that `accessOf` returned. */
  readonly scope: string
  readonly renew: (moment: Moment) => SettingsChange
  /** Path and query of the address. */
  readonly address: (world: AccessInput) => string
}

export const tokenUseId = (scope: string): string => `scrobble:${scope}`

export function provideTokenUses(
  ctx: PluginContext<ScrobbleConfig>,
  worlds: { read(): Promise<AccessInput>; refresh(): Promise<AccessInput> },
  lastUsed: LastUsed,
): void {
  ctx.tap(TOKEN_USES, 'scrobble', async () =>
    Promise.all(
      entries(await worlds.read()).map(async ({ scope, label, purpose, active }) => ({
        ...{ id: tokenUseId(scope), kind: 'webhook' as const, label, purpose, active, canRotate: true },
        lastUsedAtMs: await lastUsed.at(tokenUseId(scope)),
      })),
    ),
  )
  ctx.tap(ROTATE_TOKEN, 'scrobble', async ({ id }) => {
    if (!id.startsWith(tokenUseId(''))) return undefined
    const world = await worlds.read()
    const entry = entries(world).find(({ scope }) => tokenUseId(scope) === id)
    if (entry === undefined) return undefined
    const { accounts, descriptions } = world
    await ctx.updateConfig((stored) => entry.renew({ accounts, descriptions, current: readStored(stored), stored }))
    return { secret: entry.address(await worlds.refresh()) }
  })
}

function entries(world: AccessInput): readonly Entry[] {
  const { settings, descriptions } = world
  const nameOf = (provider: string, instance: string) =>
    accountLabel(
      findProvider(world, provider)?.label ?? provider,
      instance,
      findAccount(world, provider, instance)?.label,
    )
  const profiles = profilesOf(settings.webhook.profiles).flatMap(({ provider, instance, profile }): Entry[] => {
    const source = findProvider(world, provider)
    if (source === undefined || storedToken(settings.webhook_ids, profileTokenName(provider, instance)) === undefined)
      return []
    return [
      {
        scope: `${provider}:${instance}`,
        label: `Webhook of ${nameOf(provider, instance)}`,
        purpose: 'The media server reports what is played to this address.',
        active: settings.enabled && profile.enabled !== false,
        renew: (moment) => renewProfile({ provider, provider_instance: instance }, moment),
        address: (now) => endpointUrl(now, source, instance, ''),
      },
    ]
  })
  const routes = settings.watch.routes.flatMap((route): Entry[] => {
    const source = findProvider(world, route.provider)
    if (source === undefined || ratingsUrl(route, source, '') === '') return []
    return [
      {
        scope: `rating:route:${route.id}`,
        label: `Ratings of ${nameOf(route.provider, route.provider_instance)}, route ${route.id}`,
        purpose: 'The media server reports ratings to this address.',
        active: settings.enabled && route.enabled,
        renew: (moment) => changeRoute(route.id, { regenerate_ratings_webhook: true }, moment),
        address: (now) => {
          const renewed = now.settings.watch.routes.find(({ id }) => id === route.id)
          return renewed === undefined ? '' : ratingsUrl(renewed, source, '')
        },
      },
    ]
  })
  const shared = descriptions.flatMap((source): Entry[] => {
    const name = ratingTokenName(source.id)
    if (storedToken(settings.webhook_ids, name) === undefined) return []
    return [
      {
        scope: `rating:${source.id}`,
        label: `Ratings of ${source.label}`,
        purpose: 'The media server reports ratings to this address, for all routes.',
        active: settings.enabled,
        renew: () => ({ webhook_ids: { [name]: newToken() } }),
        address: (now) => sharedRatingsUrl(now, source, ''),
      },
    ]
  })
  return [...profiles, ...routes, ...shared]
}
