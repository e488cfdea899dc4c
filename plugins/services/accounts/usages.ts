// Usages of a profile: answers to the hook `profileUsage`, and the pairs of the sync engine.
import {
  accountLabel,
  type Logger,
  type PairState,
  PlayheadError,
  type PluginContext,
  type ProfileState,
  type ProfileUsage,
  type ProviderDescription,
  SYNC,
} from '@playhead/sdk'
import { wireToken } from './directory.ts'

export interface Usages {
  /** Includes disabled ones. `known` saves calls. Throws when the engine cannot list its pairs. */
  of(provider: string, instance: string, known?: Known): Promise<readonly ProfileUsage[]>
  /** Throws `PLH_CONFLICT` (`provider_in_use`), or `PLH_NOT_READY` when the usages are unknown. */
  assertUnused(about: Pick<ProviderDescription, 'id' | 'token' | 'label'>, instance: string): Promise<void>
}

interface Known {
  readonly pairs?: readonly PairState[]
  /** Of the provider. */
  readonly profiles?: readonly ProfileState[]
}

interface UsagesOptions {
  readonly ask: (input: {
    readonly provider: string
    readonly instance: string
  }) => Promise<readonly (readonly ProfileUsage[])[]>
  readonly pairs: Pairs
  /** The profiles of a provider. */
  readonly profiles: (provider: string) => Promise<readonly ProfileState[]>
  readonly log: Logger
}

const MAX_NAMED = 5

export function createUsages({ ask, pairs, profiles, log }: UsagesOptions): Usages {
  async function of(provider: string, instance: string, known: Known = {}): Promise<readonly ProfileUsage[]> {
    const [answers, all, others] = await Promise.all([
      ask({ provider, instance }),
      known.pairs ?? pairs(),
      known.profiles ?? profiles(provider),
    ])
    const acting = others.flatMap((profile) => ofActing(profile, instance))
    const usages = new Map<string, ProfileUsage>()
    for (const usage of [...acting, ...answers.flat(), ...all.flatMap((pair) => ofPair(pair, provider, instance))]) {
      const key =
        usage.feature === 'sync_pair'
          ? JSON.stringify(['sync_pair', usage['role'], usage['pair_id']])
          : JSON.stringify(usage)
      if (!usages.has(key)) usages.set(key, usage)
    }
    return [...usages.values()]
  }

  return {
    of,
    async assertUnused({ id, token, label }, instance) {
      let usages: readonly ProfileUsage[]
      try {
        usages = await of(id, instance)
      } catch (error) {
        log.warn({ err: error, provider: id, instance }, 'the usages of a profile are unknown')
        throw new PlayheadError(
          'PLH_NOT_READY',
          'Whether this profile is in use could not be checked. Try again in a moment.',
        )
      }
      if (usages.length === 0) return
      const provider = wireToken(token).toLowerCase()
      const message = sentence(label, instance, usages)
      throw new PlayheadError('PLH_CONFLICT', message, {
        wire: 'provider_in_use',
        details: { provider, instance, usages, message },
      })
    },
  }
}

function ofPair(pair: PairState, provider: string, instance: string): ProfileUsage[] {
  const sides = [
    ['source', pair.source, pair.source_instance],
    ['target', pair.target, pair.target_instance],
  ] as const
  const label = pair.name || `${pair.source} → ${pair.target}`
  return sides
    .filter(([, id, profile]) => id.toUpperCase() === provider && (profile || 'default') === instance)
    .map(([role]) => ({ feature: 'sync_pair', role, pair_id: pair.id, enabled: pair.enabled, label }))
}

/** A profile that acts as a user through the sign-in of this one. */
function ofActing({ id, label, actsAs }: ProfileState, instance: string): ProfileUsage[] {
  if (actsAs?.via !== instance) return []
  return [{ feature: 'acting', enabled: true, label: label || actsAs.name, instance: id }]
}

const NAMES: Readonly<Record<string, string>> = {
  sync_pair: 'pair',
  watcher: 'watcher route',
  webhook: 'webhook',
  run: 'run',
  acting: 'account',
}

function sentence(label: string, instance: string, usages: readonly ProfileUsage[]): string {
  const named = [...new Set(usages.map((usage) => `${NAMES[usage.feature] ?? usage.feature} "${usage.label}"`))]
  const more = named.length > MAX_NAMED ? [`${named.length - MAX_NAMED} more`] : []
  return `${accountLabel(label, instance)} is in use by ${[...named.slice(0, MAX_NAMED), ...more].join(', ')}. Remove it there first.`
}

/** Rethrows errors of the engine; without an engine there are no pairs. */
export type Pairs = () => Promise<readonly PairState[]>

export function createPairs(ctx: Pick<PluginContext, 'tryUse'>): Pairs {
  return async () => (await ctx.tryUse(SYNC)?.pairs()) ?? []
}
