// The operator's API of the plugin host.
import { PlayheadError, type Streams, Type, skipSerializer, optionalBody } from '@playhead/sdk'
import type { FastifyInstance } from 'fastify'
import { openTopic, TOPIC_SCHEMA } from '../../events/topic-route.ts'
import { Plugin, PluginSummary, Problems } from '../show/plugin-schemas.ts'
import { LANGUAGE_PATTERN } from '../show/texts.ts'
import type { PluginHost } from '../host.ts'

const access = { auth: 'S', scope: 'admin' } as const
const tags = ['Plugins']
const Params = Type.Object({ id: Type.String({ maxLength: 64 }) })
const One = Type.Object({ ok: Type.Boolean(), plugin: Plugin })
const PageParams = Type.Object({
  id: Type.String({ maxLength: 64 }),
  hash: Type.String({ maxLength: 64 }),
  file: Type.String({ maxLength: 200 }),
})
const TYPES: Readonly<Record<string, string>> = { js: 'text/javascript; charset=utf-8', css: 'text/css; charset=utf-8' }
const Empty = optionalBody(Type.Object({}, { additionalProperties: true }))

interface PluginRoutesDependencies {
  readonly host: PluginHost
  readonly streams: Streams
}

export async function pluginRoutes(app: FastifyInstance, { host, streams }: PluginRoutesDependencies): Promise<void> {
  app.get(
    '/api/plugins',
    {
      ...skipSerializer,
      config: { access },
      schema: {
        tags,
        summary: 'All plugins with their state',
        response: {
          200: Type.Object({
            ok: Type.Boolean(),
            safe_mode: Type.Boolean(),
            plugins: Type.Array(PluginSummary),
            problems: Problems,
          }),
        },
      },
    },
    () => ({ ok: true, safe_mode: host.safe, plugins: host.list(), problems: host.problems() }),
  )

  app.get<{ Querystring: { tail?: number; since?: number } }>(
    '/api/plugins/stream',
    {
      config: { access },
      schema: { tags, summary: 'State changes of plugins, as server-sent events', ...TOPIC_SCHEMA },
    },
    (request, reply) => openTopic(streams, 'plugins', request, reply),
  )

  app.get(
    '/api/plugin-texts/:language',
    {
      ...skipSerializer,
      config: {
        access: { auth: 'S' },
        revision: ({ params }) => host.textsRevision((params as { language: string }).language),
      },
      schema: {
        tags,
        summary: 'What the service says, in another language',
        description:
          'The texts that plugins ship for the language, by their English text; `{name}` stands for what differs. ' +
          '`reasons` has what each reason code of an error means, in English.',
        params: Type.Object({ language: Type.String({ pattern: LANGUAGE_PATTERN, maxLength: 12 }) }),
        response: {
          200: Type.Object({
            ok: Type.Boolean(),
            texts: Type.Record(Type.String(), Type.String()),
            reasons: Type.Record(Type.String(), Type.String()),
          }),
        },
      },
    },
    async ({ params }) => ({ ok: true, ...(await host.texts((params as { language: string }).language)) }),
  )

  app.get(
    '/api/plugins/:id/ui/:hash/:file',
    {
      config: { access },
      schema: {
        tags,
        summary: "A file of a plugin's own pages",
        params: PageParams,
        response: { 200: { description: 'A module', content: { 'text/javascript': { schema: { type: 'string' } } } } },
      },
    },
    (request, reply) => {
      const { id, hash, file } = request.params as { id: string; hash: string; file: string }
      const text = host.pageFile(id, hash, file)
      if (text === undefined)
        throw new PlayheadError(
          'PLH_NOT_FOUND',
          `Plugin "${id}" has no such page now. GET /api/plugins names those that it has.`,
          { wire: 'not_found' },
        )
      return reply
        .type(TYPES[file.slice(file.lastIndexOf('.') + 1)] ?? 'application/octet-stream')
        .serializer((body: unknown) => body as string)
        .send(text)
    },
  )

  app.get(
    '/api/plugins/:id',
    {
      ...skipSerializer,
      config: { access },
      schema: { tags, summary: 'One plugin in full', params: Params, response: { 200: One } },
    },
    (request) => ({ ok: true, plugin: host.detail((request.params as { id: string }).id) }),
  )

  for (const [action, summary] of [
    ['reload', 'Loads the plugin again'],
    ['enable', 'Switches the plugin on'],
    ['disable', 'Switches the plugin off'],
  ] as const) {
    app.post(
      `/api/plugins/:id/${action}`,
      {
        ...skipSerializer,
        config: { access },
        schema: {
          tags,
          summary,
          description: '`ok` tells whether the plugin is now in the wished state; `plugin.last_error` says why not.',
          params: Params,
          body: Empty,
          response: { 200: One },
        },
      },
      async (request) => {
        const { id } = request.params as { id: string }
        await host[action](id)
        const plugin = host.detail(id)
        return {
          ok:
            action === 'disable' ? plugin.state !== 'active' : plugin.state === 'active' && plugin.last_error === null,
          plugin,
        }
      },
    )
  }

  app.post(
    '/api/plugins/rescan',
    {
      ...skipSerializer,
      config: { access },
      schema: {
        tags,
        summary: 'Reads the registries again, and adds plugin folders of the data directory',
        body: Empty,
        response: {
          200: Type.Object({
            ok: Type.Boolean(),
            added: Type.Array(
              Type.String({
                description: 'Of folders in `plugins` that no registry listed; they are off until they are enabled.',
              }),
            ),
            plugins: Type.Array(PluginSummary),
            problems: Problems,
          }),
        },
      },
    },
    async () => {
      const added = await host.findFolders()
      await host.rescan()
      return { ok: true, added, plugins: host.list(), problems: host.problems() }
    },
  )
}
