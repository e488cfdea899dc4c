// Settings of a SIMKL profile.
import { type Static, Type } from '@playhead/sdk'
import { addressField, rateLimitField, tuningField, ownField, FIELD_WORDS } from '@playhead/sdk/provider'

const API_URL = 'https://api.simkl.com'
const AUTHORIZE_URL = 'https://simkl.com/oauth2/authorize'
/** Settings may contain the address of AUTH V1, which rejects current applications. */
const AUTHORIZE_URL_V1 = 'https://simkl.com/oauth/authorize'

const secret = (description: string, more: object = {}) =>
  Type.String({ default: '', maxLength: 4_096, secret: true, boundTo: 'api_url', description, ...more })

export const Profile = Type.Object({
  api_url: addressField(API_URL, FIELD_WORDS.api),
  authorize_url: addressField(AUTHORIZE_URL, { title: 'Page of the sign-in' }),
  client_id: Type.String({
    default: '',
    maxLength: 512,
    inherit: true,
    description: 'Id of your application at SIMKL.',
  }),
  client_secret: secret('Secret of your application at SIMKL, if it has one; only for the sign-in in the browser.', {
    inherit: true,
  }),
  pin_client_id: Type.String({
    default: '',
    maxLength: 512,
    inherit: true,
    title: 'Client ID for a PIN',
    description: 'Id of the application for the sign-in with a PIN, where you have none of your own.',
  }),
  access_token: ownField(secret('Made by signing in.')),
  refresh_token: ownField(secret('Made by signing in; empty for a sign-in of before AUTH V2.')),
  expires_at: Type.Integer({
    default: 0,
    minimum: 0,
    readOnly: true,
    description: 'Epoch seconds at which the access token ends; 0: not known.',
  }),
  scope: ownField(Type.String({ default: '', maxLength: 200, description: 'What was granted; made by signing in.' })),
  token_client_id: ownField(
    Type.String({ default: '', maxLength: 512, description: 'The application of the token; made by signing in.' }),
  ),
  token_mark: ownField(
    Type.String({ default: '', maxLength: 64, description: 'Ties the application to its token; made by signing in.' }),
  ),
  auth_method: ownField(Type.String({ default: '', maxLength: 20, description: 'pin or oauth; made by signing in.' })),
  date_from: Type.String({
    default: '',
    maxLength: 40,
    deprecated: true,
    description: 'Only for older installations: everything is read.',
  }),
  timeout: tuningField(15, 1, 300, FIELD_WORDS.timeout),
  max_retries: tuningField(3, 0, 20, FIELD_WORDS.retries),
  rate_limit: rateLimitField(10, 1),
  watchlist_batch_size: tuningField(100, 1, 500, {
    title: 'Items per write to the watchlist',
    description: 'Never more than 100 are sent.',
  }),
  ratings_chunk_size: tuningField(100, 1, 500, {
    title: 'Ratings per write',
    description: 'Never more than 100 are sent.',
  }),
  history_chunk_size: tuningField(100, 1, 500, {
    title: 'Plays per write',
    description: 'Never more than 100 are sent.',
  }),
})
export type Profile = Static<typeof Profile>

/** Cleared on disconnect; the application stays. */
export const CREDENTIALS = [
  'access_token',
  'refresh_token',
  'expires_at',
  'scope',
  'token_client_id',
  'token_mark',
  'auth_method',
] as const

/** A sign-in of AUTH V1: its token cannot be renewed, and expires when SIMKL shuts down AUTH V1. */
export function isV1({ access_token: token, refresh_token: refresh }: Readonly<Profile>): boolean {
  return token !== '' && refresh === ''
}

/** Removes trailing slashes of URLs and spaces around texts. */
export function normalize(profile: Profile): Profile {
  return {
    ...profile,
    api_url: withoutSlashes(profile.api_url) || API_URL,
    authorize_url: authorizeUrlOf(profile),
    client_id: profile.client_id.trim(),
    client_secret: profile.client_secret.trim(),
    pin_client_id: profile.pin_client_id.trim(),
  }
}

export function authorizeUrlOf({ authorize_url: url }: Pick<Profile, 'authorize_url'>): string {
  const page = withoutSlashes(url)
  return page === '' || page === AUTHORIZE_URL_V1 ? AUTHORIZE_URL : page
}

function withoutSlashes(url: string): string {
  return url.trim().replace(/\/+$/, '')
}
