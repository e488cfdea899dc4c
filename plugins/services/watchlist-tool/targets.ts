// Accounts that a removal applies to.
import { PlayheadError, type Account, type Accounts, type Remote } from '@playhead/sdk'
import { wireToken } from './entry.ts'

export interface Targets {
  /** Provider id, or `ALL`. */
  readonly provider: string
  /** Whether the account is selected; it may still lack the item. */
  includes(provider: string, instance: string): boolean
}

const EVERY = new Set(['', 'all', 'any', '*', 'auto'])

/**
 * Throws `PLH_NOT_FOUND` for an unknown provider or profile, and `PLH_CONFLICT` without a connected one. With `ALL` the
 * profile is ignored.
 */
export async function chooseTargets(
  accounts: Pick<Remote<Accounts>, 'list' | 'providers'>,
  providerName: string,
  instanceName: string,
): Promise<Targets> {
  const name = providerName.trim()
  const all = await accounts.list()
  const connected = all.filter(({ configured }) => configured)
  if (name === '' || name.toUpperCase() === 'ALL') {
    if (connected.length === 0)
      throw new PlayheadError('PLH_CONFLICT', 'No account is connected.', {
        wire: 'no connected providers',
        details: { reason: 'no_connected_providers' },
      })
    return toTargets('ALL', connected)
  }
  const found = (await accounts.providers()).find(
    ({ id, token }) => id === name.toUpperCase() || wireToken(token) === wireToken(name),
  )
  if (found === undefined)
    throw new PlayheadError('PLH_NOT_FOUND', 'This service does not exist.', { wire: 'unknown_provider' })
  const own = connected.filter(({ provider }) => provider === found.id)
  const wanted = instanceName.trim().toLowerCase()
  const isWanted = ({ instance }: Account) => EVERY.has(wanted) || instance.toLowerCase() === wanted
  const chosen = own.filter(isWanted)
  if (chosen.length > 0) return toTargets(found.id, chosen)
  if (!all.some((account) => account.provider === found.id && isWanted(account))) {
    throw new PlayheadError('PLH_NOT_FOUND', `${found.label} has no such profile.`, {
      details: { instance: instanceName },
    })
  }
  throw new PlayheadError('PLH_CONFLICT', `${found.label} is not connected.`, {
    wire: `provider '${found.id}' not connected`,
    details: { reason: 'not_connected' },
  })
}

function toTargets(provider: string, accounts: readonly Account[]): Targets {
  const names = new Set(accounts.map((account) => `${account.provider}@${account.instance}`))
  return { provider, includes: (id, instance) => names.has(`${id}@${instance}`) }
}
