// definePlugin: the shape of every plugin.
import type { FastifyInstance } from 'fastify'
import type { Static, TObject } from '@sinclair/typebox'
import type { AnyHook } from './hooks.ts'
import type { PluginContext, ServiceInputs } from './context.ts'
import type { Migration } from './database.ts'

/**
 * Factories of the plugin's services. Each is created once per generation, on first use, and disposed last-in
 * first-out.
 */
export type ServiceFactories<Config, Services> = {
  readonly [Name in keyof Services]: (inputs: ServiceInputs<Config> & Services) => Services[Name]
}

/** The Fastify instance that `routes` receives, with additions of the host. */
export type PluginApp<Config = unknown, Services = unknown> = FastifyInstance & {
  readonly playhead: PluginContext<Config, Services>
}

export interface Handover<Config, Services, Made> {
  /** Plain, cloneable data of the running generation. Synchronous. */
  give(ctx: PluginContext<Config, Services>, made: Made): unknown
  /** Receives the clone in the new generation. Throwing keeps the old generation. */
  take(ctx: PluginContext<Config, Services>, value: unknown, made: Made): void
}

export interface PluginDefinition<Schema extends TObject = TObject, Services = Record<never, never>, Made = unknown> {
  /**
   * Settings of the plugin. Mark secrets with `secret: true`: they are encrypted, masked and redacted everywhere. Forms fold
   * fields with `advanced: true`, and show no fields with `readOnly` or `deprecated`.
   */
  readonly config?: Schema
  /**
   * Fields that the plugin adds to the section `ui`, for clients. Each needs a default and a unique name
   * (`PLH_CONFLICT`). Not part of `ctx.config`.
   */
  readonly addsToSettings?: { readonly ui?: TObject }
  /**
   * Normalizes a changed section at each save, before validation: generates missing ids, clamps values. Pure and fast.
   * `readBySchema` brings a section into the form of its schema.
   */
  readonly normalizeConfig?: (section: Static<Schema>) => Static<Schema>
  /** Migrates a section written by an older version. Pure and idempotent. */
  readonly migrateConfig?: (section: Static<Schema>, from: { readonly version: string }) => Static<Schema>
  readonly services?: ServiceFactories<Static<Schema>, Services>
  /**
   * Migrations of the plugin's tables, run once each, in order, before `setup`. Additive only: the old generation is
   * still running.
   */
  readonly migrations?: readonly Migration[]
  /** Hooks that this plugin calls. */
  readonly hooks?: readonly AnyHook[]
  /**
   * Registers everything the plugin does, within 10 s. The host publishes it afterwards. Its return value is passed to
   * `routes`, `acceptsToken`, `selfCheck` and `handover` as `made`; list it before them, so that its type is inferred.
   */
  readonly setup?: (ctx: PluginContext<Static<Schema>, Services>) => Made | Promise<Made>
  /** HTTP routes as a Fastify plugin. Every route must be declared in plugin.json. */
  readonly routes?: (app: PluginApp<Static<Schema>, Services>, made: Made) => void | Promise<void>
  /**
   * Checks the bearer token of a caller without a session, for routes with `"auth": "T"`. Compare with `sameText`; an
   * empty or missing setting must accept nothing. Throwing refuses the caller.
   */
  readonly acceptsToken?: (
    ctx: PluginContext<Static<Schema>, Services>,
    token: string,
    made: Made,
  ) => boolean | Promise<boolean>
  /** Final check before the plugin becomes active (5 s). Throwing keeps the old generation. */
  readonly selfCheck?: (ctx: PluginContext<Static<Schema>, Services>, made: Made) => void | Promise<void>
  /** Passes in-memory state to the next generation. Prefer `ctx.store`. */
  readonly handover?: Handover<Static<Schema>, Services, Made>
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
 * Declares a plugin: the default export of the entry file.
 *
 * @example
 * export default definePlugin({
 *   config: Type.Object({ greeting: Type.String({ default: 'hello' }) }),
 *   routes(app) {
 *     app.get('/api/hello', () => ({ ok: true, text: app.playhead.config.greeting }))
 *   },
 * })
 */
export function definePlugin<Schema extends TObject = TObject, Services = Record<never, never>, Made = unknown>(
  definition: PluginDefinition<Schema, Services, Made>,
): DefinedPlugin {
  for (const key of Object.keys(definition)) {
    if (!KNOWN_KEYS.has(key))
      throw new TypeError(`definePlugin does not know "${key}"; it takes ${[...KNOWN_KEYS].join(', ')}`)
  }
  return { ...definition, $type: BRAND } as unknown as DefinedPlugin
}

/** True for a result of definePlugin, of any SDK copy with the same contract. */
export function isDefinedPlugin(value: unknown): value is DefinedPlugin {
  return typeof value === 'object' && value !== null && (value as { $type?: unknown }).$type === BRAND
}
