import { type Static, Type } from '@playhead/sdk'
import { addressField, endOfToken, FIELD_WORDS, ownField, secretField, trimAddress } from '@playhead/sdk/provider'

const API_URL = 'https://graphql.anilist.co'
const OAUTH_URL = 'https://anilist.co/api/v2'

/** Tokens are long. */
const MAX = { maxLength: 8_192 }

export const Profile = Type.Object({
  api_url: addressField(API_URL, FIELD_WORDS.api),
  oauth_url: addressField(OAUTH_URL, FIELD_WORDS.signIn),
  client_id: Type.String({
    default: '',
    maxLength: 512,
    inherit: true,
    description: 'The ID of your AniList application.',
  }),
  client_secret: secretField('oauth_url', 'The secret of your AniList application.', { ...MAX, inherit: true }),
  access_token: ownField(
    secretField('api_url', 'Set when you sign in. It is valid for about a year and cannot be renewed.', MAX),
  ),
  expires_at: Type.Integer({
    default: 0,
    minimum: 0,
    readOnly: true,
    description: 'When the access token expires, in seconds since 1970. 0 if unknown.',
  }),
  user: Type.Object(
    {
      id: Type.Integer({ default: 0, minimum: 0, description: 'Set when you sign in.' }),
      name: Type.String({ default: '', maxLength: 200, description: 'Set when you sign in.' }),
    },
    { default: {}, title: 'Signed-in user' },
  ),
  requests_per_minute: Type.Integer({
    default: 30,
    minimum: 0,
    maximum: 1_000,
    inherit: true,
    title: 'Requests per minute',
    description: 'Shared by all accounts. 0 means no limit.',
  }),
})
export type Profile = Static<typeof Profile>

/** Cleared on disconnect; the application stays. */
export const CREDENTIALS = ['access_token', 'user'] as const

/** Removes trailing slashes of URLs and spaces around texts, and reads the end of the token in it. */
export function normalize(profile: Profile): Profile {
  return {
    ...profile,
    api_url: trimAddress(profile.api_url, API_URL),
    oauth_url: trimAddress(profile.oauth_url, OAUTH_URL),
    client_id: profile.client_id.trim(),
    client_secret: profile.client_secret.trim(),
    expires_at: profile.access_token === '' ? 0 : (endOfToken(profile.access_token) ?? profile.expires_at),
  }
}
