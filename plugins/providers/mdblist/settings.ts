import { type Static, Type } from '@playhead/sdk'
import {
  addressField,
  compatFields,
  FIELD_WORDS,
  rateLimitField,
  secretField,
  signedInField,
  TOKEN_FIELDS,
  tokenFields,
  trimAddress,
  tuningField,
} from '@playhead/sdk/provider'
import { batchFields } from '@playhead/trakt-dialect'

const API_URL = 'https://api.mdblist.com'
const EVERYTHING = '1900-01-01T00:00:02Z'

export const Profile = Type.Object({
  api_url: addressField(API_URL, FIELD_WORDS.api),
  auth_method: Type.String({
    default: '',
    maxLength: 40,
    title: 'Sign-in method',
    description: 'Either api_key or device_code. Leave empty to use the credentials that are set.',
  }),
  client_id: Type.String({
    default: '',
    maxLength: 512,
    inherit: true,
    description: 'The ID of your own application, to sign in with a code.',
  }),
  api_key: secretField('api_url', 'The API key of your MDBList account.'),
  ...tokenFields({ access: 'api_url', refresh: 'api_url' }),
  scope: signedInField('write', 200),
  token_type: signedInField('Bearer', 50),
  username: signedInField('', 200),
  timeout: tuningField(10, 1, 300, FIELD_WORDS.timeout),
  max_retries: tuningField(3, 0, 20, FIELD_WORDS.retries),
  rate_limit: rateLimitField(10, 1),
  ...batchFields({ watchlist: 500, ratings: 500, history: 500 }, 500),
  ratings_since: Type.String({
    default: EVERYTHING,
    maxLength: 40,
    inherit: true,
    deprecated: true,
    description: 'Has no effect. All ratings are read.',
  }),
  history_since: Type.String({
    default: EVERYTHING,
    maxLength: 40,
    inherit: true,
    deprecated: true,
    description: 'Has no effect. All plays are read.',
  }),
  ...compatFields({
    watchlist_shadow_ttl_hours: [0, 0, 8_760],
    watchlist_shadow_validate: true,
    watchlist_page_size: [200, 1, 1_000],
    watchlist_freeze_details: true,
    ratings_per_page: [200, 1, 1_000],
    ratings_max_pages: [50, 1, 100_000],
    ratings_write_delay_ms: [600, 0, 60_000],
    ratings_max_backoff_ms: [8_000, 0, 600_000],
    history_per_page: [1_000, 1, 1_000],
    history_max_pages: [250, 1, 100_000],
    history_write_delay_ms: [600, 0, 60_000],
    history_max_backoff_ms: [8_000, 0, 600_000],
  }),
})
export type Profile = Static<typeof Profile>

/** Cleared on disconnect; the application stays. */
export const CREDENTIALS = ['api_key', ...TOKEN_FIELDS, 'scope', 'token_type', 'username', 'auth_method'] as const

type Method = 'api_key' | 'device_code'

const METHODS: Readonly<Record<string, Method>> = {
  '': 'api_key',
  api_key: 'api_key',
  api: 'api_key',
  key: 'api_key',
  device_code: 'device_code',
  device: 'device_code',
  oauth: 'device_code',
  bearer: 'device_code',
}

/** Undefined for an unknown word. */
export function methodNamed(word: string): Method | undefined {
  const name = word.trim().toLowerCase()
  return Object.hasOwn(METHODS, name) ? METHODS[name] : undefined
}

/** The chosen method, else the one with credentials. */
export function methodOf({
  auth_method: chosen,
  api_key: key,
  access_token: token,
}: Readonly<Profile>): Method | undefined {
  if (chosen.trim() !== '') return methodNamed(chosen)
  if (token !== '') return 'device_code'
  return key === '' ? undefined : 'api_key'
}

export function isConfigured(profile: Readonly<Profile>): boolean {
  const method = methodOf(profile)
  if (method === undefined) return false
  return (method === 'api_key' ? profile.api_key : profile.access_token) !== ''
}

/** Removes trailing slashes of URLs and spaces around texts, and resolves method aliases. */
export function normalize(profile: Profile): Profile {
  const chosen = profile.auth_method.trim()
  return {
    ...profile,
    api_url: trimAddress(profile.api_url, API_URL),
    auth_method: chosen === '' ? '' : (methodNamed(chosen) ?? ''),
    client_id: profile.client_id.trim(),
    api_key: profile.api_key.trim(),
  }
}
