// The sign-ins that there are.
import { Type, type PluginApp } from '@playhead/sdk'
import { cardsOf, manifestsOf } from './manifests.ts'
import type { Parts } from './parts.ts'

const TAG = 'Provider authentication (general)'
const TextOrNull = Type.Union([Type.String(), Type.Null()])

const ManifestAnswer = Type.Object({
  name: Type.String({ description: 'Id of the provider.' }),
  label: Type.String(),
  flow: Type.String({ description: 'The main way to sign in; empty while the provider is not available.' }),
  methods: Type.Array(Type.String(), { description: 'All ways to sign in.' }),
  fields: Type.Array(Type.Object({
    key: Type.String(),
    label: Type.String(),
    type: Type.String(),
    required: Type.Boolean(),
    placeholder: Type.Optional(Type.String()),
    readonly: Type.Optional(Type.Boolean()),
  })),
  actions: Type.Object({ start: Type.Boolean(), finish: Type.Boolean(), refresh: Type.Boolean(), disconnect: Type.Boolean() }),
  verify_url: TextOrNull,
  notes: TextOrNull,
  group: Type.String(),
  available: Type.Boolean(),
  error: Type.Optional(Type.String({ description: 'Why it is not available.' })),
})

export function registerManifestRoutes(app: PluginApp, { directory }: Parts): void {
  async function manifests() {
    const live = await directory.live()
    return manifestsOf(live, directory.missing(live))
  }

  app.get('/api/auth/providers', {
    schema: { tags: [TAG], summary: 'How each provider is connected', response: { 200: Type.Array(ManifestAnswer) } },
  }, manifests)

  app.get('/api/auth/providers/html', { schema: { tags: [TAG], summary: 'The same as cards of HTML' } }, async (_request, reply) =>
    reply.type('text/html; charset=utf-8').send(cardsOf(await manifests())))
}
