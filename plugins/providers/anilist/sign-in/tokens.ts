// Exchanges the authorization code for a token. Tokens last about a year and can be neither refreshed nor revoked.
import {
  type AccountContext,
  PlayheadError,
  type UpstreamAccount,
  type UpstreamAnswer,
  isPlayheadError,
} from '@playhead/sdk'
import { ask } from '../graphql.ts'
import { OwnListsAnswer, Token, type Viewer, ViewerAnswer } from '../wire.ts'
import type { Profile } from '../settings.ts'

const TIMEOUT_MS = 15_000
const REFUSED = [400, 401, 415, 422]
/** The request was malformed, so the code is still valid. */
const NOT_UNDERSTOOD = new Set(['invalid_request', 'unsupported_grant_type'])

export interface Grant {
  readonly code: string
  readonly redirectUri: string
  readonly clientId: string
  readonly clientSecret: string
}

/** Throws `PLH_AUTH_FAILED` (`exchange_failed`) when AniList refuses, and the errors of `ctx.upstream`. */
export async function exchange(account: AccountContext<Profile>, grant: Grant): Promise<string> {
  const upstream = account.upstream({ baseUrl: account.current().oauth_url, timeoutMs: TIMEOUT_MS, tries: 1 })
  const fields = {
    grant_type: 'authorization_code',
    client_id: grant.clientId,
    client_secret: grant.clientSecret,
    redirect_uri: grant.redirectUri,
    code: grant.code,
  }
  const send = (body: { readonly json: object } | { readonly form: Readonly<Record<string, string>> }) =>
    upstream.request({ method: 'POST', path: 'oauth/token', anonymous: true, accept: REFUSED, ...body })
  let answer = await send({ json: fields })
  if (REFUSED.includes(answer.status)) {
    if (!(await isMisunderstood(answer))) throw refused(answer.status)
    answer = await send({ form: fields })
  }
  if (REFUSED.includes(answer.status)) {
    answer
      .stream()
      .on('error', () => {
        /* The status said it all. */
      })
      .destroy()
    throw refused(answer.status)
  }
  return (await answer.json(Token)).access_token
}

async function isMisunderstood(answer: UpstreamAnswer): Promise<boolean> {
  if (answer.status === 415) {
    await answer.text()
    return true
  }
  try {
    const body = (await answer.json()) as { readonly error?: unknown } | null
    return typeof body?.error === 'string' && NOT_UNDERSTOOD.has(body.error)
  } catch (error) {
    if (isPlayheadError(error, 'PLH_UPSTREAM_INVALID')) return false
    throw error
  }
}

function refused(status: number): PlayheadError {
  return new PlayheadError('PLH_AUTH_FAILED', 'AniList did not accept the sign-in.', {
    wire: 'exchange_failed',
    details: { status },
  })
}

export async function readViewer(upstream: UpstreamAccount, signal?: AbortSignal): Promise<Viewer> {
  return (
    await ask(upstream, { query: 'query { Viewer { id name } }' }, ViewerAnswer, { signal, timeoutMs: TIMEOUT_MS })
  ).Viewer
}

/** Names of the custom lists for anime, including empty ones. */
export async function readListNames(upstream: UpstreamAccount, signal: AbortSignal): Promise<readonly string[]> {
  const query = 'query { Viewer { mediaListOptions { animeList { customLists } } } }'
  const {
    Viewer: {
      mediaListOptions: { animeList },
    },
  } = await ask(upstream, { query }, OwnListsAnswer, { signal, timeoutMs: TIMEOUT_MS })
  return animeList.customLists ?? []
}
