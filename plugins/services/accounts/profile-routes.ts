// Routes that list, create, replace and delete profiles.
import { PlayheadError, Type, optionalBody, type PluginApp, type ProfileState } from '@playhead/sdk'
import type { LiveProvider } from './directory.ts'
import type { Parts } from './parts.ts'
import { readInstanceId, readNewProfile, readSettings, type NextInput, type ProfileSettings } from './profile-input.ts'

const Row = Type.Object({
  id: Type.String(),
  uid: Type.String({ description: 'Never used again for another profile.' }),
  label: Type.String(),
  friendly_label: Type.String({ description: 'Name given by the person, or empty.' }),
  display_label: Type.String(),
  configured: Type.Boolean({ description: 'Address and credentials are there.' }),
})
const Rows = Type.Array(Row)
export const Saved = Type.Object({ ok: Type.Boolean(), id: Type.String(), uid: Type.String(), profile: Row })

const ByProvider = Type.Object({ provider: Type.String({ maxLength: 64, description: 'Id or token, in any case.' }) })
const ByProfile = Type.Object({ provider: ByProvider.properties.provider, instance_id: Type.String({ maxLength: 64 }) })
const SaveBody = Type.Object({}, { additionalProperties: true })
const NextBody = optionalBody(
  Type.Object(
    {
      copy_from: Type.Optional(
        Type.Union([Type.String({ maxLength: 64 }), Type.Null()], { description: 'The profile to copy.' }),
      ),
      template: Type.Optional(Type.Union([SaveBody, Type.Null()], { description: 'Initial settings.' })),
      label: Type.Optional(Type.Union([Type.String({ maxLength: 200 }), Type.Null()])),
      include_credentials: Type.Optional(Type.Boolean({ default: false })),
    },
    { additionalProperties: true },
  ),
)

interface ForProvider {
  readonly Params: { readonly provider: string }
}
interface ForProfile {
  readonly Params: { readonly provider: string; readonly instance_id: string }
}

export type SavedProfile = (provider: LiveProvider, id: string) => Promise<object>

/** The answer about a profile that was created or replaced. */
export function savedProfile({ directory, uids, forget }: Pick<Parts, 'directory' | 'uids' | 'forget'>): SavedProfile {
  return async ({ about }, id) => {
    // The provider may list a new profile with a delay.
    const uid = await uids.make(about.id, id)
    forget(about.id)
    const profile = (await directory.find(about.id)).profiles.find((one) => one.id === id)
    return { ok: true, id, uid, profile: rowOf(profile ?? { id, label: '', configured: false }, uid) }
  }
}

export function registerProfileRoutes(app: PluginApp, saved: SavedProfile, { directory, uids, accounts }: Parts): void {
  const { events } = app.playhead

  async function rowsOf(provider: string): Promise<object[]> {
    const { providers, uidOf } = await uids.reconcile(directory.live)
    const found = providers.find(({ about }) => about.id === provider)
    return (found?.profiles ?? []).map((profile) => rowOf(profile, uidOf(provider, profile.id)))
  }

  app.get<{ Querystring: { configured_only: boolean } }>(
    '/api/provider-instances',
    {
      schema: {
        summary: 'The profiles of all providers',
        querystring: Type.Object({ configured_only: Type.Boolean({ default: false }) }),
        response: { 200: Type.Record(Type.String(), Rows) },
      },
    },
    async ({ query }) => {
      const { providers, uidOf } = await uids.reconcile(directory.live)
      return Object.fromEntries(
        providers.flatMap(({ about, profiles }) => {
          const rows = profiles.filter(({ configured }) => configured || !query.configured_only)
          return rows.length === 0
            ? []
            : [[about.id, rows.map((profile) => rowOf(profile, uidOf(about.id, profile.id)))]]
        }),
      )
    },
  )

  app.get<ForProvider>(
    '/api/provider-instances/:provider',
    { schema: { summary: 'The profiles of a provider', params: ByProvider, response: { 200: Rows } } },
    async ({ params }) => rowsOf((await directory.find(params.provider)).about.id),
  )

  app.post<ForProvider & { Body: NextInput | null }>(
    '/api/provider-instances/:provider/next',
    { schema: { summary: 'A further profile', params: ByProvider, body: NextBody, response: { 200: Saved } } },
    async ({ params, body }) => {
      const provider = await directory.find(params.provider)
      const wanted = readNewProfile(body)
      if (wanted.copyFrom !== undefined && !provider.profiles.some(({ id }) => id === wanted.copyFrom)) {
        throw new PlayheadError('PLH_NOT_FOUND', 'The account to copy does not exist.', {
          wire: 'copy_source_not_found',
        })
      }
      const made = await accounts.add(provider.about.id, wanted)
      return { ok: true, id: made.id, uid: made.uid, profile: rowOf(made, made.uid) }
    },
  )

  app.post<ForProfile & { Body: ProfileSettings }>(
    '/api/provider-instances/:provider/:instance_id',
    { schema: { summary: 'Make or replace a profile', params: ByProfile, body: SaveBody, response: { 200: Saved } } },
    async ({ params, body }) => {
      const provider = await directory.find(params.provider)
      const { about, handle, profiles } = provider
      const id = readInstanceId(about.id, params.instance_id)
      const settings = readSettings(body)
      const known = profiles.find((profile) => profile.id === id)
      if (known === undefined) {
        const label = typeof settings['label'] === 'string' ? { label: settings['label'] } : {}
        await handle.createProfile({ id, settings, ...label })
        events.emit('account.created', { provider: about.id, instance: id })
      } else {
        await handle.saveProfile(id, settings)
      }
      return saved(provider, id)
    },
  )

  app.delete<ForProfile>(
    '/api/provider-instances/:provider/:instance_id',
    {
      schema: {
        summary: 'Delete a profile',
        params: ByProfile,
        response: { 200: Type.Object({ ok: Type.Boolean() }) },
      },
    },
    async ({ params }) => {
      const { about, profiles } = await directory.find(params.provider)
      const id = params.instance_id.trim().toUpperCase()
      if (id === 'DEFAULT') {
        throw new PlayheadError('PLH_INVALID', 'The default account cannot be deleted. Disconnect it instead.', {
          wire: 'cannot_delete_default',
        })
      }
      if (!profiles.some((profile) => profile.id === id)) {
        throw new PlayheadError('PLH_NOT_FOUND', `${about.label} has no such profile.`, { details: { instance: id } })
      }
      await accounts.remove(about.id, id)
      return { ok: true }
    },
  )
}

function rowOf({ id, label, configured }: Pick<ProfileState, 'id' | 'label' | 'configured'>, uid: string): object {
  const own = id === 'default' ? 'Default' : id
  return { id, uid, label: label || own, friendly_label: label, display_label: label || own, configured }
}
