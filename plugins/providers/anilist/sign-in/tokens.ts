// Gets a token for an authorization code, and keeps one that works. Tokens last a year and can be neither refreshed nor
// revoked.
import { PlayheadError, type UpstreamAnswer, isPlayheadError } from '@playhead/sdk'
import {
  type AccountContext,
  type BrowserRefusal,
  type CodeGrant,
  type ProviderKit,
  saveWhenValid,
} from '@playhead/sdk/provider'
import { Token } from '../wire.ts'
import type { Session } from '../session.ts'
import type { Profile } from '../settings.ts'
import { openUpstream } from '../upstream.ts'
import { readViewer } from '../viewer.ts'

const TIMEOUT_MS = 15_000
/** The documented lifetime, for tokens that do not state their own. */
const LIFE_S = 365 * 86_400
const REFUSED = [400, 401, 415, 422]
/** The request was malformed, so the code is still valid. */
const NOT_UNDERSTOOD = new Set(['invalid_request', 'unsupported_grant_type'])

export const OTHER_STATE = 'State mismatch.'
const failed = (text: string): BrowserRefusal => ({ reason: 'exchange_failed', text })

interface Grant {
  readonly code: string
  readonly redirectUri: string
  readonly clientId: string
  readonly clientSecret: string
}

/** Throws `PLH_AUTH_FAILED` (`exchange_failed`) when AniList refuses, and the errors of `ctx.upstream`. */
async function exchange(account: AccountContext<Profile>, grant: Grant): Promise<string> {
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
        /* The body is not JSON; it adds nothing to the status. */
      })
      .destroy()
    throw refused(answer.status)
  }
  return (await answer.json(Token)).access_token
}

/** Exchanges the code of the browser. */
export async function saveCode(
  kit: ProviderKit<Profile, Session>,
  instance: string,
  { code, redirectUri, clientId: requestedBy }: CodeGrant,
): Promise<BrowserRefusal | undefined> {
  const account = kit.account(instance)
  const { client_id: clientId, client_secret: clientSecret } = account.current()
  if (clientId === '' || clientSecret === '') return failed('Missing app credentials.')
  // A code belongs to the application that requested it.
  if (clientId !== requestedBy) return failed(OTHER_STATE)
  await keepToken(kit, instance, await exchange(account, { code, redirectUri, clientId, clientSecret }))
  return undefined
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

/** Saves a token, and `entered` settings with it, once it has identified its account. */
export function keepToken(
  kit: ProviderKit<Profile, Session>,
  instance: string,
  token: string,
  entered: Readonly<Partial<Profile>> = {},
): Promise<void> {
  return saveWhenValid(kit, instance, { access_token: token }, async (account) => {
    const { id, name } = await readViewer(openUpstream(account))
    const expires_at = Math.floor(Date.now() / 1_000) + LIFE_S
    return { save: { ...entered, access_token: token, expires_at, user: { id, name } }, result: undefined }
  })
}

/** The token in a pasted text: the token itself, with line breaks, or the address of the page. */
export function tokenIn(pasted: string): string | undefined {
  const text = pasted.replace(/^Bearer\s/i, '').replace(/\s+/g, '')
  const token = /[#&?]access_token=([^&]*)/.exec(text)?.[1] ?? text
  // Characters that a header can carry (RFC 6750, 2.1).
  return /^[\w.~+/-]+=*$/.test(token) ? token : undefined
}
