// A composition is everything that all live plugins registered, as one immutable value: routes, hooks, capabilities. It
// is computed from the live generations and replaced in one assignment, so nobody ever sees a plugin half there.
import type { IncomingMessage, ServerResponse } from 'node:http'
import findMyWay from 'find-my-way'
import { PlayheadError, type HookKind, type RouteDeclaration } from '@playhead/sdk'
import type { Capability } from './capabilities.ts'
import { LoadError } from './fault.ts'
import type { ReportFault } from './guard.ts'
import { buildHooks } from './hooks.ts'
import type { Routing } from './requests.ts'
import { MAX_PARAM_LENGTH, type StagedPlugin } from './stage.ts'

type Router = ReturnType<typeof findMyWay<findMyWay.HTTPVersion.V1>>

export interface Composition {
  readonly plugins: ReadonlyMap<string, StagedPlugin>
  readonly capabilities: ReadonlyMap<string, Capability>
  readonly hookKinds: ReadonlyMap<string, HookKind>
  /** Throws PLH_HOOK_UNKNOWN. */
  callHook(name: string, input: unknown): Promise<unknown>
  /** Takes the request into a plugin; false when no plugin has the route. */
  route(request: IncomingMessage, response: ServerResponse): boolean
  /** The methods that any plugin answers at this address. */
  methodsAt(url: string): readonly string[]
}

/** A declared route of a plugin that is not running. */
export interface DormantRoute {
  readonly plugin: string
  readonly state: string
  readonly route: RouteDeclaration
}

export interface CompositionParts {
  readonly plugins: ReadonlyMap<string, StagedPlugin>
  /** Those of the plugins that are not live yet: what they claim and others have is their mistake. */
  readonly incoming: ReadonlySet<string>
  readonly dormant: readonly DormantRoute[]
  readonly coreHooks: ReadonlyMap<string, HookKind>
  /** True when the core itself answers this route. */
  readonly isCoreRoute: (method: string, path: string) => boolean
  /** Answers for a plugin that is off. */
  readonly answerDormant: (route: DormantRoute) => Routing
  readonly report: ReportFault
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const
const NO_QUERY = {}

/** Pure: throws a LoadError on any conflict, and changes nothing. */
export function compose(parts: CompositionParts): Composition {
  const staged = [...parts.plugins.values()]
  const router = buildRouter(parts, staged)
  const hookKinds = new Map(parts.coreHooks)
  const hookOwners = new Map<string, string>()
  for (const plugin of staged) {
    for (const [name, kind] of plugin.hookKinds) {
      if (hookKinds.has(name))
        throw conflict(parts, 'PLH_CONFLICT', plugin.manifest.id, hookOwners.get(name), `the hook "${name}"`)
      hookKinds.set(name, kind)
      hookOwners.set(name, plugin.manifest.id)
    }
  }
  const hooks = buildHooks(
    hookKinds,
    staged.map(({ generation, recording }) => ({ generation, taps: recording.taps })),
    parts.report,
  )
  return {
    plugins: parts.plugins,
    capabilities: collectCapabilities(parts, staged),
    hookKinds,
    async callHook(name, input) {
      const call = hooks.get(name)
      if (call === undefined) throw new PlayheadError('PLH_HOOK_UNKNOWN', `There is no hook "${name}".`)
      return call(input)
    },
    route(request, response) {
      const found = router.find(request.method as findMyWay.HTTPMethod, pathOf(request.url ?? '/'))
      if (found === null) return false
      ;(found.handler as unknown as Routing)(request, response)
      return true
    },
    methodsAt: (url) => METHODS.filter((method) => router.find(method, pathOf(url)) !== null),
  }
}

function buildRouter(parts: CompositionParts, staged: readonly StagedPlugin[]): Router {
  const router = findMyWay<findMyWay.HTTPVersion.V1>({
    maxParamLength: MAX_PARAM_LENGTH,
    querystringParser: () => NO_QUERY,
  })
  const owners = new Map<string, string>()
  const add = (plugin: string, method: string, path: string, enter: Routing) => {
    if (parts.isCoreRoute(method, path))
      throw conflict(parts, 'PLH_PLUGIN_ROUTE_CONFLICT', plugin, undefined, `${method} ${path}`)
    // The shape decides, not the names of the parameters.
    const shape = `${method} ${path.replaceAll(/:[^/-]+/g, ':')}`
    const other = owners.get(shape)
    if (other !== undefined && other !== plugin)
      throw conflict(parts, 'PLH_PLUGIN_ROUTE_CONFLICT', plugin, other, `${method} ${path}`)
    if (other === plugin) return
    owners.set(shape, plugin)
    router.on(method as findMyWay.HTTPMethod, path, enter as never)
  }
  for (const plugin of staged)
    for (const { method, path } of plugin.routes) add(plugin.manifest.id, method, path, plugin.enter)
  // A plugin that is off claims nothing: a live one may have taken its place.
  for (const dormant of parts.dormant) {
    const { method, path } = dormant.route
    const shape = `${method} ${path.replaceAll(/:[^/-]+/g, ':')}`
    if (!owners.has(shape) && !parts.isCoreRoute(method, path))
      add(dormant.plugin, method, path, parts.answerDormant(dormant))
  }
  return router
}

function collectCapabilities(
  parts: CompositionParts,
  staged: readonly StagedPlugin[],
): ReadonlyMap<string, Capability> {
  const capabilities = new Map<string, Capability>()
  for (const { recording, generation, manifest } of staged) {
    for (const [token, value] of recording.capabilities) {
      const other = capabilities.get(token)
      if (other !== undefined)
        throw conflict(
          parts,
          'PLH_CAPABILITY_CONFLICT',
          manifest.id,
          other.generation.plugin,
          `the capability "${token}"`,
        )
      capabilities.set(token, { token, generation, value })
    }
  }
  return capabilities
}

/**
 * Two claim one thing. Plugins are gone through in the order of the registry, so the one that is found second may be
 * the one that has it.
 * @param other undefined: the host itself
 */
export function conflict(
  { incoming }: Pick<CompositionParts, 'incoming'>,
  code: 'PLH_CONFLICT' | 'PLH_PLUGIN_ROUTE_CONFLICT' | 'PLH_CAPABILITY_CONFLICT',
  plugin: string,
  other: string | undefined,
  what: string,
): LoadError {
  if (other === undefined)
    return new LoadError('publish', code, `Plugin "${plugin}" claims ${what}, which the host itself has.`)
  const [newcomer, holder] = incoming.has(other) && !incoming.has(plugin) ? [other, plugin] : [plugin, other]
  return new LoadError(
    'publish',
    code,
    `Plugin "${newcomer}" claims ${what}, which plugin "${holder}" has already. Disable one of the two.`,
    { rival: holder },
  )
}

function pathOf(url: string): string {
  const end = url.indexOf('?')
  return end === -1 ? url : url.slice(0, end)
}
