// A fake of the capability `accounts` for provider tests.
import { PlayheadError } from '../errors.ts'
import type { ProfileUsage } from '../capabilities/accounts.ts'

export interface TestAccounts {
  /** Usages by profile id; set by the test. */
  readonly used: Map<string, readonly ProfileUsage[]>
  /** Providers passed to `forget`, one entry per call. */
  readonly forgotten: readonly string[]
  usages(provider: string, instance: string): Promise<readonly ProfileUsage[]>
  assertUnused(provider: string, instance: string): Promise<void>
  forget(provider: string): Promise<void>
}

/**
 * @example
 * const accounts = createTestAccounts()
 * await using host = await createTestHost({ plugin, manifest, capabilities: { accounts } })
 */
export function createTestAccounts(): TestAccounts {
  const used = new Map<string, readonly ProfileUsage[]>()
  const forgotten: string[] = []
  return {
    used,
    forgotten,
    usages: async (_provider, instance) => used.get(instance) ?? [],
    async assertUnused(provider, instance) {
      const usages = used.get(instance) ?? []
      if (usages.length === 0) return
      throw new PlayheadError('PLH_CONFLICT', `The profile ${instance} is in use.`, {
        wire: 'provider_in_use',
        details: { provider: provider.toLowerCase(), instance, usages, message: `The profile ${instance} is in use.` },
      })
    },
    forget: async (provider) => void forgotten.push(provider),
  }
}
