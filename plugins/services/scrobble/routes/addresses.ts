// The addresses that people enter at their media servers. They contain a token.
import type { ProviderDescription } from '@playhead/sdk'
import type { AccessInput } from '../config/access.ts'
import { storedToken } from '../config/tokens.ts'
import { profileTokenName, ratingTokenName, type RouteSettings } from '../settings.ts'

/** The address of a webhook profile; empty while it has none. */
export function endpointUrl(
  { settings }: Pick<AccessInput, 'settings'>,
  source: ProviderDescription,
  instance: string,
  baseUrl: string,
): string {
  const token = storedToken(settings.webhook_ids, profileTokenName(source.id, instance))
  return token === undefined ? '' : address(baseUrl, source.token, { profile: token })
}

/** The address for the ratings of one route; empty while it has none. */
export function ratingsUrl({ options }: RouteSettings, source: ProviderDescription, baseUrl: string): string {
  const { webhook_id: route, webhook_token: token } = options.ratings
  return route === undefined || token === undefined ? '' : address(baseUrl, `${source.token}watcher`, { route, token })
}

/** The address for the ratings of all routes of a provider; empty while it has none. */
export function sharedRatingsUrl({ settings }: AccessInput, source: ProviderDescription, baseUrl: string): string {
  const token = storedToken(settings.webhook_ids, ratingTokenName(source.id))
  return token === undefined ? '' : address(baseUrl, `${source.token}watcher`, { token })
}

function address(baseUrl: string, path: string, query: Readonly<Record<string, string>>): string {
  return `${baseUrl}/webhook/${path}?${new URLSearchParams(query).toString()}`
}
