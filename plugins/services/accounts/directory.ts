// Directory of all live providers with their profiles, and of enabled providers whose plugin does not run.
import {
  orWhenAborted,
  PlayheadError,
  PROVIDERS,
  type Capability,
  type PluginContext,
  type PluginSummary,
  type ProfileState,
  type Provider,
  type ProviderDescription,
  type Remote,
  usableLimit,
} from '@playhead/sdk'

export interface LiveProvider {
  readonly about: ProviderDescription
  /** `default` first, then by id. */
  readonly profiles: readonly ProfileState[]
  readonly handle: Remote<Provider>
}

export interface MissingProvider {
  readonly id: string
  readonly token: string
  readonly label: string
  /** Error code, or the state of the plugin. */
  readonly error: string
}

export interface Directory {
  /** Sorted by id. Providers that cannot describe themselves are left out. */
  live(): Promise<readonly LiveProvider[]>
  /** Enabled providers that do not work. */
  missing(live: readonly LiveProvider[]): readonly MissingProvider[]
  /**
   * By id or token, in any case. Throws `PLH_NOT_FOUND` (`unknown_provider`), or `PLH_CAPABILITY_GONE` while its plugin
   * does not run.
   */
  find(name: string): Promise<LiveProvider>
}

// A provider answers this from memory.
const DESCRIBE_TIMEOUT_MS = 3_000

export function createDirectory(
  ctx: Pick<PluginContext, 'capabilities' | 'use' | 'host' | 'log'>,
  describeMs = DESCRIBE_TIMEOUT_MS,
): Directory {
  async function describe(reference: Capability<Provider>): Promise<LiveProvider | undefined> {
    const handle = ctx.use(reference)
    using limit = usableLimit(describeMs)
    try {
      const described = await orWhenAborted(
        Promise.all([handle.describe(), handle.profiles()]),
        limit.signal,
        undefined,
      )
      if (described === undefined)
        throw new PlayheadError('PLH_HOOK_TIMEOUT', `It did not answer within ${describeMs / 1_000} s.`)
      const [about, profiles] = described
      return { about, profiles: profiles.toSorted(defaultFirst), handle }
    } catch (error) {
      ctx.log.warn({ err: error, capability: reference.token }, 'a provider could not describe itself and is left out')
      return undefined
    }
  }

  async function live(): Promise<readonly LiveProvider[]> {
    const found = await Promise.all(ctx.capabilities(PROVIDERS).map(describe))
    return found.filter((one) => one !== undefined).sort((a, b) => (a.about.id < b.about.id ? -1 : 1))
  }

  function missing(running: readonly LiveProvider[]): readonly MissingProvider[] {
    const isRunning = new Set(running.map(({ about }) => about.id))
    return ctx.host
      .plugins()
      .flatMap((plugin) =>
        isWanted(plugin) && !isRunning.has(plugin.provider.id)
          ? [{ ...plugin.provider, error: plugin.error ?? plugin.state }]
          : [],
      )
  }

  return {
    live,
    missing,
    async find(name) {
      const running = await live()
      const found = running.find(({ about }) => isCalled(about, name))
      if (found !== undefined) return found
      const off = missing(running).find((provider) => isCalled(provider, name))
      if (off !== undefined)
        throw new PlayheadError('PLH_CAPABILITY_GONE', `The plugin of ${off.label} does not run; see /api/plugins.`)
      throw new PlayheadError('PLH_NOT_FOUND', 'This service does not exist.', { wire: 'unknown_provider' })
    },
  }
}

/** Name of a provider in paths and fields, whose settings section has another ending. */
export function wireToken(token: string): string {
  return token.replace(/_sync$/i, '')
}

function isCalled({ id, token }: { readonly id: string; readonly token: string }, name: string): boolean {
  const wanted = wireToken(name.trim()).toLowerCase()
  return wanted === id.toLowerCase() || wanted === wireToken(token).toLowerCase()
}

function isWanted(plugin: PluginSummary): plugin is PluginSummary & Required<Pick<PluginSummary, 'provider'>> {
  return plugin.provider !== undefined && plugin.state !== 'disabled'
}

function defaultFirst(a: ProfileState, b: ProfileState): number {
  if (a.id === 'default' || b.id === 'default') return a.id === b.id ? 0 : a.id === 'default' ? -1 : 1
  return a.id < b.id ? -1 : 1
}
