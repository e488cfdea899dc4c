// The capability `accounts`, see sdk/provider/accounts.ts.
import { defined, PlayheadError, type Account, type AccountName, type Accounts, usableLimit } from '@playhead/sdk'
import type { Directory, LiveProvider } from './directory.ts'
import { answerWithin, type Patience, targetOf, type Probes } from './probes.ts'
import type { Uids } from './uids.ts'
import type { Usages } from './usages.ts'

interface AccountsOptions {
  readonly directory: Directory
  readonly uids: Uids
  readonly usages: Usages
  readonly probes: Probes
  readonly forget: (provider: string) => void
  /** Timeout for one account, including its time in the queue. */
  readonly limitMs: number
  readonly emit: (event: 'account.created' | 'account.removed', account: AccountName) => void
}

export function createAccounts({ directory, uids, usages, probes, forget, limitMs, emit }: AccountsOptions): Accounts {
  async function checked(provider: string, instance: string, patience: Patience) {
    const found = await directory.find(provider)
    using limit = usableLimit(limitMs)
    return (await answerWithin(limit.signal, probes, targetOf(found, profileOf(found, instance)), patience)).health
  }

  return {
    providers: async () => (await directory.live()).map(({ about }) => about),
    async list() {
      const { providers, uidOf } = await uids.reconcile(directory.live)
      return providers.flatMap(({ about, profiles }) =>
        profiles.map(
          (profile): Account => ({
            ...profile,
            provider: about.id,
            instance: profile.id,
            uid: uidOf(about.id, profile.id),
          }),
        ),
      )
    },
    async health(provider, instance, { fresh = false, known = false } = {}) {
      if (!known) return checked(provider, instance, fresh ? 'now' : 'usual')
      const found = await directory.find(provider)
      const profile = profileOf(found, instance)
      if (!profile.configured) return { status: 'not_configured', ...defined({ reasonCode: profile.reasonCode }) }
      return probes.last(targetOf(found, profile))?.health ?? { status: 'unknown' }
    },
    async reached(provider, instance) {
      const found = await directory.find(provider)
      return (
        probes.account(targetOf(found, profileOf(found, instance))) ??
        (await checked(provider, instance, 'usual')).account
      )
    },
    async add(provider, order) {
      const { about, handle } = await directory.find(provider)
      const instance = await handle.createProfile(order)
      // The provider may list a new profile with a delay.
      const uid = await uids.make(about.id, instance)
      forget(about.id)
      emit('account.created', { provider: about.id, instance })
      const profile = (await directory.find(about.id)).profiles.find(({ id }) => id === instance)
      const absent = { id: instance, label: order.label ?? '', configured: false, fingerprint: '' }
      return { ...(profile ?? absent), provider: about.id, instance, uid }
    },
    async remove(provider, instance) {
      const found = await directory.find(provider)
      const { id } = profileOf(found, instance)
      await usages.assertUnused(found.about, id)
      await found.handle.removeProfile(id)
      await uids.remove(found.about.id, id)
      forget(found.about.id)
      emit('account.removed', { provider: found.about.id, instance: id })
    },
    usages: (provider, instance) => usages.of(provider, instance),
    async assertUnused(provider, instance) {
      await usages.assertUnused((await directory.find(provider)).about, instance)
    },
    forget: async (provider) => forget(provider),
  }
}

export function profileOf({ about, profiles }: LiveProvider, instance: string): LiveProvider['profiles'][number] {
  const profile = profiles.find(({ id }) => id === instance)
  if (profile !== undefined) return profile
  throw new PlayheadError('PLH_NOT_FOUND', `${about.label} has no such profile.`, { details: { instance } })
}
