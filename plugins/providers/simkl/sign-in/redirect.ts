// Browser sign-in of AUTH V2.
import { type BeginInBrowser, browserSignIn, PlayheadError, type PluginApp, type ProviderKit } from '@playhead/sdk'
import { openApi } from '../requests.ts'
import type { Api } from '../api.ts'
import type { Session } from '../session.ts'
import { authorizeUrlOf, type Profile } from '../settings.ts'
import { Token } from '../wire.ts'
import { askOauth, clientFields, credentialOf, mayWrite, REFUSED } from './tokens.ts'

const ISSUER = 'https://simkl.com'
const OTHER_APPLICATION = {
  reason: 'invalid_client',
  text: 'The client id is missing or has changed. Start the sign-in again.',
}
const READ_ONLY = {
  reason: 'read_only',
  text: 'SIMKL granted reading only. Start the sign-in again, and allow reading and writing.',
}

/** The URL to open. */
export async function begin(
  { redirects }: ProviderKit<Profile, Session>,
  profile: Readonly<Profile>,
  session: string,
  { instance, origin }: { readonly instance: string; readonly origin: string },
): Promise<string> {
  const verifier = createVerifier()
  const pending: PendingSignIn = { redirectUri: `${origin}/callback`, verifier, clientId: profile.client_id }
  const state = await redirects.issue(session, instance, { ...pending })
  const url = new URL(authorizeUrlOf(profile))
  for (const [name, value] of Object.entries({
    response_type: 'code',
    client_id: pending.clientId,
    redirect_uri: pending.redirectUri,
    scope: SCOPE,
    state,
    code_challenge: challengeOf(verifier),
    code_challenge_method: 'S256',
  }))
    url.searchParams.set(name, value)
  return url.href
}

type Exchanged = 'done' | 'credentials' | 'exchange' | 'read_only'
export type Finished = Exchanged | 'state' | 'denied' | 'refused'

const ENDINGS: Readonly<Record<Exchanged, RedirectEnding>> = {
  done: { state: 'authorized' },
  credentials: { state: 'failed', reason: 'invalid_client' },
  exchange: { state: 'failed', reason: 'exchange_failed' },
  read_only: { state: 'failed', reason: 'read_only' },
}

/** Consumes the state, then exchanges the code. */
export async function finish(
  kit: ProviderKit<Profile, Session>,
  session: string,
  { code, state, error, iss }: RedirectReturn & { readonly iss: string },
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
  // The response belongs to another service (RFC 9207).
  if (iss !== '' && iss !== ISSUER && iss !== new URL(authorizeUrlOf(kit.profile(instance))).origin) {
    await kit.redirects.end(instance, ENDINGS.exchange)
    return 'state'
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
): Promise<Exchanged> {
  try {
    const account = kit.account(instance)
    const { client_id: id, client_secret: secret } = account.current()
    if (id !== clientId) return 'credentials'
    const grant = { grant_type: 'authorization_code', code, redirect_uri: redirectUri, code_verifier: verifier }
    const found = await tokenWith(openApi(account), grant, clientId, secret)
    if (found === undefined) return 'exchange'
    if (!mayWrite(found.token.scope)) return 'read_only'
    await account.save({
      ...credentialOf(found.token, clientId, 'oauth'),
      ...(found.secret === secret ? {} : { client_secret: found.secret }),
    })
    await kit.forget(instance)
    return 'done'
  } catch (error) {
    if (!isPlayheadError(error)) throw error
    kit.ctx.log.warn({ instance, code: error.code }, 'the sign-in at SIMKL could not be finished')
    return 'exchange'
  }
}

/** A stored secret may belong to an older application, whereas this one is public. */
async function tokenWith(
  api: Api,
  grant: Readonly<Record<string, string>>,
  clientId: string,
  stored: string,
): Promise<{ readonly token: Token; readonly secret: string }> {
  for (const secret of new Set([stored, ''])) {
    const answer = await askOauth(api, 'token', { ...grant, ...clientFields({ clientId, clientSecret: secret }) })
    if (!REFUSED.includes(answer.status)) return { token: await answer.json(Token), secret }
    await answer.text()
    if (answer.status !== 401) break
  }
  throw new PlayheadError('PLH_AUTH_FAILED', 'SIMKL did not accept the sign-in.', { wire: 'exchange_failed' })
}
