// Settings of a SIMKL profile.
import { type Static, Type, addressField, rateLimitField, tuningField, ownField, FIELD_WORDS } from '@playhead/sdk'

export const API_URL = 'https://api.simkl.com'
export const AUTHORIZE_URL = 'https://simkl.com/oauth/authorize'

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
  client_secret: secret('Secret of your application at SIMKL; only the sign-in over the browser needs it.', {
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
export const CREDENTIALS = ['access_token', 'auth_method'] as const

/** Removes trailing slashes of URLs and spaces around texts. */
export function normalize(profile: Profile): Profile {
  const origin = (value: string, fallback: string) => value.trim().replace(/\/+$/, '') || fallback
  return {
    ...profile,
    api_url: origin(profile.api_url, API_URL),
    authorize_url: origin(profile.authorize_url, AUTHORIZE_URL),
    client_id: profile.client_id.trim(),
    client_secret: profile.client_secret.trim(),
    pin_client_id: profile.pin_client_id.trim(),
  }
}
