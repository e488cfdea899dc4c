// The route of the sign-in manifests.
import { skipSerializer, Type, type PluginApp } from '@playhead/sdk'
import { cardsOf, manifestsOf } from './manifests.ts'
import type { Parts } from './parts.ts'

const TextOrNull = Type.Union([Type.String(), Type.Null()])

const Operation = Type.Object({
  method: Type.String(),
  path: Type.String(),
  query: Type.Array(Type.String()),
  body: Type.Array(Type.String()),
})
const OperationOrNull = Type.Union([Operation, Type.Null()])
const Way = Type.Object({
  method: Type.String(),
  kind: Type.Unsafe<string>({ type: 'string', enum: ['form', 'code', 'redirect', 'none'] }),
  title: Type.String(),
  help: TextOrNull,
  form: Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Null()], {
    description: 'JSON schema of what has to be entered.',
  }),
  prepare: OperationOrNull,
  start: OperationOrNull,
  poll: OperationOrNull,
  finish: OperationOrNull,
  cancel: OperationOrNull,
  paste: Type.Optional(OperationOrNull),
  shows: Type.Object({ code: TextOrNull, url: TextOrNull }),
})

const ManifestAnswer = Type.Object({
  name: Type.String({ description: 'Id of the provider.' }),
  label: Type.String(),
  flow: Type.String({ description: 'The main sign-in method; empty while the provider is not available.' }),
  methods: Type.Array(Type.String(), { description: 'All sign-in methods.' }),
  fields: Type.Array(
    Type.Object({
      key: Type.String(),
      label: Type.String(),
      type: Type.String(),
      required: Type.Boolean(),
      placeholder: Type.Optional(Type.String()),
      readonly: Type.Optional(Type.Boolean()),
    }),
  ),
  actions: Type.Object({
    start: Type.Boolean(),
    finish: Type.Boolean(),
    refresh: Type.Boolean(),
    disconnect: Type.Boolean(),
  }),
  verify_url: TextOrNull,
  notes: TextOrNull,
  group: Type.String(),
  token: Type.String(),
  version: Type.String(),
  vendor: TextOrNull,
  description: TextOrNull,
  notice: Type.Union([Type.String(), Type.Null()], {
    description: 'The attribution that the service requires where its data are shown.',
  }),
  section: Type.Union([Type.String(), Type.Null()], {
    description: 'Where its settings are: GET /api/config/sections/{section}.',
  }),
  bidirectional: Type.Boolean(),
  features: Type.Record(
    Type.String(),
    Type.Object({
      read: Type.Boolean(),
      add: Type.Boolean(),
      update: Type.Boolean(),
      remove: Type.Boolean(),
      kinds: Type.Array(Type.String()),
    }),
  ),
  lists: Type.Boolean(),
  sign_in: Type.Array(Way),
  users: Type.Union([
    Type.Object({
      list: Operation,
      rows: Type.String(),
      id: Type.String(),
      label: Type.String(),
      choose: OperationOrNull,
      send: Type.String(),
      only: Type.Optional(Type.String()),
      secret: Type.Optional(Type.Object({ when: Type.String(), label: Type.String(), send: Type.String() })),
    }),
    Type.Null(),
  ]),
  people: Type.Boolean({ description: 'See `GET /api/connections/{provider}/{instance}/people`.' }),
  libraries: OperationOrNull,
  disconnect: OperationOrNull,
  refresh: OperationOrNull,
  available: Type.Boolean(),
  error: Type.Optional(Type.String({ description: 'Why it is not available.' })),
})

export function registerManifestRoutes(app: PluginApp, { directory }: Parts): void {
  async function manifests() {
    const live = await directory.live()
    return manifestsOf(live, directory.missing(live))
  }

  app.get(
    '/api/auth/providers',
    {
      ...skipSerializer,
      schema: { summary: 'How each provider is connected', response: { 200: Type.Array(ManifestAnswer) } },
    },
    manifests,
  )

  app.get(
    '/api/auth/providers/html',
    {
      schema: {
        summary: 'The same as cards of HTML',
        response: { 200: { description: 'HTML', content: { 'text/html': { schema: Type.String() } } } },
      },
    },
    async (_request, reply) => reply.type('text/html; charset=utf-8').send(cardsOf(await manifests())),
  )
}
