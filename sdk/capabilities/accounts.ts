// The capability `accounts`: which accounts exist, whether they work, and which settings use them.
import { capability } from '../capability.ts'
import { PlayheadError } from '../errors.ts'
import type { Remote } from '../capability.ts'
import { hook } from '../hooks.ts'
import type { AccountHealth, NewProfile, ProfileState, ProviderDescription } from '../provider/contract.ts'
import { DEFAULT_PROFILE } from '../provider/profiles/profile-ids.ts'

export const ACCOUNTS = capability<Accounts>('accounts')

export interface AccountName {
  readonly provider: string
  readonly instance: string
}

/** Thrown when the profile has been signed in to a different account since the last read. */
export function otherAccount(): PlayheadError {
  return new PlayheadError('PLH_CONFLICT', 'Another account is signed in now.', { wire: 'account_changed' })
}

/** An account that a request names. */
export interface NamedAccount extends AccountName {
  readonly account: Account
  readonly description: ProviderDescription
}

/**
 * The provider with this id or token, in any case.
 *
 * @throws `PLH_NOT_FOUND` (`unknown_provider`)
 */
export function namedProvider(providers: readonly ProviderDescription[], given: string): ProviderDescription {
  const name = given.trim().toUpperCase()
  const found = providers.find(({ id, token }) => id === name || token.toUpperCase() === name)
  if (found !== undefined) return found
  throw new PlayheadError('PLH_NOT_FOUND', 'This service does not exist.', { wire: 'unknown_provider' })
}

/** The id of a profile in a request: without one, the default profile. */
export function namedProfile(given: unknown): string {
  const name = (typeof given === 'string' ? given : '').trim().replace(/:\d+$/, '')
  return name === '' || name.toLowerCase() === DEFAULT_PROFILE ? DEFAULT_PROFILE : name
}

/**
 * The account with these names, in any case; it may be signed out.
 *
 * @throws `PLH_NOT_FOUND` (`unknown_provider`, `unknown_instance`)
 */
export async function namedAccount(
  accounts: Pick<Remote<Accounts>, 'providers' | 'list'>,
  provider: string,
  instance: unknown,
): Promise<NamedAccount> {
  const description = namedProvider(await accounts.providers(), provider)
  const profile = namedProfile(instance).toLowerCase()
  const account = (await accounts.list()).find(
    (one) => one.provider === description.id && one.instance.toLowerCase() === profile,
  )
  if (account !== undefined) return { provider: description.id, instance: account.instance, account, description }
  throw new PlayheadError('PLH_NOT_FOUND', `${description.label} has no such profile.`, { wire: 'unknown_instance' })
}

/** Collects the settings that use a provider profile. Called before the profile is deleted or disconnected. */
export const PROFILE_USAGE = hook.collect<
  { readonly provider: string; readonly instance: string },
  readonly ProfileUsage[]
>('profileUsage')

/**
 * An account's health changed: it failed or recovered. Not called after the first check since the start, nor after a
 * change of its settings.
 *
 * @example
 * ctx.tap(ACCOUNT_HEALTH_CHANGED, 'pager', ({ provider, status }) => status === 'auth_failed' && pager.page(provider))
 */
export const ACCOUNT_HEALTH_CHANGED = hook.notify<{
  readonly provider: string
  readonly instance: string
  readonly status: AccountHealth['status']
  readonly before: AccountHealth['status']
  /** A code, for example `unauthorized` or `network`; null if the account works. */
  readonly reasonCode: string | null
  /** A sentence for people; null if the account works. */
  readonly reason: string | null
  /** Epoch milliseconds. */
  readonly checkedAtMs: number
}>('accountHealthChanged')

/** A setting that refers to a provider profile; each plugin reports its own. */
export interface ProfileUsage {
  readonly feature: string
  readonly label: string
  readonly enabled: boolean
  readonly [field: string]: unknown
}

/** The display name of an account: `MEDIAB@default`. */
export function accountName(provider: string, instance: string): string {
  return `${provider}@${instance}`
}

/** The display name of a profile: the name that the person chose, else its number; the default profile is the first. */
export function profileLabel(instance: string, given = ''): string {
  if (given !== '') return given
  const number = /-P0*(\d+)$/.exec(instance)?.[1]
  return number === undefined ? instance : String(Number(number) + 1)
}

/**
 * The display name of an account: the service, and the profile unless it is the default one.
 *
 * @example
 * accountLabel('Jellyfin', 'MEDIAB-P01', 'Kitchen') // 'Jellyfin (Kitchen)'
 */
export function accountLabel(service: string, instance: string, given = ''): string {
  return instance === 'default' ? service : `${service} (${profileLabel(instance, given)})`
}

/** Part of Playhead: its account needs no sign-in. */
export function isLocalSignIn({ signIn }: Pick<ProviderDescription, 'signIn'>): boolean {
  return signIn.flow === 'local'
}

/** A tracker or list service of a third party, to which the terms of services on pairs apply. */
export function isListService(provider: Pick<ProviderDescription, 'signIn' | 'group' | 'features'>): boolean {
  if (isLocalSignIn(provider)) return false
  const takesItems = Object.values(provider.features).some(({ add }) => add)
  return provider.group === 'tracker' || (provider.group === 'other' && takesItems)
}

export interface Account extends ProfileState {
  readonly provider: string
  /** Id of the profile. */
  readonly instance: string
  /** Stable for the lifetime of the profile; a new profile with a reused id gets another uid. 32 hex digits. */
  readonly uid: string
}

export interface Accounts {
  /** Descriptions of all active providers. */
  providers(): Promise<readonly ProviderDescription[]>
  /** All profiles of all active providers. The uid is created on first use. */
  list(): Promise<readonly Account[]>
  /**
   * `Provider.probe`, shared and cached briefly. `fresh` asks the service; `known` does not: it returns the last result of
   * any age, or `unknown` if the account was not checked since its credentials changed. On a timeout: the last known
   * health, or `unknown` with the reason `timeout`.
   */
  health(
    provider: string,
    instance: string,
    options?: { readonly fresh?: boolean; readonly known?: boolean },
  ): Promise<AccountHealth>
  /**
   * The account that the profile reaches, as in `AccountHealth.account`: the last result since its credentials changed,
   * of any age. Asks the service if there is none. Undefined: the service does not answer, or names no account.
   */
  reached(provider: string, instance: string): Promise<string | undefined>
  /** A new profile, which is not signed in. Throws as `Provider.createProfile`, and `PLH_NOT_FOUND` (`unknown_provider`). */
  add(provider: string, profile: NewProfile): Promise<Account>
  /** Removes a profile. Throws `PLH_CONFLICT` (`provider_in_use`) if something uses it, `PLH_NOT_FOUND`. */
  remove(provider: string, instance: string): Promise<void>
  /** The answers of the hook `profileUsage`. */
  usages(provider: string, instance: string): Promise<readonly ProfileUsage[]>
  /** Throws `PLH_CONFLICT` (`provider_in_use`, details with the usages) when the profile is in use. */
  assertUnused(provider: string, instance: string): Promise<void>
  /** Clears cached state of a provider's accounts. Call it after a credential changed. */
  forget(provider: string): Promise<void>
}
