import { type Static, Type } from '@playhead/sdk'
import { type ReasonCode, addressField, FIELD_WORDS, ownField, secretField, trimAddress } from '@playhead/sdk/provider'

const BASE_URL = 'https://api.nuvio.tv'
export const LOGIN_PAGE = 'https://nuvio.tv/tv-login'

const secret = (description: string) => secretField('base_url', description, { maxLength: 8_192 })

export const Profile = Type.Object({
  base_url: addressField(BASE_URL, {
    title: 'Server address',
    description: 'Nuvio, or your own Nuvio server (github.com/NuvioMedia/self-host).',
  }),
  web_url: addressField(LOGIN_PAGE, {
    title: 'Sign-in page',
    description: 'If you run your own Nuvio server, its sign-in page.',
  }),
  client_key: Type.String({
    default: '',
    maxLength: 4_096,
    inherit: true,
    description: 'The client key that Nuvio publishes, or the one of your own server.',
  }),
  access_token: ownField(secret('Set when you sign in.')),
  refresh_token: ownField(secret('Set when you sign in. Each refresh token works once.')),
  expires_at: Type.Integer({
    default: 0,
    minimum: 0,
    readOnly: true,
    description: 'When the access token expires, in seconds since 1970. 0 if unknown.',
  }),
  profile_id: Type.Union([Type.Integer({ minimum: 1, maximum: 1_000 }), Type.Literal('')], {
    default: '',
    title: 'Nuvio profile number',
    description: 'Set when you choose a profile after signing in.',
  }),
  profile_name: Type.String({
    default: '',
    maxLength: 200,
    title: 'Nuvio profile',
    description: 'Set when you choose a profile after signing in.',
  }),
  timeout: Type.Integer({ default: 20, minimum: 1, maximum: 300, inherit: true, ...FIELD_WORDS.timeout }),
  max_retries: Type.Integer({ default: 3, minimum: 0, maximum: 20, inherit: true, ...FIELD_WORDS.retries }),
  requests_per_sec: Type.Number({
    default: 5,
    minimum: 0,
    maximum: 100,
    inherit: true,
    title: 'Requests per second',
    description: '0 means no limit.',
  }),
})
export type Profile = Static<typeof Profile>

/** Cleared on disconnect; the client key stays. */
export const CREDENTIALS = ['access_token', 'refresh_token', 'expires_at', 'profile_id', 'profile_name'] as const

export function missing({
  access_token: token,
  client_key: key,
  profile_id: profileId,
}: Readonly<Profile>): ReasonCode | undefined {
  if (token === '') return 'not_configured'
  if (key === '') return 'missing_credentials'
  return profileId === '' ? 'profile_unavailable' : undefined
}

export function normalize(profile: Profile): Profile {
  return {
    ...profile,
    base_url: trimAddress(profile.base_url, BASE_URL),
    web_url: trimAddress(profile.web_url, LOGIN_PAGE),
    client_key: profile.client_key.trim(),
  }
}
