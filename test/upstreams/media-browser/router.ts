// Finds the route of a request, checks its access, and runs the handler.
import type { UpstreamReply, UpstreamRequest } from '../base/index.ts'
import { readCredentials } from './access.ts'
import { type Call, createCall, Refusal } from './call.ts'
import type { Dialect } from './dialect.ts'
import type { World } from './world.ts'

export type Access = 'anyone' | 'signed-in' | 'administrator'

/** Method, path with `{names}`, access, handler. */
export type Route = readonly [
  method: string,
  path: string,
  access: Access,
  handle: (call: Call) => UpstreamReply | Promise<UpstreamReply>,
]

export function createRouter(routes: readonly Route[], world: World, dialect: Dialect) {
  const compiled = routes.map(([method, path, access, handle]) => ({ method, pattern: compile(path), access, handle }))

  return async (request: UpstreamRequest, path: string): Promise<UpstreamReply> => {
    const fitting = compiled.flatMap((route) => {
      const found = route.pattern.exec(path)
      return found === null ? [] : [{ ...route, params: found.groups ?? {} }]
    })
    if (fitting.length === 0) return { status: 404 }
    const route = fitting.find(({ method }) => method === request.method)
    if (route === undefined) return { status: 405 }
    const token = world.tokens.get(readCredentials(request, dialect).token ?? '')
    try {
      if (route.access !== 'anyone') mayAsk(route.access, token?.user, token !== undefined, dialect)
      return await route.handle(createCall({ world, dialect, request, token }, route.params))
    } catch (error) {
      if (error instanceof Refusal) return error.reply
      throw error
    }
  }
}

function mayAsk(
  access: Access,
  user: { administrator: boolean; disabled: boolean } | undefined,
  known: boolean,
  dialect: Dialect,
): void {
  if (!known) throw new Refusal(401, dialect.unauthorizedText)
  if (user?.disabled === true) throw new Refusal(403)
  if (access === 'administrator' && user?.administrator === false) throw new Refusal(403)
}

/** Paths are case-insensitive. */
function compile(path: string): RegExp {
  return new RegExp(`^${path.replace(/\{(\w+)\}/g, '(?<$1>[^/]+)')}/?$`, 'i')
}
