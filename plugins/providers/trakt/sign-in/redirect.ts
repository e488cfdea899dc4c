// Browser sign-in: the authorization code flow with PKCE, without a client secret and with https redirects only.
// https://developer.trakt.tv/docs/pkce
import {
  challengeOf,
  createVerifier,
  isPlayheadError,
  type ProviderKit,
  type RedirectEnding,
  type RedirectReturn,
  refusalIn,
} from '@playhead/sdk'
import { ask } from '../requests.ts'
import type { Session } from '../session.ts'
import type { Profile } from '../settings.ts'
import { Token } from '../wire.ts'
import { credentialOf, openOauth } from './tokens.ts'

export const RETURN_PATH = '/callback/trackA'

type Kit = ProviderKit<Profile, Session>

interface PendingSignIn {
  readonly redirectUri: string
  readonly verifier: string
  readonly clientId: string
  /** The client id was entered for this sign-in, so a stored secret belongs to another application. */
  readonly isNew: boolean
}

/** The URL to open. */
export async function begin(
  { redirects, profile }: Kit,
  session: string,
  { instance, origin, clientId }: { readonly instance: string; readonly origin: string } & Pick<Applicant, 'clientId'>,
): Promise<string> {
  const { client_id: known, oauth_url: oauthUrl } = profile(instance)
  const verifier = createVerifier()
  const pending: PendingSignIn = { redirectUri: origin + RETURN_PATH, verifier, clientId, isNew: clientId !== known }
  const state = await redirects.issue(session, instance, { ...pending })
  const url = new URL(`${oauthUrl}/oauth/authorize`)
  for (const [name, value] of Object.entries({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: pending.redirectUri,
    state,
    code_challenge: challengeOf(verifier),
    code_challenge_method: 'S256',
  }))
    url.searchParams.set(name, value)
  return url.href
}

export type Finished = 'done' | 'state' | 'denied' | 'refused' | 'exchange'

const ENDINGS: Readonly<Record<'done' | 'exchange', RedirectEnding>> = {
  done: { state: 'authorized' },
  exchange: { state: 'failed', reason: 'exchange_failed' },
}

/** Consumes the state, then exchanges the code. */
export async function finish(kit: Kit, session: string, { code, state, error }: RedirectReturn): Promise<Finished> {
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
  kit: Kit,
  instance: string,
  code: string,
  { redirectUri, verifier, clientId, isNew }: PendingSignIn,
): Promise<'done' | 'exchange'> {
  try {
    const account = kit.account(instance)
    const answer = await ask(openOauth(account), {
      method: 'POST',
      path: '/oauth/token',
      json: {
        grant_type: 'authorization_code',
        code,
        client_id: clientId,
        redirect_uri: redirectUri,
        code_verifier: verifier,
      },
      anonymous: true,
    })
    await account.save({
      ...(isNew ? { client_id: clientId, client_secret: '' } : {}),
      ...credentialOf(await answer.json(Token), clientId, Date.now()),
    })
    await kit.forget(instance)
    return 'done'
  } catch (error) {
    if (!isPlayheadError(error)) throw error
    kit.ctx.log.warn({ instance, code: error.code }, 'the sign-in at Trakt could not be finished')
    return 'exchange'
  }
}
