// Who a tracker's profile is signed in as, so that what waits for one account never goes to another one. Settings do not
// say it: the same profile may be signed in to somebody else's account.
import type { AccountHealth, AccountName, KeyValueStore } from '@playhead/sdk'
import { sinkKey } from '../store/delivery.ts'

export interface SinkAccounts {
  /** The account at the service; undefined while it is not known. */
  known(sink: AccountName): string | undefined
  /** Asks the service; undefined if it does not say. */
  ask(sink: AccountName): Promise<string | undefined>
  /** After a start: what was known before, else as `ask`. */
  learn(sink: AccountName): Promise<void>
  /** Its settings changed, perhaps its sign-in. */
  forget(sink: AccountName): Promise<void>
}

export interface SinkAccountsOptions {
  readonly store: Pick<KeyValueStore, 'get' | 'set' | 'delete'>
  readonly health: (provider: string, instance: string) => Promise<AccountHealth>
}

export function createSinkAccounts({ store, health }: SinkAccountsOptions): SinkAccounts {
  const accounts = new Map<string, string>()
  const nameOf = (sink: AccountName) => `account ${sinkKey(sink)}`

  async function ask(sink: AccountName): Promise<string | undefined> {
    const { account } = await health(sink.provider, sink.instance)
    if (account === undefined || accounts.get(sinkKey(sink)) === account) return account
    accounts.set(sinkKey(sink), account)
    await store.set(nameOf(sink), account)
    return account
  }

  return {
    known: (sink) => accounts.get(sinkKey(sink)),
    ask,
    async learn(sink) {
      if (accounts.has(sinkKey(sink))) return
      const stored = await store.get<string>(nameOf(sink))
      if (stored === undefined) await ask(sink)
      else accounts.set(sinkKey(sink), stored)
    },
    async forget(sink) {
      accounts.delete(sinkKey(sink))
      await store.delete(nameOf(sink))
    },
  }
}
