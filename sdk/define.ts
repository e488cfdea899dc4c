// definePlugin: the one shape that every plugin has.
import type { FastifyInstance } from 'fastify'
import type { Static, TObject } from '@sinclair/typebox'
import type { AnyHook } from './hooks.ts'
import type { Migration, PluginContext, ServiceInputs } from './context.ts'

/**
 * Factories of a plugin's own services. Each is built once per generation, on first use, and disposed last-in
 * first-out.
 */
export type ServiceFactories<Config, Services> = {
  readonly [Name in keyof Services]: (inputs: ServiceInputs<Config> & Services) => Services[Name]
}

/** The application that `routes` receives: a Fastify instance of the plugin's own, with a few additions of the host. */
export type PluginApp<Config = unknown, Services = unknown> = FastifyInstance & {
  readonly playhead: PluginContext<Config, Services>
}

export interface Handover<Config, Services> {
  /** Plain data of the running generation, taken in the moment of the swap. Must be cloneable; must not wait. */
  give(ctx: PluginContext<Config, Services>): unknown
  /** Receives a clone of it in the new generation. If it throws, the swap does not happen. */
  take(ctx: PluginContext<Config, Services>, value: unknown): void
}

export interface PluginDefinition<Schema extends TObject = TObject, Services = Record<never, never>> {
  /** Settings of the plugin. Mark secrets with `secret: true`: they are encrypted, masked and redacted everywhere. */
  readonly config?: Schema
  /**
   * Fields that the plugin adds to the section `ui`, where clients look for what is shown and how. Each has a default,
   * and a name that nobody else describes (`PLH_CONFLICT`). They are no part of `ctx.config`.
   */
  readonly addsToSettings?: { readonly ui?: TObject }
  /**
   * Brings a changed section into shape at each save, before it is checked: gives missing ids, clamps. Pure, and done
   * in a moment.
   */
  readonly normalizeConfig?: (section: Static<Schema>) => Static<Schema>
  /**
   * Carries a section written by an older version over to this one. Pure, and running it twice changes nothing more.
   */
  readonly migrateConfig?: (section: Static<Schema>, from: { readonly version: string }) => Static<Schema>
  readonly services?: ServiceFactories<Static<Schema>, Services>
  /**
   * Changes to the plugin's own tables, run in order and once each, before `setup`. Only add: the old generation still
   * runs.
   */
  readonly migrations?: readonly Migration[]
  /** Hooks that this plugin calls itself; other plugins may tap them. */
  readonly hooks?: readonly AnyHook[]
  /** Registers everything the plugin does. It has 10 s. Nothing is visible to anyone until the host publishes it. */
  readonly setup?: (ctx: PluginContext<Static<Schema>, Services>) => void | Promise<void>
  /** The plugin's HTTP routes, a Fastify plugin. Every route must be declared in plugin.json. */
  readonly routes?: (app: PluginApp<Static<Schema>, Services>) => void | Promise<void>
  /**
   * Whether the bearer token of a caller without a session opens the plugin's routes that are declared with `"auth":
   * "T"`. Compare with `sameText`; an empty or missing setting must accept nothing. What it throws refuses the caller.
   */
  readonly acceptsToken?: (ctx: PluginContext<Static<Schema>, Services>, token: string) => boolean | Promise<boolean>
  /** A last look before the plugin goes live (5 s): throw to keep the old generation. */
  readonly selfCheck?: (ctx: PluginContext<Static<Schema>, Services>) => void | Promise<void>
  /**
   * Passes in-memory state from the old generation to the new. Prefer `ctx.store`; this is for what is too hot to
   * store.
   */
  readonly handover?: Handover<Static<Schema>, Services>
}

const BRAND = 'playhead.plugin/1'

export interface DefinedPlugin extends PluginDefinition<TObject, Record<string, unknown>> {
  readonly $type: typeof BRAND
}

const KNOWN_KEYS = new Set([
  'config',
  'addsToSettings',
  'normalizeConfig',
  'migrateConfig',
  'services',
  'migrations',
  'hooks',
  'setup',
  'routes',
  'acceptsToken',
  'selfCheck',
  'handover',
])

/**
 * Declares a plugin; it is the default export of the plugin's entry file.
 *
 * @example
 * export default definePlugin({
 *   config: Type.Object({ greeting: Type.String({ default: 'hello' }) }),
 *   routes(app) {
 *     app.get('/api/hello', () => ({ ok: true, text: app.playhead.config.greeting }))
 *   },
 * })
 */
export function definePlugin<Schema extends TObject = TObject, Services = Record<never, never>>(
  definition: PluginDefinition<Schema, Services>,
): DefinedPlugin {
  for (const key of Object.keys(definition)) {
    if (!KNOWN_KEYS.has(key))
      throw new TypeError(`definePlugin does not know "${key}"; it takes ${[...KNOWN_KEYS].join(', ')}`)
  }
  return { ...definition, $type: BRAND } as unknown as DefinedPlugin
}

/** True for what definePlugin returned, of any copy of the SDK with the same contract. */
export function isDefinedPlugin(value: unknown): value is DefinedPlugin {
  return typeof value === 'object' && value !== null && (value as { $type?: unknown }).$type === BRAND
}
