// The plugins of a test host, from memory: the tested one, and one that represents all others.
import {
  type AnyHook,
  type Capability,
  capability,
  type DefinedPlugin,
  definePlugin,
  type PluginContext,
  type PluginManifest,
  tokenOf,
} from '@playhead/sdk'
import { compilePlugin } from '../host/load/compile.ts'
import { LoadError } from '../host/run/fault.ts'
import type { RegisteredPlugin } from '../host/load/registry.ts'
import type { PluginSources } from '../host/load/sources.ts'
import { declaring, type Undeclared } from './undeclared.ts'

export const OTHERS = 'test'

interface OtherTap {
  readonly hook: AnyHook
  readonly run: (input: never) => unknown
}

/** Capabilities of other plugins. They take effect with the next load. */
interface Others {
  readonly provided: Map<string, object>
  readonly taps: OtherTap[]
  /** The context of the active version. */
  ctx(): PluginContext
}

interface TestPlugins extends PluginSources {
  readonly others: Others
  /** The definition for the next load. */
  plugin: DefinedPlugin
}

interface TestPluginsOptions {
  readonly plugin: DefinedPlugin
  readonly manifest: PluginManifest
  /** The manifest for the next load, without a definition. */
  readonly undeclared: Undeclared | null
  readonly directory: string
  /** The plugin runs on a thread of its own, from the files of the directory. */
  readonly isolated: boolean
  readonly capabilities: Readonly<Record<string, object>>
  readonly hooks: readonly AnyHook[]
}

export function createTestPlugins(options: TestPluginsOptions): TestPlugins {
  const { manifest, undeclared, directory, hooks } = options
  const provided = new Map(Object.entries(options.capabilities))
  const taps: OtherTap[] = []
  let otherContext: PluginContext | undefined
  let builds = 0

  const others = (): DefinedPlugin =>
    definePlugin({
      hooks,
      setup(ctx) {
        otherContext = ctx as never
        for (const [token, value] of provided) ctx.provide(capability(token), value)
        for (const { hook, run } of taps) ctx.tap(hook, OTHERS, run as never)
      },
    }) as never

  const otherManifest = (): PluginManifest => ({
    id: OTHERS,
    name: 'The other plugins',
    version: '1.0.0',
    api: '*',
    kind: 'service',
    provides: [...provided.keys()],
  })

  const place = (id: string): RegisteredPlugin => ({
    formerly: [],
    id,
    directory,
    enabled: true,
    integrity: null,
    origin: 'user',
    package: null,
    granted: null,
    isDevelopment: false,
  })

  const sources: TestPlugins = {
    plugin: options.plugin,
    others: { provided, taps, ctx: () => otherContext as PluginContext },
    list: async () => ({ plugins: [place(manifest.id), place(OTHERS)], problems: [] }),
    manifest: async ({ id }) => (id === OTHERS ? otherManifest() : manifest),
    async build({ id }) {
      builds += 1
      const code = id === OTHERS ? others() : options.isolated ? await compiled() : tested(sources.plugin)
      return { compiled: { code, hash: String(builds), inputs: [], fromCache: false, ms: 0 }, pages: null }
    },
  }
  return sources

  async function compiled(): Promise<string> {
    const { id, entry = 'index.ts' } = manifest
    return (await compilePlugin({ id, directory, entry, cacheDirectory: null })).code
  }

  function tested(given: DefinedPlugin): DefinedPlugin {
    const plugin = undeclared === null ? given : declaring(given, undeclared)
    const registered = new Set<string>()
    return {
      ...plugin,
      async routes(app, made) {
        app.addHook('onRoute', ({ method, url }) => {
          for (const name of [method].flat()) registered.add(`${name} ${url}`)
        })
        await plugin.routes?.(app, made)
      },
      async selfCheck(ctx, made) {
        checkRoutes(registered)
        await plugin.selfCheck?.(ctx, made)
      },
    }
  }

  // The service treats an unknown route as missing; the author should see an error.
  function checkRoutes(registered: ReadonlySet<string>): void {
    const missing = (manifest.routes ?? [])
      .map(({ method, path }) => `${method} ${path}`)
      .filter((route) => !registered.has(route))
    if (missing.length > 0)
      throw new LoadError(
        'routes',
        'PLH_PLUGIN_MANIFEST',
        `plugin.json declares ${missing.join(', ')}, but routes() does not register it.`,
      )
  }
}

export function setProvided({ provided }: Others, reference: Capability, value: object | undefined): void {
  if (value === undefined) provided.delete(tokenOf(reference))
  else provided.set(tokenOf(reference), value)
}
