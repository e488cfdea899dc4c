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

const API_URL = 'https://api.trakt.tv'
const OAUTH_URL = 'https://auth.trakt.tv'

export const Profile = Type.Object({
  api_url: addressField(API_URL, FIELD_WORDS.api),
  oauth_url: addressField(OAUTH_URL, FIELD_WORDS.signIn),
  client_id: Type.String({
    default: '',
    maxLength: 512,
    inherit: true,
    description: 'The ID of your Trakt application.',
  }),
  client_secret: secretField('oauth_url', 'The secret of your Trakt application, if it has one.', { inherit: true }),
  ...tokenFields({ access: 'api_url', refresh: 'oauth_url' }),
  scope: signedInField('public', 200),
  token_type: signedInField('Bearer', 50),
  timeout: tuningField(10, 1, 300, FIELD_WORDS.timeout),
  max_retries: tuningField(5, 0, 20, FIELD_WORDS.retries),
  rate_limit: rateLimitField(1.66, 1),
  ...batchFields({ watchlist: 100, ratings: 500, history: 500 }, 1_000),
  history_number_fallback: Type.Boolean({
    default: true,
    inherit: true,
    title: 'Find episodes by show and number',
    description: 'Used if Trakt does not know the ID of an episode.',
  }),
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
export const CREDENTIALS = [...TOKEN_FIELDS, 'scope', 'token_type'] as const

/** Removes trailing slashes of URLs and spaces around texts. */
export function normalize(profile: Profile): Profile {
  return {
    ...profile,
    api_url: trimAddress(profile.api_url, API_URL),
    oauth_url: trimAddress(profile.oauth_url, OAUTH_URL),
    client_id: profile.client_id.trim(),
    client_secret: profile.client_secret.trim(),
  }
}
