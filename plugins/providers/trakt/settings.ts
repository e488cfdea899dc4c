// Settings of a Trakt profile.
import { type Static, Type } from '@playhead/sdk'
import { addressField, rateLimitField, tuningField, ownField, FIELD_WORDS, compatFields } from '@playhead/sdk/provider'

const API_URL = 'https://api.trakt.tv'
const OAUTH_URL = 'https://auth.trakt.tv'

const flag = (value: boolean, description: string) => Type.Boolean({ default: value, inherit: true, description })
const secret = (boundTo: string, description: string, more: object = {}) =>
  Type.String({ default: '', maxLength: 4_096, secret: true, boundTo, description, ...more })

export const Profile = Type.Object({
  api_url: addressField(API_URL, FIELD_WORDS.api),
  oauth_url: addressField(OAUTH_URL, FIELD_WORDS.signIn),
  client_id: Type.String({
    default: '',
    maxLength: 512,
    inherit: true,
    description: 'Id of your application at Trakt.',
  }),
  client_secret: secret('oauth_url', 'Secret of your application at Trakt, if it has one.', { inherit: true }),
  access_token: ownField(secret('api_url', 'Made by signing in.')),
  refresh_token: ownField(secret('oauth_url', 'Made by signing in; each one works once.')),
  scope: ownField(Type.String({ default: 'public', maxLength: 200, description: 'Made by signing in.' })),
  token_type: ownField(Type.String({ default: 'Bearer', maxLength: 50, description: 'Made by signing in.' })),
  expires_at: Type.Integer({
    default: 0,
    minimum: 0,
    readOnly: true,
    description: 'Epoch seconds at which the access token ends; 0: not known.',
  }),
  token_client_id: ownField(
    Type.String({ default: '', maxLength: 512, description: 'The application of the tokens; made by signing in.' }),
  ),
  token_mark: ownField(
    Type.String({ default: '', maxLength: 64, description: 'Ties the application to its token; made by signing in.' }),
  ),
  timeout: tuningField(10, 1, 300, FIELD_WORDS.timeout),
  max_retries: tuningField(5, 0, 20, FIELD_WORDS.retries),
  rate_limit: rateLimitField(1.66, 1),
  watchlist_batch_size: tuningField(100, 1, 1_000, { title: 'Items per write to the watchlist' }),
  ratings_chunk_size: tuningField(500, 1, 1_000, { title: 'Ratings per write' }),
  history_chunk_size: tuningField(500, 1, 1_000, { title: 'Plays per write' }),
  history_number_fallback: {
    ...flag(true, 'Where Trakt does not know the id of an episode.'),
    title: 'Look for episodes by show and number',
  },
  ...compatFields({
    watchlist_use_etag: true,
    watchlist_shadow_ttl_hours: [168, 0, 8_760],
    watchlist_log_rate_limits: true,
    watchlist_freeze_details: true,
    ratings_per_page: [100, 1, 1_000],
    ratings_max_pages: [50, 1, 100_000],
    history_per_page: [100, 1, 1_000],
    history_max_pages: [10_000, 1, 1_000_000],
    history_unresolved: false,
  }),
})
export type Profile = Static<typeof Profile>

/** Cleared on disconnect; the application stays. */
export const CREDENTIALS = [
  'access_token',
  'refresh_token',
  'expires_at',
  'scope',
  'token_type',
  'token_client_id',
  'token_mark',
] as const

/** Removes trailing slashes of URLs and spaces around texts. */
export function normalize(profile: Profile): Profile {
  const trimmed = (value: string) => value.trim()
  const origin = (value: string, fallback: string) => trimmed(value).replace(/\/+$/, '') || fallback
  return {
    ...profile,
    api_url: origin(profile.api_url, API_URL),
    oauth_url: origin(profile.oauth_url, OAUTH_URL),
    client_id: trimmed(profile.client_id),
    client_secret: trimmed(profile.client_secret),
  }
}
