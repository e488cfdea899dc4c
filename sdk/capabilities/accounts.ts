// The directory of accounts, provided as the capability `accounts` by the plugin that keeps profiles. Whoever needs to
// know which accounts exist, whether they work and who uses them asks here.
import { capability } from '../capability.ts'
import { hook } from '../hooks.ts'
import type { AccountHealth, ProfileState, ProviderDescription } from '../provider/contract.ts'

export const ACCOUNTS = capability<Accounts>('accounts')

/** Which settings use this provider profile? Asked before it is deleted or disconnected. */
export const PROFILE_USAGE = hook.collect<
  { readonly provider: string; readonly instance: string },
  readonly ProfileUsage[]
>('profileUsage')

/** A reference to a provider profile that is used somewhere; a plugin reports those of its own settings. */
export interface ProfileUsage {
  readonly feature: string
  readonly label: string
  readonly enabled: boolean
  readonly [field: string]: unknown
}

/** How an account is named across Playhead: `MEDIAB@default`. */
export function accountName(provider: string, instance: string): string {
  return `${provider}@${instance}`
}

export interface Account extends ProfileState {
  readonly provider: string
  /** As `id` of the profile. */
  readonly instance: string
  /**
   * Stays the same for as long as the profile exists; a profile that is made anew under an old id gets another. 32 hex
   * digits.
   */
  readonly uid: string
}

export interface Accounts {
  /** All providers that are live, by id. */
  providers(): Promise<readonly ProviderDescription[]>
  /** All profiles of all live providers; the uid is made when a profile is first seen. */
  list(): Promise<readonly Account[]>
  /**
   * As `Provider.probe`, shared and cached for a moment. `fresh` asks the service. Where no answer comes in time, what
   * was known before, or `unknown` with the reason `timeout`.
   */
  health(provider: string, instance: string, options?: { readonly fresh?: boolean }): Promise<AccountHealth>
  /** Who uses the profile: the answers of the hook `profileUsage`. */
  usages(provider: string, instance: string): Promise<readonly ProfileUsage[]>
  /** Throws `PLH_CONFLICT` (`provider_in_use`, details with the usages) when somebody uses the profile. */
  assertUnused(provider: string, instance: string): Promise<void>
  /** Forgets what is cached about a provider's accounts: after a credential changed. */
  forget(provider: string): Promise<void>
}
