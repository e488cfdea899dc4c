// Browser sign-in of AUTH V2.
import { PlayheadError, type UpstreamAccount } from '@playhead/sdk'
import { type BrowserRefusal, clientFields, type CodeGrant, type ProviderKit } from '@playhead/sdk/provider'
import { openUpstream } from '../upstream.ts'
import type { Session } from '../session.ts'
import { authorizeUrlOf, type Profile } from '../settings.ts'
import { Token } from '../wire.ts'
import { askOauth, credentialOf, mayWrite, REFUSED } from './tokens.ts'

const ISSUER = 'https://simkl.com'
const OTHER_APPLICATION = {
  reason: 'invalid_client',
  text: 'The client id is missing or has changed. Start the sign-in again.',
}
const READ_ONLY = {
  reason: 'read_only',
  text: 'SIMKL granted reading only. Start the sign-in again, and allow reading and writing.',
}

export function issuersOf(profile: Readonly<Profile>): readonly string[] {
  return [ISSUER, new URL(authorizeUrlOf(profile)).origin]
}

export async function saveCode(
  kit: ProviderKit<Profile, Session>,
  instance: string,
  { code, redirectUri, clientId, verifier }: CodeGrant,
): Promise<BrowserRefusal | undefined> {
  const account = kit.account(instance)
  const { client_id: id, client_secret: stored } = account.current()
  if (id !== clientId) return OTHER_APPLICATION
  const grant = { grant_type: 'authorization_code', code, redirect_uri: redirectUri, code_verifier: verifier }
  const { token, secret } = await tokenWith(openUpstream(account), grant, clientId, stored)
  if (!mayWrite(token.scope)) return READ_ONLY
  await account.save({
    ...credentialOf(token, clientId, 'oauth'),
    ...(secret === stored ? {} : { client_secret: secret }),
  })
  await kit.forget(instance)
  return undefined
}

/** A stored secret may be that of an older application, while this one is public. */
async function tokenWith(
  upstream: UpstreamAccount,
  grant: Readonly<Record<string, string>>,
  clientId: string,
  stored: string,
): Promise<{ readonly token: Token; readonly secret: string }> {
  for (const secret of new Set([stored, ''])) {
    const answer = await askOauth(upstream, 'token', { ...grant, ...clientFields({ clientId, clientSecret: secret }) })
    if (!REFUSED.includes(answer.status)) return { token: await answer.json(Token), secret }
    await answer.text()
    if (answer.status !== 401) break
  }
  throw new PlayheadError('PLH_AUTH_FAILED', 'SIMKL did not accept the sign-in.', { wire: 'exchange_failed' })
}
