// Which sign-in a credential comes from. Tokens are renewed all the time; another sign-in may be another person. What
// was read with the one says nothing about the other.
import type { AccountContext } from '../define-contract.ts'

const KEY = 'lineage'

interface Stored {
  /** Digest of the first credential of the sign-in. */
  readonly first: string
  /** Digest of the credential that it was renewed to. */
  readonly current: string
}

export interface Lineage {
  /**
   * Names the sign-in: stays the same while its tokens are renewed by us, and is another after any other change of the
   * credential.
   */
  current(): Promise<string>
  /**
   * The credential that is stored now comes from the same sign-in as one before.
   * @param first what `current` said before the tokens were renewed
   */
  passOn(first: string): Promise<void>
}

/**
 * The lineage of an account's credential, kept in the account's store as digests.
 *
 * @param credentialOf what the requests are made with: the access token, a key
 * @example
 * const lineage = createLineage(account, ({ access_token: token }) => token)
 */
export function createLineage<Profile>(
  account: AccountContext<Profile>,
  credentialOf: (profile: Readonly<Profile>) => string,
): Lineage {
  const digestNow = () => digest(credentialOf(account.current()))
  return {
    async current() {
      const current = await digestNow()
      const kept = await account.store.get<Stored>(KEY)
      return kept?.current === current ? kept.first : current
    },
    async passOn(first) {
      await account.store.set(KEY, { first, current: await digestNow() } satisfies Stored)
    },
  }
}

async function digest(text: string): Promise<string> {
  return Buffer.from(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))).toString('base64url')
}
