// Tokens of webhook addresses. A token is created when its profile, route or setting is saved, and lives as long as that.
import { randomBytes } from 'node:crypto'
import type { RouteSettings } from '../settings.ts'
import { SHORTEST_TOKEN } from './forms.ts'

/** 24 random bytes as base64url: 32 characters. */
export function newToken(): string {
  return randomBytes(24).toString('base64url')
}

/** The stored token, if it has the required length. */
export function storedToken(tokens: Readonly<Record<string, string>>, name: string): string | undefined {
  const token = Object.hasOwn(tokens, name) ? tokens[name] : undefined
  return token !== undefined && token.length >= SHORTEST_TOKEN ? token : undefined
}

/**
 * The route with the credentials of its rating address, which exist while the route sends ratings.
 *
 * @param before the stored route; its credentials are kept unless `renew`
 */
export function withRatingAddress(
  route: RouteSettings,
  before: RouteSettings | undefined,
  renew: boolean,
): RouteSettings {
  const { mode, targets } = route.options.ratings
  const hasAddress = mode === 'custom' && targets.length > 0
  const old = before?.options.ratings
  const keeps = !renew && old?.webhook_id !== undefined && (old.webhook_token?.length ?? 0) >= SHORTEST_TOKEN
  const ratings = !hasAddress
    ? { mode, targets }
    : keeps
      ? { mode, targets, webhook_id: old.webhook_id, webhook_token: old.webhook_token }
      : { mode, targets, webhook_id: randomBytes(9).toString('base64url'), webhook_token: newToken() }
  return { ...route, options: { ...route.options, ratings: ratings as RouteSettings['options']['ratings'] } }
}
