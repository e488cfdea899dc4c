// The settings of one profile: addresses, the application of the person, and what the sign-in stores.
import { type Static, Type } from '@playhead/sdk'
import {
  addressField,
  FIELD_WORDS,
  rateLimitField,
  secretField,
  TOKEN_FIELDS,
  tokenFields,
  trimAddress,
  tuningField,
} from '@playhead/sdk/provider'

const API_URL = 'https://api.myanimelist.net/v2'
const OAUTH_URL = 'https://myanimelist.net/v1'

export const Profile = Type.Object({
  api_url: addressField(API_URL, FIELD_WORDS.api),
  oauth_url: addressField(OAUTH_URL, FIELD_WORDS.signIn),
  client_id: Type.String({
    default: '',
    maxLength: 512,
    inherit: true,
    title: 'Client ID',
    description: 'The ID of your application at MyAnimeList.',
  }),
  client_secret: secretField('oauth_url', 'Only an application of the type “web” has one.', {
    inherit: true,
    title: 'Client secret',
  }),
  ...tokenFields({ access: 'api_url', refresh: 'oauth_url' }),
  user: Type.Object(
    {
      id: Type.Integer({ default: 0, minimum: 0, description: 'Set when you sign in.' }),
      name: Type.String({ default: '', maxLength: 200, description: 'Set when you sign in.' }),
    },
    { default: {}, title: 'Signed-in user', readOnly: true },
  ),
  timeout: tuningField(30, 1, 300, FIELD_WORDS.timeout),
  max_retries: tuningField(3, 0, 20, FIELD_WORDS.retries),
  /** MyAnimeList names no limits. It answers 403 to an address that asks too often. */
  rate_limit: rateLimitField(2, 1),
  page_size: tuningField(1_000, 2, 1_000, {
    title: 'Titles in one answer',
    description: 'Less for a slow connection.',
  }),
})
export type Profile = Static<typeof Profile>

/** Cleared on disconnect; the application stays. */
export const CREDENTIALS = [...TOKEN_FIELDS, 'user'] as const

export function normalize(profile: Profile): Profile {
  return {
    ...profile,
    api_url: trimAddress(profile.api_url, API_URL),
    oauth_url: trimAddress(profile.oauth_url, OAUTH_URL),
    client_id: profile.client_id.trim(),
    client_secret: profile.client_secret.trim(),
  }
}
