// Routes that read and change the settings of the playback progress.
import { type PluginApp, skipSerializer, type Static, Type } from '@playhead/sdk'
import { SavedAnswer, SettingsAnswer } from '../answers.ts'
import type { Parts } from '../parts.ts'
import { keyText, type ProfileList } from '../profiles.ts'
import { clampTimeout, type PlaybackSettings } from '../settings.ts'
import { isoTime } from '../show/record.ts'

const MAX_PROFILES = 2_000
const Key = Type.String({ maxLength: 200 })
const Body = Type.Object(
  {
    provider_timeout_seconds: Type.Optional(Type.Number({ description: 'Clamped to 3 to 60.' })),
    profiles: Type.Optional(
      Type.Array(
        Type.Object(
          {
            key: Type.Optional(Key),
            provider: Type.Optional(Key),
            instance_id: Type.Optional(Key),
            included: Type.Boolean(),
          },
          { additionalProperties: true, description: 'By key, or by provider and instance_id.' },
        ),
        { maxItems: MAX_PROFILES, description: 'Profiles that are not named stay as they are.' },
      ),
    ),
    disabled_profiles: Type.Optional(
      Type.Array(Key, {
        maxItems: MAX_PROFILES,
        description: 'All excluded profiles; without effect beside profiles.',
      }),
    ),
  },
  { additionalProperties: true, description: 'Absent fields stay unchanged.' },
)

export function registerSettingsRoutes(app: PluginApp, parts: Parts): void {
  const ctx = app.playhead

  async function answer(): Promise<SettingsAnswer> {
    const { provider_timeout_seconds, disabled_profiles } = parts.settings()
    const profiles = await parts.profiles()
    return {
      provider_timeout_seconds,
      disabled_profiles,
      profiles: profiles.map((profile) => ({
        key: profile.key,
        provider: profile.provider,
        provider_label: profile.label,
        instance_id: profile.instance,
        instance_label: profile.instanceLabel,
        configured: profile.configured,
        read: profile.configured && profile.progress.read,
        included: profile.included,
        reason: profile.reason,
      })),
      refreshed_at: isoTime(Date.now()) as string,
    }
  }

  app.get(
    '/api/playback_progress/settings',
    { ...skipSerializer, schema: { summary: 'Which accounts are shown', response: { 200: SettingsAnswer } } },
    () => answer(),
  )

  app.post(
    '/api/playback_progress/settings',
    {
      ...skipSerializer,
      schema: { summary: 'Choose which accounts are shown', body: Body, response: { 200: SavedAnswer } },
    },
    async (request) => {
      const body = request.body as Static<typeof Body>
      const known = await parts.profiles()
      await ctx.updateConfig((stored) => changeOf(body, stored as Partial<PlaybackSettings>, known))
      parts.reads.clear()
      return { ok: true, settings: await answer() }
    },
  )
}

function changeOf(
  { provider_timeout_seconds: seconds, profiles, disabled_profiles: disabled }: Static<typeof Body>,
  stored: Partial<PlaybackSettings>,
  known: ProfileList,
): Partial<PlaybackSettings> {
  const before = stored.disabled_profiles ?? []
  // A profile stays excluded while its provider is not running.
  const names = new Map([...before, ...known.map(({ key }) => key)].map((key) => [keyText(key), key]))
  let excluded: ReadonlySet<string> | undefined
  if (profiles !== undefined) {
    const next = new Set(before.map(keyText))
    for (const { key, provider, instance_id: instance = 'default', included } of profiles) {
      const name = keyText(key ?? `${provider ?? ''}:${instance}`)
      if (included) next.delete(name)
      else next.add(name)
    }
    excluded = next
  } else if (disabled !== undefined) excluded = new Set(disabled.map(keyText))
  return {
    ...(seconds === undefined ? {} : { provider_timeout_seconds: clampTimeout(seconds) }),
    ...(excluded === undefined ? {} : { disabled_profiles: [...excluded].flatMap((name) => names.get(name) ?? []) }),
  }
}
