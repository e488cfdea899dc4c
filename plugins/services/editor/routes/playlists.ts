// Routes that read and save playlists in the editor.
import { oneOf, orNull, type PluginApp, skipSerializer, Type } from '@playhead/sdk'
import { Readable } from 'node:stream'
import { type PlaylistBody, savePlaylist } from '../playlist/save.ts'
import { listEndpoints } from '../playlist/endpoints.ts'
import { viewPlaylist } from '../playlist/view.ts'
import type { Sources } from '../sources.ts'
import { EndpointsAnswer, PlaylistAnswer, PlaylistSaveAnswer } from './answers.ts'

const BODY_BYTES = 8 * 1024 * 1024
const Params = Type.Object({ endpoint_id: Type.String({ minLength: 1, maxLength: 200 }) })
const LOSSES = [
  'list',
  'entries',
  'order',
  'added_at',
  'status',
  'watchlist',
  'history',
  'ratings',
  'progress',
] as const

export const PlaylistSave = Type.Object(
  {
    items: Type.Optional(
      Type.Unknown({
        description:
          'All rows of the list: an array in the wanted order, or an object by key, ordered by `_position`. A row of the list keeps its `key` and `_playlist_item_id`.',
      }),
    ),
    original_keys: Type.Optional(
      Type.Unknown({ description: 'The keys of the loaded entries. Only these entries are removed.' }),
    ),
    original_ids: Type.Optional(
      Type.Unknown({ description: 'The ids of the loaded entries; they distinguish copies of an item.' }),
    ),
    checkpoint: Type.Optional(orNull(Type.String({ maxLength: 500, description: 'The loaded checkpoint.' }))),
    force: Type.Optional(Type.Boolean({ description: 'Save although the list changed since it was loaded.' })),
    confirm_clear: Type.Optional(Type.Boolean({ description: 'Confirms that the list is meant to be empty.' })),
    confirm_removals: Type.Optional(Type.Boolean({ description: 'Confirms many removals.' })),
    confirm: Type.Optional(Type.Array(oneOf(LOSSES), { description: 'Losses that are accepted.' })),
    dry_run: Type.Optional(Type.Boolean({ description: 'Only plan and count.' })),
  },
  { additionalProperties: true },
)

export function registerPlaylistRoutes(app: PluginApp, sources: Sources): void {
  app.get(
    '/api/editor/playlists/endpoints',
    { ...skipSerializer, schema: { summary: 'Lists that can be edited', response: { 200: EndpointsAnswer } } },
    async () => ({ ok: true, endpoints: await listEndpoints(sources) }),
  )

  app.get<{ Params: { endpoint_id: string } }>(
    '/api/editor/playlists/:endpoint_id',
    {
      ...skipSerializer,
      schema: { summary: 'A list to edit, read now', params: Params, response: { 200: PlaylistAnswer } },
    },
    async ({ params }, reply) =>
      reply
        .type('application/json; charset=utf-8')
        .send(Readable.from(await viewPlaylist(sources, params.endpoint_id), { objectMode: false })),
  )

  app.post<{ Params: { endpoint_id: string }; Body: PlaylistBody }>(
    '/api/editor/playlists/:endpoint_id',
    {
      ...skipSerializer,
      bodyLimit: BODY_BYTES,
      schema: {
        summary: 'Save an edited list',
        params: Params,
        body: PlaylistSave,
        response: { 200: PlaylistSaveAnswer, 202: PlaylistSaveAnswer },
      },
    },
    async ({ params, body }, reply) => {
      const answer = await savePlaylist(sources, params.endpoint_id, body)
      return reply.code('waiting' in answer ? 202 : 200).send(answer)
    },
  )
}
