// The core's own routes on a Fastify instance, for requests that no plugin has a route for.
import type { FastifyInstance, FastifyPluginAsync } from 'fastify'
import findMyWay from 'find-my-way'
import { createInstance } from './instance.ts'
import { prelude, type PreludeDependencies } from './prelude.ts'

const MAX_PARAM_LENGTH = 500
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

export interface CoreApp {
  readonly app: FastifyInstance
  /** True for a route of the core; plugins may not claim it. */
  isCoreRoute(method: string, path: string): boolean
}

/** @param areas route plugins of the core, registered in order */
export async function createCoreApp(
  deps: PreludeDependencies & { readonly pluginMethodsAt: (url: string) => readonly string[] },
  areas: readonly FastifyPluginAsync[],
): Promise<CoreApp> {
  const routes = findMyWay({ maxParamLength: MAX_PARAM_LENGTH })
  const app = createInstance(deps, { maxParamLength: MAX_PARAM_LENGTH })
  const methodsAt = (url: string) => {
    const path = url.split('?', 1)[0] as string
    return METHODS.filter((method) => routes.find(method, path) !== null)
  }
  await app.register(prelude, {
    ...deps,
    methodsAt: (url) => [...methodsAt(url), ...deps.pluginMethodsAt(url)],
    onRoute: (route) => {
      for (const method of ([] as string[]).concat(route.method)) {
        if ((METHODS as readonly string[]).includes(method) && routes.findRoute(method as 'GET', route.url) === null)
          routes.on(method as 'GET', route.url, () => {})
      }
    },
  })
  for (const area of areas) await app.register(area)
  return {
    app,
    // A parameter in the plugin's path is tried as a plain word.
    isCoreRoute: (method, path) => routes.find(method as 'GET', path.replaceAll(/:[^/-]+/g, 'parameter')) !== null,
  }
}
