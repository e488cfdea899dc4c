// The settings of one profile, which is one user of the media server that Jellystat watches.
import { type Static, Type } from '@playhead/sdk'
import { FIELD_WORDS, ownField, type ReasonCode, secretField, trimAddress, tuningField } from '@playhead/sdk/provider'

export const Profile = Type.Object({
  server: Type.String({
    default: '',
    maxLength: 500,
    title: 'Address of Jellystat',
    description: 'As in the browser, for example http://192.168.1.20:3000.',
  }),
  api_key: secretField('server', 'In Jellystat: Settings, API Keys.', { title: 'API key of Jellystat' }),
  media_server: Type.String({
    default: '',
    maxLength: 500,
    title: 'Address of Jellyfin or Emby',
    description: 'Jellystat knows no IDs of movies and shows, so they are asked for at the media server.',
  }),
  media_key: secretField('media_server', 'In Jellyfin or Emby: Dashboard, API Keys.', {
    title: 'API key of Jellyfin or Emby',
  }),
  user: Type.String({
    default: '',
    maxLength: 200,
    title: 'User',
    description: 'Name or ID of the user whose plays are read.',
  }),
  user_id: ownField(Type.String({ default: '', maxLength: 64 })),
  least_percent: Type.Integer({
    default: 80,
    minimum: 10,
    maximum: 100,
    title: 'Least part of a play (percent)',
    description: 'What was played less of does not count as watched.',
  }),
  least_minutes: Type.Integer({
    default: 5,
    minimum: 0,
    maximum: 120,
    title: 'Least length of a play (minutes)',
    description: 'What was played shorter does not count as watched.',
  }),
  verify_ssl: Type.Boolean({ default: true, ...FIELD_WORDS.certificate }),
  timeout: Type.Number({ default: 30, minimum: 1, maximum: 300, inherit: true, ...FIELD_WORDS.timeout }),
  max_retries: tuningField(2, 0, 20, FIELD_WORDS.retries),
  page_size: tuningField(200, 1, 1_000, {
    title: 'Rows in one answer',
    description: 'Less for a server that answers slowly.',
  }),
})
export type Profile = Static<typeof Profile>

/** Cleared on disconnect. */
export const CREDENTIALS = ['server', 'api_key', 'media_server', 'media_key', 'user', 'user_id'] as const

export function missing(profile: Readonly<Profile>): ReasonCode | undefined {
  const { server, media_server: media, user_id: user, api_key: key, media_key: mediaKey } = profile
  if (!URL.canParse(server) || !URL.canParse(media) || user === '') return 'not_configured'
  return key === '' || mediaKey === '' ? 'missing_credentials' : undefined
}

export function normalize(profile: Profile): Profile {
  return {
    ...profile,
    server: trimAddress(profile.server),
    api_key: profile.api_key.trim(),
    media_server: trimAddress(profile.media_server),
    media_key: profile.media_key.trim(),
    user: profile.user.trim(),
  }
}
