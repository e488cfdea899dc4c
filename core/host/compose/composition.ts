// A composition contains everything that all active plugins registered, as one immutable value: routes, hooks,
// capabilities. It is computed from the active generations and replaced in one assignment.
import type { IncomingMessage, ServerResponse } from 'node:http'
import findMyWay from 'find-my-way'
import { PlayheadError, type HookKind, type RouteDeclaration } from '@playhead/sdk'
import type { Capability } from './capabilities.ts'
import { dormantCapabilities } from '../dormant/dormant.ts'
import type { DormantPlugin } from '../contract.ts'
import { LoadError } from '../run/fault.ts'
import type { ReportFault } from '../run/guard.ts'
import { buildHooks } from './hooks.ts'
import type { Routing } from '../run/requests.ts'
import { MAX_PARAM_LENGTH, type StagedPlugin } from '../run/stage.ts'

type Router = ReturnType<typeof findMyWay<findMyWay.HTTPVersion.V1>>

export interface Composition {
  readonly plugins: ReadonlyMap<string, StagedPlugin>
  readonly capabilities: ReadonlyMap<string, Capability>
  readonly hookKinds: ReadonlyMap<string, HookKind>
  /** Throws PLH_HOOK_UNKNOWN. */
  callHook(name: string, input: unknown): Promise<unknown>
  /** Ids of the plugins that tap the hook. */
  tappedBy(name: string): readonly string[]
  /** Routes the request to a plugin; false if no plugin has the route. */
  route(request: IncomingMessage, response: ServerResponse): boolean
  /** The methods that plugins support at this address. */
  methodsAt(url: string): readonly string[]
}

/** A declared route of a plugin that is not running. */
export interface UnavailableRoute {
  readonly plugin: string
  readonly route: RouteDeclaration
}

interface CompositionParts {
  readonly plugins: ReadonlyMap<string, StagedPlugin>
  /** Plugins that are not active yet: conflicts are their failures. */
  readonly incoming: ReadonlySet<string>
  /** Dormant plugins keep the claims of their last run. */
  readonly dormant: readonly DormantPlugin[]
  /** Routes of plugins that are neither running nor dormant. */
  readonly down: readonly UnavailableRoute[]
  readonly coreHooks: ReadonlyMap<string, HookKind>
  /** True if the core has this route. */
  readonly isCoreRoute: (method: string, path: string) => boolean
  /** Responds for a plugin that is not running, or waits for it. */
  readonly answerUnavailable: (route: UnavailableRoute) => Routing
  /** The route of a running plugin whose requests are stored while it is not running. */
  readonly enterInOrder: (route: UnavailableRoute, enter: Routing) => Routing
  readonly report: ReportFault
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const
const NO_QUERY = {}

/** Pure: throws a LoadError on a conflict and changes nothing. */
export function compose(parts: CompositionParts): Composition {
  const staged = [...parts.plugins.values()]
  const routes = collectRoutes(parts, staged)
  const find = createFinder(routes)
  const hookKinds = new Map(parts.coreHooks)
  const hookOwners = new Map<string, string>()
  const declared = [
    ...staged.map(({ manifest, hookKinds: own }) => ({ id: manifest.id, own: [...own] })),
    ...parts.dormant.map(({ manifest, snapshot }) => ({ id: manifest.id, own: Object.entries(snapshot.hookKinds) })),
  ]
  for (const { id, own } of declared) {
    for (const [name, kind] of own) {
      if (hookKinds.has(name)) throw conflict(parts, 'PLH_CONFLICT', id, hookOwners.get(name), `the hook "${name}"`)
      hookKinds.set(name, kind)
      hookOwners.set(name, id)
    }
  }
  const hooks = buildHooks(
    hookKinds,
    [
      ...staged.map(({ generation, recording }) => ({ generation, taps: recording.taps })),
      ...parts.dormant.map(({ manifest, snapshot, activate }) => ({
        plugin: manifest.id,
        taps: snapshot.taps,
        async activate() {
          const live = (await activate())?.staged
          return live === undefined ? null : { generation: live.generation, taps: live.recording.taps }
        },
      })),
    ],
    parts.report,
  )
  return {
    plugins: parts.plugins,
    capabilities: collectCapabilities(parts, staged),
    hookKinds,
    async callHook(name, input) {
      const hook = hooks.get(name)
      if (hook === undefined) throw new PlayheadError('PLH_HOOK_UNKNOWN', `There is no hook "${name}".`)
      return hook.call(input)
    },
    tappedBy: (name) => hooks.get(name)?.plugins ?? [],
    route(request, response) {
      const enter = find(request.method ?? 'GET', pathOf(request.url ?? '/'))
      if (enter === null) return false
      enter(request, response)
      return true
    },
    methodsAt: (url) => METHODS.filter((method) => find(method, pathOf(url)) !== null),
  }
}

interface ComposedRoute {
  readonly method: string
  readonly path: string
  readonly enter: Routing
}

/**
 * Finds the route of a path. A router compiles code for each part of its paths, so there is one for each area, built by
 * the first request in it: most services are asked for few areas, and each change of a plugin makes new ones.
 */
function createFinder(routes: readonly ComposedRoute[]): (method: string, path: string) => Routing | null {
  const areas = Map.groupBy(routes, ({ path }) => areaOf(path))
  const routers = new Map<string | null, Router>()
  return (method, path) => {
    // Only the router decodes and normalizes paths; most paths need neither.
    const area = PLAIN.test(path) ? areaOf(path) : null
    const inArea = area === null ? routes : areas.get(area)
    if (inArea === undefined) return null
    const router = routers.getOrInsertComputed(area, () => buildRouter(inArea))
    return (router.find(method as findMyWay.HTTPMethod, path)?.handler as Routing | undefined) ?? null
  }
}

const PLAIN = /^\/[^%#]*$/

/** The segments that no route of a plugin leaves open, see `isReserved`. */
function areaOf(path: string): string {
  const [, first = '', second = ''] = path.split('/', 3)
  return SHARED.has(first) ? `${first}/${second}` : first
}

function buildRouter(routes: readonly ComposedRoute[]): Router {
  const router = findMyWay<findMyWay.HTTPVersion.V1>({
    maxParamLength: MAX_PARAM_LENGTH,
    querystringParser: () => NO_QUERY,
  })
  for (const { method, path, enter } of routes) router.on(method as findMyWay.HTTPMethod, path, enter as never)
  return router
}

function collectRoutes(parts: CompositionParts, staged: readonly StagedPlugin[]): readonly ComposedRoute[] {
  const collected: ComposedRoute[] = []
  const owners = new Map<string, string>()
  const isHosts = (method: string, path: string) => isReserved(path) || parts.isCoreRoute(method, path)
  const add = (plugin: string, method: string, path: string, enter: Routing) => {
    if (isHosts(method, path))
      throw conflict(parts, 'PLH_PLUGIN_ROUTE_CONFLICT', plugin, undefined, `${method} ${path}`)
    // Parameter names do not matter, only the shape.
    const shape = `${method} ${path.replaceAll(/:[^/-]+/g, ':')}`
    const other = owners.get(shape)
    if (other !== undefined && other !== plugin)
      throw conflict(parts, 'PLH_PLUGIN_ROUTE_CONFLICT', plugin, other, `${method} ${path}`)
    if (other === plugin) return
    owners.set(shape, plugin)
    collected.push({ method, path, enter })
  }
  for (const { manifest, routes, enter } of staged) {
    for (const { method, path } of routes) {
      const route = manifest.routes?.find((declared) => declared.method === method && declared.path === path)
      const isKept = route?.whenDown?.keep === true
      add(manifest.id, method, path, isKept ? parts.enterInOrder({ plugin: manifest.id, route }, enter) : enter)
    }
  }
  for (const { manifest, snapshot } of parts.dormant) {
    for (const route of manifest.routes ?? []) {
      if (snapshot.routes.some(({ method, path }) => method === route.method && path === route.path))
        add(manifest.id, route.method, route.path, parts.answerUnavailable({ plugin: manifest.id, route }))
    }
  }
  // A disabled plugin claims nothing: an active one may have replaced it.
  for (const down of parts.down) {
    const { method, path } = down.route
    const shape = `${method} ${path.replaceAll(/:[^/-]+/g, ':')}`
    if (!owners.has(shape) && !isHosts(method, path)) add(down.plugin, method, path, parts.answerUnavailable(down))
  }
  return collected
}

/** First segments under which many plugins have routes. */
const SHARED: ReadonlySet<string> = new Set(['api', 'webhook', 'callback'])

/**
 * Addresses for the whole origin or for every route: files at the root, such as a service worker, and addresses that
 * begin with a parameter.
 */
function isReserved(path: string): boolean {
  const [first = '', second] = path.slice(1).split('/')
  const isOpen = (segment: string) => segment === '' || /[:*()]/.test(segment)
  if (isOpen(first) || first.startsWith('.')) return true
  if (second === undefined) return first.includes('.')
  return SHARED.has(first) && isOpen(second)
}

function collectCapabilities(
  parts: CompositionParts,
  staged: readonly StagedPlugin[],
): ReadonlyMap<string, Capability> {
  const capabilities = new Map<string, Capability>()
  const owners = new Map<string, string>()
  const add = (plugin: string, capability: Capability) => {
    const { token } = capability
    if (capabilities.has(token))
      throw conflict(parts, 'PLH_CAPABILITY_CONFLICT', plugin, owners.get(token), `the capability "${token}"`)
    capabilities.set(token, capability)
    owners.set(token, plugin)
  }
  for (const { recording, generation, manifest } of staged)
    for (const [token, value] of recording.capabilities) add(manifest.id, { token, generation, value })
  for (const plugin of parts.dormant)
    for (const capability of dormantCapabilities(plugin)) add(plugin.manifest.id, capability)
  return capabilities
}

/**
 * Two plugins claim the same name. They are visited in registry order, so the second one found may be the active owner.
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
