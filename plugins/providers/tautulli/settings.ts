import { type Static, Type } from '@playhead/sdk'
import { type ReasonCode, tuningField, FIELD_WORDS } from '@playhead/sdk/provider'

/** Replaces a user id: plays of all users of the server. */
export const EVERYBODY = '*'

export const Profile = Type.Object({
  server_url: Type.String({
    default: '',
    maxLength: 500,
    title: 'Tautulli address',
    description: 'Include the path, if Tautulli is not at the root.',
  }),
  api_key: Type.String({
    default: '',
    maxLength: 500,
    secret: true,
    boundTo: 'server_url',
    description: 'In Tautulli, open Settings, then Web Interface.',
  }),
  verify_ssl: Type.Boolean({ default: true, ...FIELD_WORDS.certificate }),
  timeout: Type.Number({ default: 10, minimum: 1, maximum: 300, inherit: true, ...FIELD_WORDS.timeout }),
  max_retries: tuningField(3, 0, 20, FIELD_WORDS.retries),
  history: Type.Object(
    {
      user_id: Type.String({
        default: '',
        maxLength: 20,
        pattern: '^(\\d*|\\*)$',
        title: 'User',
        description:
          'The ID of the user whose plays are read, or * for all users. Required if the server has more than one user.',
      }),
      per_page: tuningField(500, 1, 1_000, {
        title: 'Plays per request',
        description: 'A few large requests are faster than many small requests.',
      }),
      max_pages: tuningField(5_000, 1, 100_000, {
        title: 'Maximum pages',
        description: 'A longer history is not read.',
      }),
    },
    { default: {} },
  ),
})
export type Profile = Static<typeof Profile>

/** Cleared on disconnect. */
export const CREDENTIALS = ['server_url', 'api_key'] as const

export function missing({ server_url: server, api_key: key }: Readonly<Profile>): ReasonCode | undefined {
  if (server === '') return 'not_configured'
  return key === '' ? 'missing_credentials' : undefined
}

export function normalize(profile: Profile): Profile {
  return { ...profile, server_url: cleanAddress(profile.server_url), api_key: profile.api_key.trim() }
}

/** Removes the trailing slash, user, query and fragment. An invalid address stays unchanged. */
function cleanAddress(entered: string): string {
  const text = entered.trim()
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return text
  const url = new URL(text)
  return url.origin + url.pathname.replace(/\/+$/, '')
}
