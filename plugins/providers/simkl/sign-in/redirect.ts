// OAuth sign-in with redirect.
import { createHash, randomBytes } from 'node:crypto'
import {
  type PlayheadError,
  type ProviderKit,
  type RedirectEnding,
  type RedirectReturn,
  isPlayheadError,
  refusalIn,
} from '@playhead/sdk'
import { openApi } from '../requests.ts'
import type { Session } from '../session.ts'
import type { Profile } from '../settings.ts'
import { Token } from '../wire.ts'

interface PendingSignIn {
  readonly redirectUri: string
  readonly verifier: string
  readonly clientId: string
}

/** The URL to open. */
export async function begin(
  { redirects }: ProviderKit<Profile, Session>,
  profile: Readonly<Profile>,
  session: string,
  { instance, origin }: { readonly instance: string; readonly origin: string },
): Promise<string> {
  const verifier = randomBytes(32).toString('base64url')
  const pending: PendingSignIn = { redirectUri: `${origin}/callback`, verifier, clientId: profile.client_id }
  const state = await redirects.issue(session, instance, { ...pending })
  const url = new URL(profile.authorize_url)
  for (const [name, value] of Object.entries({
    response_type: 'code',
    client_id: pending.clientId,
    redirect_uri: pending.redirectUri,
    state,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  }))
    url.searchParams.set(name, value)
  return url.href
}

export type Finished = 'done' | 'state' | 'denied' | 'refused' | 'credentials' | 'exchange'

const ENDINGS: Readonly<Record<'done' | 'credentials' | 'exchange', RedirectEnding>> = {
  done: { state: 'authorized' },
  credentials: { state: 'failed', reason: 'invalid_client' },
  exchange: { state: 'failed', reason: 'exchange_failed' },
}

/** Consumes the state, then exchanges the code. */
export async function finish(
  kit: ProviderKit<Profile, Session>,
  session: string,
  { code, state, error }: RedirectReturn,
): Promise<Finished> {
  let pending: PendingSignIn
  let instance: string
  try {
    const taken = await kit.redirects.take(session, state)
    pending = taken.data as unknown as PendingSignIn
    instance = taken.instance
  } catch (failure) {
    if (isPlayheadError(failure, 'PLH_EXPIRED')) return 'state'
    throw failure
  }
  const refusal = refusalIn({ error })
  if (refusal !== undefined) {
    await kit.redirects.end(instance, refusal)
    return refusal.state === 'denied' ? 'denied' : 'refused'
  }
  const ending = await exchange(kit, instance, code, pending)
  await kit.redirects.end(instance, ENDINGS[ending])
  return ending
}

async function exchange(
  kit: ProviderKit<Profile, Session>,
  instance: string,
  code: string,
  { redirectUri, verifier, clientId }: PendingSignIn,
): Promise<'done' | 'credentials' | 'exchange'> {
  try {
    const account = kit.account(instance)
    const { client_id: id, client_secret: secret } = account.current()
    if (secret === '' || id !== clientId) return 'credentials'
    const { access_token: token } = await openApi(account).json(
      {
        method: 'POST',
        path: '/oauth/token',
        query: { client_id: clientId },
        json: {
          code,
          client_id: clientId,
          client_secret: secret,
          redirect_uri: redirectUri,
          grant_type: 'authorization_code',
          code_verifier: verifier,
        },
        anonymous: true,
      },
      Token,
    )
    // Stores the client id, also where the profile used another one.
    await account.save({ access_token: token, auth_method: 'oauth', client_id: clientId })
    await kit.forget(instance)
    return 'done'
  } catch (error) {
    if (!isPlayheadError(error)) throw error
    kit.ctx.log.warn({ instance, code: (error as PlayheadError).code }, 'the sign-in at SIMKL could not be finished')
    return 'exchange'
  }
}
