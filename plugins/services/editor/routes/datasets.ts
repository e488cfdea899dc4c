// Routes of the datasets, the workspaces of the tracker, and the providers.
import { oneOf, orNull, type PluginApp, skipSerializer, Type } from '@playhead/sdk'
import { Readable } from 'node:stream'
import type { DatasetBody } from '../dataset/body.ts'
import { listProviders } from '../dataset/providers.ts'
import { type DatasetQuery, readDataset } from '../dataset/read.ts'
import { savePolicy } from '../dataset/save-policy.ts'
import { saveTracker } from '../dataset/save-tracker.ts'
import { listWorkspaces } from '../dataset/workspaces.ts'
import { savePlaylist } from '../playlist/save.ts'
import { viewPlaylist } from '../playlist/view.ts'
import { invalid, readKind, readSource, type Sources } from '../sources.ts'
import { DatasetAnswer, ProvidersAnswer, SaveAnswer, WorkspacesAnswer } from './answers.ts'
import { PlaylistSave } from './playlists.ts'

const BODY_BYTES = 8 * 1024 * 1024
const Name = Type.String({ maxLength: 200 })
const Query = Type.Object({
  kind: Type.Optional(Type.String({ maxLength: 200, description: 'watchlist (default), history, ratings, progress.' })),
  source: Type.Optional(Type.String({ maxLength: 200, description: 'state (default), manual, tracker, playlist.' })),
  provider: Type.Optional(Name),
  provider_instance: Type.Optional(Name),
  endpoint: Type.Optional(Name),
  workspace: Type.Optional(Name),
  snapshot: Type.Optional(Type.String({ maxLength: 200, description: 'The endpoint, or the workspace.' })),
  offset: Type.Integer({ default: 0, minimum: 0, maximum: 10_000_000 }),
  limit: Type.Integer({ default: 500, minimum: 1, maximum: 5_000 }),
  q: Type.Optional(Type.String({ maxLength: 200, description: 'Words in titles, year, ids or key.' })),
  sort: Type.Optional(oneOf(['title', 'year', 'time'])),
  order: oneOf(['asc', 'desc'], 'asc'),
})

const Body = Type.Object(
  {
    ...PlaylistSave.properties,
    kind: Type.Optional(Name),
    source: Type.Optional(Name),
    provider: Type.Optional(orNull(Name)),
    provider_instance: Type.Optional(orNull(Name)),
    endpoint: Type.Optional(orNull(Name)),
    workspace: Type.Optional(orNull(Name)),
    snapshot: Type.Optional(orNull(Name)),
    items: Type.Optional(Type.Unknown({ description: 'Rows by key, or an array with `key`. Absent: unchanged.' })),
    blocks: Type.Optional(Type.Unknown({ description: 'All blocks. Absent: unchanged.' })),
    original_keys: Type.Optional(
      Type.Unknown({ description: 'The keys of the loaded rows. Only these rows are removed.' }),
    ),
    original_blocks: Type.Optional(Type.Unknown({ description: 'The loaded blocks. Only these blocks are removed.' })),
    revision: Type.Optional(
      orNull(
        Type.String({
          maxLength: 500,
          description: 'The loaded `policy_revision` for state and manual, or `revision` for the tracker.',
        }),
      ),
    ),
  },
  { additionalProperties: true, title: 'EditorSaveRequest' },
)

type View = DatasetQuery & { readonly endpoint?: string }

export function registerDatasetRoutes(app: PluginApp, sources: Sources): void {
  app.get<{ Querystring: View }>(
    '/api/editor',
    { ...skipSerializer, schema: { summary: 'Rows to edit', querystring: Query, response: { 200: DatasetAnswer } } },
    async ({ query }, reply) => {
      const source = readSource(query.source)
      if (source !== 'playlist') return readDataset(sources, source, query)
      return reply
        .type('application/json; charset=utf-8')
        .send(
          Readable.from(await viewPlaylist(sources, endpointOf(query.endpoint, query.snapshot)), { objectMode: false }),
        )
    },
  )

  app.post<{ Body: DatasetBody }>(
    '/api/editor',
    {
      ...skipSerializer,
      bodyLimit: BODY_BYTES,
      schema: { summary: 'Save edited rows', body: Body, response: { 200: SaveAnswer, 202: SaveAnswer } },
    },
    async ({ body }, reply) => {
      const source = readSource(body.source)
      const answer =
        source === 'playlist'
          ? await savePlaylist(sources, endpointOf(body.endpoint, body.snapshot), body)
          : source === 'tracker'
            ? await saveTracker(sources, readKind(body.kind), body)
            : await savePolicy(sources, source, readKind(body.kind), body)
      return reply.code('waiting' in answer ? 202 : 200).send(answer)
    },
  )

  app.get<{ Querystring: { provider_instance?: string } }>(
    '/api/editor/tracker/workspaces',
    {
      ...skipSerializer,
      schema: {
        summary: 'Workspaces of the tracker',
        querystring: Type.Object({ provider_instance: Type.Optional(Name) }),
        response: { 200: WorkspacesAnswer },
      },
    },
    ({ query }) => listWorkspaces(sources, query.provider_instance),
  )

  app.get(
    '/api/editor/state/providers',
    { ...skipSerializer, schema: { summary: 'Providers with rows', response: { 200: ProvidersAnswer } } },
    () => listProviders(sources),
  )
}

function endpointOf(...names: readonly (string | null | undefined)[]): string {
  const name = names.find((one) => one != null && one.trim() !== '')
  if (name == null) throw invalid('missing_endpoint', 'Send the list as "endpoint".')
  return name.trim()
}
