// Stages compiled code: evaluate, migrate, setup, routes, checks. Nothing outside the new generation changes; a failure
// releases it and reports the phase and position.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { defined } from '@playhead/sdk/host'
import type { FastifyInstance, RouteOptions } from 'fastify'
import { OPEN_SECTIONS } from '../../config/additions.ts'
import type { ConfigContribution, ConfigSection } from '../../config/contract.ts'
import {
  type DefinedPlugin,
  type HookKind,
  type Logger,
  type PluginContext,
  type PluginManifest,
  type RouteDeclaration,
  isPlayheadError,
  withTimeLimit,
} from '@playhead/sdk'
import { createInstance } from '../../http/instance.ts'
import { createRunning } from '../../own-database/running.ts'
import { prelude } from '../../http/prelude.ts'
import { lazily } from '../../http/validation.ts'
import type { RouteAccess } from '../../http/access/access.ts'
import { runAs, type Owner } from './attribution.ts'
import type { CompiledPlugin } from '../load/compile.ts'
import type { CompiledPages } from '../load/compile-pages.ts'
import { createContext, type ContextRequest } from './context.ts'
import type { StageDependencies } from '../dependencies.ts'
import { evaluatePlugin } from '../load/evaluate.ts'
import { LoadError, positionIn, type FaultPhase } from './fault.ts'
import { checkUses } from './grants.ts'
import { Generation } from './generation.ts'
import { createPluginOutput } from '../load/plugin-console.ts'
import { createPluginGlobals } from '../load/plugin-globals.ts'
import { createRecording, type Recording } from './recording.ts'
import { requestEntry, type Routing } from './requests.ts'
import { sectionsOf } from '../load/manifest-values.ts'
import { loadShared } from '../load/shared-modules.ts'
import type { PluginCode } from '../load/sources.ts'

const SETUP_LIMIT_MS = 10_000
const CHECK_LIMIT_MS = 5_000
/** Item keys may be long. Applies to the host's router and the plugins' own. */
export const MAX_PARAM_LENGTH = 2_000

interface StagedRoute {
  readonly method: string
  readonly path: string
}

export interface StagedPlugin {
  readonly manifest: PluginManifest
  readonly directory: string
  readonly sourceHash: string
  readonly compiled: Pick<CompiledPlugin, 'ms' | 'fromCache' | 'inputs'>
  /** The plugin's browser pages. */
  readonly pages: CompiledPages | null
  readonly generation: Generation
  readonly definition: DefinedPlugin
  readonly context: PluginContext<Record<string, unknown>, Record<string, unknown>>
  /** The return value of `setup`. */
  readonly made: unknown
  readonly recording: Recording
  readonly child: FastifyInstance
  readonly routes: readonly StagedRoute[]
  /** Dispatches requests to its routes. */
  readonly enter: Routing
  readonly hookKinds: ReadonlyMap<string, HookKind>
  readonly timers: () => number
  /** The plugin runs on a thread of its own. */
  readonly isolated: boolean
  readonly stageMs: number
}

interface IsolationParts {
  readonly log: Logger
  readonly setupMs: number
  readonly hookKinds: ReadonlyMap<string, HookKind>
  readonly own: Generation['own']
}

interface Isolation {
  readonly definition: DefinedPlugin
  readonly timers: () => number
  /** The plugin's database is running a migration, on its thread. */
  readonly isMigrating: () => boolean
}

export interface StageRequest
  extends Omit<ContextRequest, 'generation' | 'recording' | 'services' | 'migrating' | 'ownHooks'> {
  readonly seq: number
  readonly compiled: Pick<CompiledPlugin, 'hash' | 'ms' | 'fromCache' | 'inputs'>
  /** The same sources were staged before. */
  readonly isProven?: boolean
  readonly pages?: CompiledPages | null
  /** Hooks of the core and of all other plugins. */
  readonly hookKinds: ReadonlyMap<string, HookKind>
  /** Resolves the settings with this definition's schema; throws if they are invalid. */
  readonly bindConfig: (contribution: ConfigContribution | null, manifest: PluginManifest) => void
  /** Tables may have migrations of a later version. */
  readonly allowsNewer?: boolean
  readonly limits?: { readonly setupMs?: number; readonly checkMs?: number }
  /** For a plugin with a thread of its own: starts the thread and returns a definition that forwards to it. */
  readonly isolate?: (code: string, parts: IsolationParts) => Promise<Isolation>
  /** From npm: it may use only its accepted permissions. */
  readonly isReviewed?: boolean
  readonly onRouteError: (error: unknown) => void
  /** Called for each route of the plugin. */
  readonly onRoute?: (route: RouteOptions) => void
}

/**
 * Stages one plugin. Throws a LoadError after cleaning up. The code is a separate parameter, because the request lives
 * as long as the plugin.
 */
export async function stagePlugin(
  code: PluginCode,
  request: StageRequest,
  core: StageDependencies,
): Promise<StagedPlugin> {
  const startedAt = performance.now()
  const { manifest, directory } = request
  const { id } = manifest
  const generation = new Generation(id, request.seq)
  const globals = createPluginGlobals(
    generation.owner,
    createPluginOutput(
      core.pluginLogger({ plugin: id, generation: request.seq, channels: [], tag: manifest.provider?.id }),
    ),
  )
  generation.own('timers', () => globals.close())

  const running = core.running ?? createRunning()
  let isolated: Isolation | null = null

  const step = async <Result>(
    phase: FaultPhase,
    code: ConstructorParameters<typeof LoadError>[1],
    limitMs: number,
    work: () => Result | Promise<Result>,
  ): Promise<Result> => {
    try {
      return await withTimeLimit(
        runAs(generation.owner, async () => work()),
        limitMs,
        () =>
          new LoadError(
            phase,
            'PLH_PLUGIN_SETUP_TIMEOUT',
            `Plugin "${id}" did not end its ${phase} within ${limitMs / 1000} s.`,
            { position: { file: manifest.entry ?? 'index.ts', line: 1, column: 1 } },
          ),
        () => running.isAny() || isolated?.isMigrating() === true,
      )
    } catch (error) {
      if (error instanceof LoadError) throw error
      const stack = error instanceof Error ? (error.stack ?? null) : null
      throw new LoadError(
        phase,
        isPlayheadError(error) ? error.code : code,
        error instanceof Error ? error.message : String(error),
        { cause: error, position: positionIn(stack, directory) },
      )
    }
  }

  try {
    const migrating = { allowsNewer: request.allowsNewer, running, signal: generation.signal }
    const setupMs = request.limits?.setupMs ?? SETUP_LIMIT_MS
    isolated =
      typeof code === 'string' && request.isolate !== undefined
        ? await request.isolate(code, {
            log: core.pluginLogger({
              plugin: id,
              generation: request.seq,
              channels: (manifest.logChannels ?? []).map(({ tag }) => tag),
              tag: manifest.provider?.id,
            }),
            setupMs,
            hookKinds: request.hookKinds,
            own: (label, release) => generation.own(label, release),
          })
        : null
    const definition =
      isolated?.definition ??
      (typeof code === 'string' ? await evaluate(code, request, generation.owner, globals.module) : code)
    const ownHooks = (definition.hooks ?? []).map(({ name, kind }) => [name, kind] as const)
    const hookKinds = new Map([...request.hookKinds, ...ownHooks])
    request.bindConfig(contributionOf(manifest, definition), manifest)
    // A plugin with a thread migrates on that thread.
    if (isolated === null)
      await step('migrate', 'PLH_PLUGIN_SETUP', setupMs, () => {
        const migrated = core.migrate(id, definition.migrations ?? [], { ...migrating, log: core.log })
        // An aborted migration is rolled back before the failure is reported.
        generation.own('migration', () => migrated.catch(() => {}))
        return migrated
      })

    const recording = createRecording(id)
    const context = createContext(
      {
        ...request,
        migrating,
        generation,
        recording,
        services: (definition.services ?? {}) as ContextRequest['services'],
        hookKinds,
        ownHooks: new Set(ownHooks.map(([name]) => name)),
      },
      core,
    )

    const made = await step('setup', 'PLH_PLUGIN_SETUP', setupMs, () => definition.setup?.(context))
    const { child, routes } = await step('routes', 'PLH_PLUGIN_SETUP', setupMs, () =>
      buildChild(request, definition, { context, made, generation }, core),
    )
    checkDeclarations(manifest, recording)
    if (request.isReviewed === true) checkUses(manifest, recording, definition.config)
    await step('check', 'PLH_PLUGIN_SELF_CHECK', request.limits?.checkMs ?? CHECK_LIMIT_MS, () =>
      definition.selfCheck?.(context, made),
    )
    recording.seal()

    return {
      manifest,
      directory,
      sourceHash: request.compiled.hash,
      compiled: request.compiled,
      pages: request.pages ?? null,
      generation,
      definition,
      context,
      made,
      recording,
      child,
      routes,
      enter: requestEntry(generation, (incoming, response) => child.routing(incoming, response)),
      hookKinds: new Map(ownHooks),
      timers: isolated?.timers ?? globals.timers,
      isolated: isolated !== null,
      stageMs: performance.now() - startedAt,
    }
  } catch (error) {
    await generation.retire('not staged', 0)
    throw error
  }
}

async function evaluate(
  code: string,
  { directory, manifest }: StageRequest,
  owner: Owner,
  globals: object,
): Promise<DefinedPlugin> {
  await loadShared(code)
  // V8 compiles a large plugin in one go; requests are handled before and after.
  await nextTurn()
  const definition = evaluatePlugin(code, { owner, directory, globals, builtins: manifest.needs?.builtins ?? [] })
  await nextTurn()
  return definition
}

async function buildChild(
  request: StageRequest,
  definition: DefinedPlugin,
  { context, made, generation }: Pick<StagedPlugin, 'context' | 'made' | 'generation'>,
  core: StageDependencies,
): Promise<{ child: FastifyInstance; routes: StagedRoute[] }> {
  const { manifest } = request
  const declared = new Map((manifest.routes ?? []).map((route) => [`${route.method} ${route.path}`, route]))
  const routes: StagedRoute[] = []
  const { acceptsToken } = definition
  if (acceptsToken === undefined && [...declared.values()].some(({ auth }) => auth === 'T')) {
    throw new LoadError(
      'routes',
      'PLH_PLUGIN_MANIFEST',
      `Plugin "${manifest.id}" declares a route with "auth": "T", but definePlugin has no acceptsToken that decides about tokens.`,
    )
  }
  const accepts = (token: string) =>
    runAs(generation.owner, async () => (await acceptsToken?.(context, token, made)) === true)
  const child = createInstance(
    { headersFor: core.prelude.headersFor, redact: core.redact },
    { maxParamLength: MAX_PARAM_LENGTH },
  )
  generation.own('routes', () => child.close())

  await child.register(prelude, {
    ...core.prelude,
    // A plugin that signs people in also ends and renews their sessions.
    plugin: { signsIn: manifest.needs?.signIn === true },
    compilers: request.isProven === true ? lazily(core.prelude.compilers) : core.prelude.compilers,
    log: core.log,
    redact: core.redact,
    accessOf: ({ method, url }) => accessOf(declared.get(`${method} ${url}`), accepts),
    onRoute: (route) => {
      request.onRoute?.(route)
      for (const method of ([] as string[]).concat(route.method)) {
        if (!declared.has(`${method} ${route.url}`)) {
          throw new LoadError(
            'routes',
            'PLH_PLUGIN_ROUTE_UNDECLARED',
            `Plugin "${manifest.id}" registers ${method} ${route.url}, which plugin.json does not declare. Add it to "routes".`,
          )
        }
        routes.push({ method, path: route.url })
      }
    },
    onUnexpected: (error) => request.onRouteError(error),
  })
  if (definition.routes !== undefined) {
    await child.register(async (app) => {
      app.decorate('playhead', context)
      await definition.routes?.(app as never, made)
    })
  }
  await child.ready()
  return { child, routes }
}

// Undeclared routes are rejected later; S is the safe default until then.
function accessOf(route: RouteDeclaration | undefined, accepts: NonNullable<RouteAccess['accepts']>): RouteAccess {
  return {
    ...(route?.auth === 'T' ? { accepts } : {}),
    auth: route?.auth ?? 'S',
    duringSetup: route?.duringSetup === true || route?.auth === 'W' || route?.auth === 'SS',
    effects: route?.effects === true,
    ...defined({ scope: route?.scope }),
  }
}

function checkDeclarations(manifest: PluginManifest, recording: Recording): void {
  const missing = (manifest.provides ?? []).filter((token) => !recording.capabilities.has(token))
  if (missing.length > 0) {
    throw new LoadError(
      'check',
      'PLH_CAPABILITY_MISSING',
      `Plugin "${manifest.id}" declares ${missing.map((token) => `"${token}"`).join(', ')} under "provides", but setup() did not provide it.`,
    )
  }
}

function contributionOf(manifest: PluginManifest, definition: DefinedPlugin): ConfigContribution | null {
  const schema = definition.config
  const additions = additionsOf(manifest, definition)
  if (schema === undefined && additions.length === 0) return null
  const several = Array.isArray(manifest.section)
  return {
    owner: manifest.id,
    sections:
      schema === undefined
        ? []
        : sectionsOf(manifest).map((path) => ({ path, schema: several ? (schema.properties[path] as never) : schema })),
    ...(additions.length === 0 ? {} : { additions }),
    ...defined({
      normalize: definition.normalizeConfig as ConfigContribution['normalize'],
      migrate: definition.migrateConfig as ConfigContribution['migrate'],
    }),
  }
}

function additionsOf({ id }: PluginManifest, { addsToSettings = {} }: DefinedPlugin): readonly ConfigSection[] {
  return Object.entries(addsToSettings).map(([path, schema]) => {
    if (!OPEN_SECTIONS.some((open) => open === path)) {
      const text = `Plugin "${id}" adds to the settings "${path}"; plugins may add to ${OPEN_SECTIONS.join(', ')}.`
      throw new LoadError('check', 'PLH_PLUGIN_UNDECLARED', text)
    }
    const bare = Object.entries(schema.properties).find(([, field]) => field.default === undefined)
    if (bare !== undefined) {
      const text = `Plugin "${id}" adds "${path}.${bare[0]}" to the settings without a default.`
      throw new LoadError('check', 'PLH_CONFIG_INVALID', text)
    }
    return { path, schema }
  })
}
