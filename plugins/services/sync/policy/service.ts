// The capability `manual-policy` for other plugins: adds account names and forwards the rest to the library's thread.
import {
  type AccountName,
  accountName,
  type Accounts,
  FEATURES,
  type ManualPolicyService,
  PlayheadError,
  type PolicyScope,
  type Remote,
} from '@playhead/sdk'
import { canonicalId, type Feature } from '@playhead/sdk/provider'
import type { PolicyWork } from './work.ts'

interface ManualPolicyOptions {
  readonly work: Remote<PolicyWork>
  readonly accounts: Pick<Remote<Accounts>, 'list' | 'providers'>
}

export function createManualPolicy({ work, accounts }: ManualPolicyOptions): ManualPolicyService {
  const known = async () => (await accounts.list()).map(({ provider, instance }) => accountName(provider, instance))

  async function accountIn(scope: PolicyScope): Promise<PolicyScope> {
    const own = normal(scope)
    await assertKnown(own)
    return own
  }

  async function knownAccount(account: AccountName): Promise<AccountName> {
    const own = normalAccount(account)
    await assertKnown(own)
    return own
  }

  /** Throws `PLH_NOT_FOUND` (`unknown_provider`, `unknown_instance`). */
  async function assertKnown({ provider, instance }: AccountName): Promise<void> {
    if ((await known()).includes(accountName(provider, instance))) return
    const isProvider = (await accounts.providers()).some(({ id }) => id === provider)
    const [message, wire] = isProvider
      ? [`${provider} has no profile ${instance}.`, 'unknown_instance']
      : [`There is no provider ${provider}.`, 'unknown_provider']
    throw new PlayheadError('PLH_NOT_FOUND', message, { wire })
  }

  return {
    revision: (scope) => (scope === undefined ? work.revision() : work.revision(normal(scope))),
    scopes: () => work.scopes(),
    async *adds(scope) {
      yield* work.adds(normal(scope))
    },
    addsByKeys: async (scope, keys) => work.addsByKeys(normal(scope), keys),
    blocks: async (scope) => work.blocks(normal(scope)),
    change: async (scope, change) => work.change(await accountIn(scope), change),
    stopped: () => work.stopped(),
    async stop({ accounts: given, ...order }) {
      const chosen = given === null ? null : await Promise.all(given.map(knownAccount))
      return work.stop({ ...order, accounts: chosen })
    },
    syncAgain: (id) => work.syncAgain(id),
    export: work.export,
    import: async (text, options) => work.import(text, options, await known()),
    copies: () => work.copies(),
    restore: async (id) => work.restore(id, await known()),
  }
}

/** Throws `PLH_INVALID` (`unknown_feature`). */
function normal({ feature, ...account }: PolicyScope): PolicyScope {
  if (!FEATURES.includes(feature))
    throw new PlayheadError('PLH_INVALID', `"${String(feature).slice(0, 40)}" is no feature.`, {
      wire: 'unknown_feature',
    })
  return { ...normalAccount(account), feature: feature satisfies Feature }
}

function normalAccount({ provider, instance }: AccountName): AccountName {
  return { provider: provider.trim().toUpperCase().slice(0, 80), instance: canonicalId(instance ?? '').slice(0, 80) }
}
