// Parses the token in the query, in all forms that webhook addresses have had.
import { defined, type WebhookCall } from '@playhead/sdk'
import type { Source } from './handle.ts'

const MAX_LENGTH = 200
const TOKENS = ['token', 'id', 'secret', 'uid']
// For ratings, `id` is the id of the route.
const RATING_TOKENS = ['token', 'secret', 'uid']
const ROUTES = ['route', 'route_id', 'webhook_id', 'id']
const NAMES = new Set(['profile', ...TOKENS, ...ROUTES])

export function callOf({ provider, purpose }: Source, query: unknown): WebhookCall {
  const values = new Map(Object.entries((query ?? {}) as Readonly<Record<string, unknown>>))
  const first = (names: readonly string[]): string | undefined => {
    for (const name of names) {
      const value = textOf(values.get(name))
      if (value !== undefined) return value
    }
    return undefined
  }
  const profile = first(['profile'])
  const token = first(purpose === 'ratings' ? RATING_TOKENS : TOKENS) ?? bare(values)
  const route = purpose === 'ratings' ? first(ROUTES) : undefined
  return { provider, purpose, ...defined({ profile, token, route }) }
}

/** `?<token>` alone. */
function bare(values: ReadonlyMap<string, unknown>): string | undefined {
  const [only, ...others] = values
  const isBare = only !== undefined && others.length === 0 && only[1] === '' && !NAMES.has(only[0])
  return isBare ? textOf(only[0]) : undefined
}

/** The first of several values. A value that is too long stays invalid. */
function textOf(value: unknown): string | undefined {
  const text: unknown = Array.isArray(value) ? value[0] : value
  return typeof text === 'string' && text !== '' ? text.slice(0, MAX_LENGTH) : undefined
}
