// The operator's API of the plugin host.
import { optionalBody, Type } from '@playhead/sdk'
import type { FastifyInstance } from 'fastify'
import type { Streams } from '@playhead/sdk'
import type { PluginHost } from './host.ts'

const access = { auth: 'S' } as const
const tags = ['Plugins']
const Params = Type.Object({ id: Type.String({ maxLength: 64 }) })
const Summary = Type.Object({ id: Type.String(), name: Type.String(), state: Type.String() }, { additionalProperties: true })
const One = Type.Object({ ok: Type.Boolean(), plugin: Summary })
const Empty = optionalBody(Type.Object({}, { additionalProperties: true }))

export interface PluginRoutesDependencies {
  readonly host: PluginHost
  readonly streams: Streams
}

export async function pluginRoutes(app: FastifyInstance, { host, streams }: PluginRoutesDependencies): Promise<void> {
  app.get('/api/plugins', {
    config: { access },
    schema: { tags, summary: 'All plugins with their state', response: { 200: Type.Object({ ok: Type.Boolean(), safe_mode: Type.Boolean(), plugins: Type.Array(Summary), problems: Type.Array(Type.Object({ code: Type.String(), message: Type.String() })) }) } },
  }, () => ({ ok: true, safe_mode: host.safe, plugins: host.list(), problems: host.problems() }))

  app.get('/api/plugins/stream', {
    config: { access },
    schema: { tags, summary: 'State changes of plugins, as server-sent events', querystring: Type.Object({ tail: Type.Optional(Type.Integer({ minimum: 0, maximum: 3000 })), since: Type.Optional(Type.Integer({ minimum: 1 })) }) },
  }, (request, reply) => {
    const { tail = 0, since } = request.query as { tail?: number; since?: number }
    return streams.open(request, reply, { topics: ['plugins'], tail, ...(since === undefined ? {} : { since }) })
  })

  app.get('/api/plugins/:id', {
    config: { access },
    schema: { tags, summary: 'One plugin in full', params: Params, response: { 200: One } },
  }, (request) => ({ ok: true, plugin: host.detail((request.params as { id: string }).id) }))

  for (const [action, summary] of [['reload', 'Loads the plugin anew'], ['enable', 'Switches the plugin on'], ['disable', 'Switches the plugin off']] as const) {
    app.post(`/api/plugins/:id/${action}`, {
      config: { access },
      schema: { tags, summary, description: '`ok` tells whether the plugin is now in the wished state; `plugin.last_error` says why not.', params: Params, body: Empty, response: { 200: One } },
    }, async (request) => {
      const { id } = request.params as { id: string }
      await host[action](id)
      const plugin = host.detail(id)
      return { ok: action === 'disable' ? plugin.state !== 'active' : plugin.state === 'active' && plugin.last_error === null, plugin }
    })
  }

  app.post('/api/plugins/rescan', {
    config: { access },
    schema: { tags, summary: 'Reads the registries again', body: Empty, response: { 200: Type.Object({ ok: Type.Boolean(), plugins: Type.Array(Summary), problems: Type.Array(Type.Object({ code: Type.String(), message: Type.String() })) }) } },
  }, async () => {
    await host.rescan()
    return { ok: true, plugins: host.list(), problems: host.problems() }
  })
}
