// Who a tracker's profile is signed in as, so that what waits for one account never goes to another one. Settings do not
// say it: the same profile may be signed in to another person's account. Nothing of it is stored, because that may happen
// while the plugin is off.
import type { AccountHealth, AccountName } from '@playhead/sdk'
import { sinkKey } from '../store/delivery.ts'

interface SinkAccounts {
  /** The account at the service; undefined while it is not known. */
  known(sink: AccountName): string | undefined
  /** Asks the service if it is not known; undefined if it does not say. */
  read(sink: AccountName): Promise<string | undefined>
  /** Its settings changed, perhaps its sign-in. */
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
      // The answer may be that of the sign-in before.
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
