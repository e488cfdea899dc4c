import { type Static, Type } from '@playhead/sdk'
import { type ReasonCode, addressField, FIELD_WORDS, ownField, secretField, trimAddress } from '@playhead/sdk/provider'

const BASE_URL = 'https://api.nuvio.tv'
export const LOGIN_PAGE = 'https://nuvio.tv/tv-login'

const secret = (description: string) => secretField('base_url', description, { maxLength: 8_192 })

export const Profile = Type.Object({
  base_url: addressField(BASE_URL, {
    title: 'Address of the service',
    description: 'Of Nuvio, or of a Nuvio server of your own (github.com/NuvioMedia/self-host).',
  }),
  web_url: addressField(LOGIN_PAGE, { title: 'Page of the sign-in', description: 'For your own server, its page.' }),
  client_key: Type.String({
    default: '',
    maxLength: 4_096,
    inherit: true,
    description: 'The public client key that Nuvio publishes; for your own server, its key.',
  }),
  access_token: ownField(secret('Made by signing in.')),
  refresh_token: ownField(secret('Made by signing in; each one works once.')),
  expires_at: Type.Integer({
    default: 0,
    minimum: 0,
    readOnly: true,
    description: 'Epoch seconds at which the access token ends; 0: not known.',
  }),
  profile_id: Type.Union([Type.Integer({ minimum: 1, maximum: 1_000 }), Type.Literal('')], {
    default: '',
    title: 'Number of the profile at Nuvio',
  }),
  profile_name: Type.String({ default: '', maxLength: 200, title: 'Name of the profile at Nuvio' }),
  timeout: Type.Integer({ default: 20, minimum: 1, maximum: 300, inherit: true, ...FIELD_WORDS.timeout }),
  max_retries: Type.Integer({ default: 3, minimum: 0, maximum: 20, inherit: true, ...FIELD_WORDS.retries }),
  requests_per_sec: Type.Number({
    default: 5,
    minimum: 0,
    maximum: 100,
    inherit: true,
    title: 'Requests per second',
    description: '0: no limit of ours.',
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
