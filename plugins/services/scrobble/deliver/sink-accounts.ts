// The account that a tracker's profile is signed in to, so that deliveries for one account never go to another. Settings do not
// show it, because the same profile may be signed in to another person's account. The result is not stored, because the
// sign-in may change while the plugin is off.
import type { AccountHealth, AccountName } from '@playhead/sdk'
import { sinkKey } from '../store/delivery.ts'

interface SinkAccounts {
  /** The account at the service; undefined while it is unknown. */
  known(sink: AccountName): string | undefined
  /** Queries the service if the account is unknown; undefined if the service does not report it. */
  read(sink: AccountName): Promise<string | undefined>
  /** The profile's settings changed, possibly including its sign-in. */
  forget(sink: AccountName): void
}

export function createSinkAccounts(
  health: (provider: string, instance: string) => Promise<AccountHealth>,
): SinkAccounts {
  const accounts = new Map<string, string>()
  let changes = 0
  const known = (sink: AccountName) => accounts.get(sinkKey(sink))
  return {
    known,
    async read(sink) {
      const before = known(sink)
      if (before !== undefined) return before
      const changesBefore = changes
      const { account } = await health(sink.provider, sink.instance)
      // The response may belong to the previous sign-in.
      if (changes !== changesBefore) return undefined
      if (account !== undefined) accounts.set(sinkKey(sink), account)
      return account
    },
    forget(sink) {
      changes += 1
      accounts.delete(sinkKey(sink))
    },
  }
}
