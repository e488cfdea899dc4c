// Which sign-in a credential comes from. Tokens are renewed all the time; another sign-in, or another key, may be another person. What was
// read with the one says nothing about the other.
import type { AccountContext } from '@playhead/sdk'
import { methodOf, type Profile } from './settings.ts'

const KEY = 'lineage'

interface Lineage {
  /** Digest of the first token of the sign-in. */
  readonly first: string
  /** Digest of the token that it was renewed to. */
  readonly current: string
}

/** Stays the same while the tokens are renewed by us, and is another one after any other change of the credential. */
export async function lineageOf(account: AccountContext<Profile>): Promise<string> {
  const current = await digest(credentialOf(account.current()))
  const kept = await account.store.get<Lineage>(KEY)
  return kept?.current === current ? kept.first : current
}

/** The token that is stored now comes from the same sign-in. */
export async function passOn(account: AccountContext<Profile>, first: string): Promise<void> {
  await account.store.set(KEY, { first, current: await digest(credentialOf(account.current())) } satisfies Lineage)
}

function credentialOf(profile: Readonly<Profile>): string {
  return methodOf(profile) === 'api_key' ? `key ${profile.api_key}` : `token ${profile.access_token}`
}

async function digest(text: string): Promise<string> {
  return Buffer.from(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))).toString('base64url')
}
