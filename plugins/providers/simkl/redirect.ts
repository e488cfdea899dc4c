// Signing in over a page of SIMKL that leads the browser back here.
import { createHash, randomBytes } from 'node:crypto'
import { type PlayheadError, type ProviderKit, isPlayheadError } from '@playhead/sdk'
import { openApi } from './requests.ts'
import type { Session } from './session.ts'
import type { Profile } from './settings.ts'
import { Token } from './wire.ts'

interface Begun {
  readonly redirectUri: string
  readonly verifier: string
  readonly clientId: string
}

/** The address that the browser is sent to. */
export async function begin(
  { redirects }: ProviderKit<Profile, Session>, profile: Readonly<Profile>, session: string,
  { instance, origin }: { readonly instance: string; readonly origin: string },
): Promise<string> {
  const verifier = randomBytes(32).toString('base64url')
  const begun: Begun = { redirectUri: `${origin}/callback`, verifier, clientId: profile.client_id }
  const state = await redirects.issue(session, instance, { ...begun })
  const url = new URL(profile.authorize_url)
  for (const [name, value] of Object.entries({
    response_type: 'code',
    client_id: begun.clientId,
    redirect_uri: begun.redirectUri,
    state,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  })) url.searchParams.set(name, value)
  return url.href
}

export type Finished = 'done' | 'state' | 'credentials' | 'exchange'

/** Takes the state, so that it works once, then exchanges the code. */
export async function finish(
  kit: ProviderKit<Profile, Session>, session: string,
  { code, state }: { readonly code: string; readonly state: string },
): Promise<Finished> {
  let begun: Begun
  let instance: string
  try {
    const taken = await kit.redirects.take(session, state)
    begun = taken.data as unknown as Begun
    instance = taken.instance
  } catch (error) {
    if (isPlayheadError(error, 'PLH_EXPIRED')) return 'state'
    throw error
  }
  const { redirectUri, verifier, clientId } = begun
  try {
    const account = kit.account(instance)
    const { client_id: id, client_secret: secret } = account.current()
    if (secret === '' || id !== clientId) return 'credentials'
    const { access_token: token } = await openApi(account).json({
      method: 'POST',
      path: '/oauth/token',
      query: { client_id: clientId },
      json: {
        code, client_id: clientId, client_secret: secret, redirect_uri: redirectUri, grant_type: 'authorization_code',
        code_verifier: verifier,
      },
      anonymous: true,
    }, Token)
    // Its own application, also where the profile used that of the first one.
    await account.save({ access_token: token, auth_method: 'oauth', client_id: clientId })
    await kit.forget(instance)
    return 'done'
  } catch (error) {
    if (!isPlayheadError(error)) throw error
    kit.ctx.log.warn({ instance, code: (error as PlayheadError).code }, 'the sign-in at SIMKL could not be finished')
    return 'exchange'
  }
}
