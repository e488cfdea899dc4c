// Creates bad providers from the good template, each with one changed behaviour.
import type {
  DefinedPlugin,
  Item,
  PluginApp,
  PluginContext,
  PluginManifest,
  Provider,
  ReadEnd,
  ReadPart,
} from '@playhead/sdk'
import type { Adapter } from '@playhead/sdk/testing/conformance'

export interface Bad {
  /** The fault. */
  readonly habit: string
  readonly plugin: DefinedPlugin
  /** Checks that must fail, including consequences. No other check of their groups may fail. */
  readonly fails: readonly string[]
  /** Overrides of its plugin.json. */
  readonly manifest?: Partial<PluginManifest>
  /** A provider other than the template: its folder, adapter and checks. */
  readonly of?: { readonly folder: string; readonly adapter: Adapter; readonly checks: readonly string[] }
}

export interface Habits {
  /** Overrides of the provider's methods. */
  readonly provider?: (good: Provider, ctx: PluginContext) => Partial<Provider>
  /** Overrides of the plugin's context. */
  readonly ctx?: (good: PluginContext) => Partial<PluginContext>
  readonly setup?: (ctx: PluginContext) => void
  readonly routes?: DefinedPlugin['routes']
}

export function spoil(plugin: DefinedPlugin, { provider, ctx: change, setup, routes }: Habits): DefinedPlugin {
  const spoilt = new WeakMap<object, PluginContext>()
  const spoiltOf = (ctx: PluginContext): PluginContext => {
    const known = spoilt.get(ctx)
    if (known !== undefined) return known
    const provide: PluginContext['provide'] = (token, value) =>
      ctx.provide(token, provider === undefined ? value : { ...value, ...provider(value as Provider, ctx) })
    const own = Object.create(ctx, descriptors({ provide, ...change?.(ctx) })) as PluginContext
    spoilt.set(ctx, own)
    return own
  }
  return {
    ...plugin,
    async setup(ctx) {
      const made = await plugin.setup?.(spoiltOf(ctx as PluginContext) as never)
      setup?.(ctx as PluginContext)
      return made
    },
    routes:
      routes ??
      ((app, made) =>
        plugin.routes?.(
          new Proxy(app, {
            get(target, key) {
              if (key === 'playhead') return spoiltOf(target.playhead as PluginContext)
              const value = Reflect.get(target, key, target) as unknown
              return typeof value === 'function' ? (value.bind(target) as unknown) : value
            },
          }),
          made,
        )),
    ...(plugin.handover === undefined
      ? {}
      : {
          handover: {
            give: (ctx, made) => plugin.handover?.give(spoiltOf(ctx as PluginContext) as never, made),
            take: (ctx, value, made) => plugin.handover?.take(spoiltOf(ctx as PluginContext) as never, value, made),
          },
        }),
  }
}

/** A plugin whose routes return other responses. */
export function withAnswers(
  plugin: DefinedPlugin,
  change: (answer: Answer) => Partial<Answer> | undefined,
): DefinedPlugin {
  return {
    ...plugin,
    routes(app, made) {
      ;(app as PluginApp).addHook('onSend', async (request, reply, payload) => {
        const [path = '', body] = [request.routeOptions.url, String(payload)]
        const other = change({ path, status: reply.statusCode, body, config: (app as PluginApp).playhead.config })
        if (other?.status !== undefined) reply.code(other.status)
        return other?.body ?? payload
      })
      return plugin.routes?.(app, made)
    },
  }
}

interface Answer {
  readonly path: string
  readonly status: number
  readonly body: string
  /** Settings of the plugin. */
  readonly config: unknown
}

/** A provider whose reads pass through `change`, part by part. */
export function withParts(change: (part: ReadPart) => readonly ReadPart[]): Habits {
  return {
    provider: (good) => ({
      async *read(...args) {
        for await (const part of good.read(...args)) yield* change(part)
      },
    }),
  }
}

export const withRows = (change: (rows: readonly Item[]) => readonly Item[]): Habits =>
  withParts((part) => [part.type === 'rows' ? { ...part, rows: change(part.rows) } : part])

export const withEnd = (change: (end: ReadEnd) => Partial<ReadEnd>): Habits =>
  withParts((part) => [part.type === 'end' ? { ...part, end: { ...part.end, ...change(part.end) } } : part])

export const nothing: ReadPart = { type: 'end', end: { complete: true, semantics: 'present', account: 'somebody' } }

function descriptors(values: object): PropertyDescriptorMap {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, { value: value as unknown, enumerable: true }]),
  )
}
