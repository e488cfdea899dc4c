// A plugin without a plugin.json: every registration counts as declared.
import fastify from 'fastify'
import {
  type DefinedPlugin,
  type PluginContext,
  type PluginManifest,
  type RouteDeclaration,
  tokenOf,
} from '@playhead/sdk'

export type Undeclared = PluginManifest & { readonly provides: string[]; readonly routes: RouteDeclaration[] }

export function createUndeclared(): Undeclared {
  return {
    id: 'tested',
    name: 'Tested plugin',
    version: '0.0.0',
    api: '*',
    kind: 'service',
    provides: [],
    routes: [],
    needs: {
      database: true,
      files: ['captures', 'backups', 'reports', 'exports', 'cache', 'imports'],
      listFiles: true,
      inspect: true,
      signIn: true,
      hosts: ['127.0.0.1', 'localhost', '::1'],
    },
  }
}

/** Adds the plugin's registrations to the manifest before the host reads it. */
export function declaring(plugin: DefinedPlugin, { provides, routes }: Undeclared): DefinedPlugin {
  return {
    ...plugin,
    async setup(ctx) {
      provides.length = 0
      routes.length = 0
      const made = await plugin.setup?.(
        Object.create(ctx, {
          provide: {
            value: (...given: Parameters<PluginContext['provide']>) => {
              provides.push(tokenOf(given[0]))
              ctx.provide(...given)
            },
          },
        }) as typeof ctx,
      )
      routes.push(...(await routesOf(plugin, ctx, made)))
      return made
    },
  }
}

/** Registrations are known from here on. */
async function routesOf(
  { routes }: DefinedPlugin,
  ctx: PluginContext,
  made: unknown,
): Promise<readonly RouteDeclaration[]> {
  if (routes === undefined) return []
  const found: RouteDeclaration[] = []
  const app = fastify({ exposeHeadRoutes: false })
  app.setValidatorCompiler(() => () => true)
  app.setSerializerCompiler(() => () => '')
  app.decorate('playhead', ctx)
  app.addHook('onRoute', ({ method, url }) => {
    for (const name of [method].flat()) found.push({ method: name as RouteDeclaration['method'], path: url })
  })
  await app.register(async (child) => void (await routes(child as never, made)))
  await app.ready()
  await app.close()
  return found
}
