// Identifies the sign-in that a credential comes from. Token refreshes keep the lineage; a new sign-in may be another
// person, so cached data must not carry over.
import type { AccountContext } from '../define-contract.ts'

const KEY = 'lineage'

interface Stored {
  /** Digest of the first credential of the sign-in. */
  readonly first: string
  /** Digest of the latest refreshed credential. */
  readonly current: string
}

export interface Lineage {
  /** Identifies the sign-in: stable across our token refreshes, different after any other change of the credential. */
  current(): Promise<string>
  /**
   * Records that the stored credential was refreshed from the same sign-in.
   * @param first `current` before the refresh
   */
  passOn(first: string): Promise<void>
}

/**
 * The lineage of an account's credential, stored as digests in the account's store.
 *
 * @param credentialOf the credential of requests: an access token or a key
 *
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
