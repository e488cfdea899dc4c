// The accounts, their providers, the settings, and the effective configuration of each revision.
import { ACCOUNTS, type Account, CONFIG_SAVED, type PluginContext, type ProviderDescription } from '@playhead/sdk'
import { makeEffective } from './config/effective.ts'
import type { Effective } from './contract.ts'
import type { ScrobbleConfig } from './settings.ts'

export interface World {
  readonly settings: ScrobbleConfig
  readonly accounts: readonly Account[]
  readonly descriptions: readonly ProviderDescription[]
  readonly effective: Effective
}

export interface Worlds {
  /** Whether a route or webhook profile exists, even a disabled one. */
  isConfigured(): boolean
  /** The configuration that was last read. */
  readonly current: World
  /** Reads the configuration if something changed, or if it was never read. */
  read(): Promise<World>
  /** Reads the configuration again after a change; resolves when the listeners use it. */
  refresh(): Promise<World>
  /** Called with each changed configuration. */
  onChange(listener: (world: World) => void | Promise<void>): void
  describe(provider: string): ProviderDescription | undefined
  tokenOf(provider: string): string
}

export function createWorlds(ctx: PluginContext<ScrobbleConfig>): Worlds {
  const listeners: ((world: World) => void | Promise<void>)[] = []
  const settings = () => ctx.config as ScrobbleConfig
  let current: World = {
    settings: settings(),
    accounts: [],
    descriptions: [],
    effective: makeEffective(settings(), [], []),
  }
  let isStale = true
  let reading: Promise<World> | null = null
  /**
   * The listeners receive one configuration after the other. No read waits for them, because they read the
   * configuration too.
   */
  let following: Promise<void> = Promise.resolve()

  function isConfigured(): boolean {
    const { watch, webhook } = settings()
    return watch.routes.length > 0 || Object.keys(webhook.profiles).length > 0
  }

  async function load(): Promise<World> {
    isStale = false
    try {
      const accounts = ctx.use(ACCOUNTS)
      const [list, descriptions] = await Promise.all([accounts.list(), accounts.providers()])
      const next = { settings: settings(), accounts: list, descriptions }
      const effective = makeEffective(next.settings, list, descriptions)
      const isChanged = JSON.stringify(effective) !== JSON.stringify(current.effective)
      current = { ...next, effective: isChanged ? effective : current.effective }
      if (isChanged) follow(current)
      return current
    } catch (error) {
      isStale = true
      throw error
    } finally {
      reading = null
    }
  }

  function follow(world: World): void {
    following = following
      .catch(() => {})
      .then(async () => {
        for (const listener of listeners) await listener(world)
      })
    following.catch((error: unknown) => {
      isStale = true
      ctx.log.warn({ err: error }, 'a changed configuration could not be used')
    })
  }

  function changed(): void {
    isStale = true
    // Without routes and webhooks the next reader loads it, so that no other plugin is loaded now.
    if (isConfigured())
      void read().catch((error: unknown) => ctx.log.warn({ err: error }, 'the accounts could not be read'))
  }

  function read(): Promise<World> {
    if (!isStale && reading === null) return Promise.resolve(current)
    // A change during a read causes another read.
    if (reading !== null) return isStale ? reading.then(read, read) : reading
    return (reading = load())
  }

  ctx.onConfigChange(() => changed())
  ctx.tap(CONFIG_SAVED, 'scrobble', () => changed())
  ctx.events.on('plugin.*', () => changed())

  const describe = (provider: string) => current.descriptions.find(({ id }) => id === provider)
  return {
    get current() {
      return current
    },
    isConfigured,
    read,
    async refresh() {
      isStale = true
      const world = await read()
      await following
      return world
    },
    onChange: (listener) => void listeners.push(listener),
    describe,
    tokenOf: (provider) => describe(provider)?.token ?? provider.toLowerCase(),
  }
}
