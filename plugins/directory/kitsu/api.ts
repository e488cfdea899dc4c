// Requests to Kitsu: JSON:API with its media type, and the token endpoint. Kitsu gives access tokens for 30 days
// (config/initializers/doorkeeper.rb of github.com/hummingbird-me/kitsu-server).
import { PlayheadError, type Static, type TSchema, type UpstreamAccount } from '@playhead/sdk'
import {
  type AccountContext,
  createLineage,
  endOfAccess,
  type Lineage,
  rateLimits,
  renewTokens,
  serviceOptions,
} from '@playhead/sdk/provider'
import type { Profile } from './settings.ts'
import { Token, Users } from './wire.ts'

const MEDIA_TYPE = 'application/vnd.api+json'
const CONCURRENCY = 2
const REFRESH_SKEW_MS = 120_000
const OAUTH_TIMEOUT_MS = 30_000

type Query = Readonly<Record<string, string | number>>

export interface Api {
  get<Schema extends TSchema>(path: string, query: Query, schema: Schema, signal?: AbortSignal): Promise<Static<Schema>>
  /** Sends a document. Only a repeatable one is sent again after a failure. */
  send<Schema extends TSchema>(
    method: 'POST' | 'PATCH',
    path: string,
    data: object,
    schema: Schema,
    how: { readonly idempotent: boolean; readonly signal: AbortSignal },
  ): Promise<Static<Schema>>
  remove(path: string, signal: AbortSignal): Promise<void>
}

export interface User {
  readonly id: string
  readonly name: string
}

export function openApi(account: AccountContext<Profile>): Api {
  const { server, rate_limit: rate } = account.profile
  const options = serviceOptions(account)
  const upstream: UpstreamAccount = account.upstream({
    ...options,
    baseUrl: `${server}/api/edge`,
    headers: { ...options.headers, accept: MEDIA_TYPE },
    limits: { ...rateLimits(rate), concurrency: CONCURRENCY },
    credential: {
      secrets: () => ({ token: account.current().access_token }),
      place: [{ in: 'header', name: 'authorization', template: 'Bearer {token}' }],
      expiresAtMs: () => endOfAccess(account.current()),
      refreshSkewMs: REFRESH_SKEW_MS,
      refresh: (signal) => refreshTokens(account, signal),
    },
  })
  return {
    get: (path, query, schema, signal) => upstream.json({ path, query, signal }, schema),
    send: (method, path, data, schema, how) =>
      upstream.json(
        { method, path, body: JSON.stringify({ data }), headers: { 'content-type': MEDIA_TYPE }, ...how },
        schema,
      ),
    async remove(path, signal) {
      await upstream.request({ method: 'DELETE', path, signal })
    },
  }
}

/**
 * The owner of the token. Throws `PLH_AUTH_FAILED` if there is none: Kitsu answers a token that it does not know like no token, with
 * what everyone may see.
 */
export async function readUser(api: Api, signal?: AbortSignal): Promise<User> {
  const query = { 'filter[self]': 'true', 'fields[users]': 'name,slug' }
  const [user] = (await api.get('users', query, Users, signal)).data
  if (user === undefined)
    throw new PlayheadError('PLH_AUTH_FAILED', 'Kitsu no longer accepts the sign-in. Sign in again.', {
      details: { reason: 'invalid_token' },
    })
  return { id: user.id, name: user.attributes.name }
}

/** Identity of the sign-in. */
export function lineageOf(account: AccountContext<Profile>): Lineage {
  return createLineage(account, ({ access_token: token }) => token)
}

/** @param tries 1 for a password: Kitsu counts tries */
export async function requestTokens(
  account: AccountContext<Profile>,
  form: Readonly<Record<string, string>>,
  { tries, signal }: { readonly tries?: number; readonly signal?: AbortSignal } = {},
) {
  const oauth = account.upstream({
    baseUrl: `${account.profile.server}/api/oauth`,
    timeoutMs: OAUTH_TIMEOUT_MS,
    ...(tries === undefined ? {} : { tries }),
  })
  const answer = await oauth.request({ method: 'POST', path: 'token', form, anonymous: true, signal })
  const token = await answer.json(Token)
  return {
    access_token: token.access_token,
    refresh_token: token.refresh_token,
    expires_at: Math.floor(Date.now() / 1_000 + token.expires_in),
  }
}

function refreshTokens(account: AccountContext<Profile>, signal: AbortSignal): Promise<void> {
  return renewTokens(account, {
    lineage: lineageOf(account),
    label: 'Kitsu',
    refusedBy: [400, 401],
    exchange: ({ refresh_token }) => requestTokens(account, { grant_type: 'refresh_token', refresh_token }, { signal }),
  })
}
