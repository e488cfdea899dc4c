import { type Static, Type } from '@playhead/sdk'
import {
  addressField,
  FIELD_WORDS,
  ownField,
  rateLimitField,
  secretField,
  signedInField,
  TOKEN_FIELDS,
  tokenFields,
  trimAddress,
  tuningField,
} from '@playhead/sdk/provider'
import { batchFields } from '@playhead/trakt-dialect'

const API_URL = 'https://api.simkl.com'
const AUTHORIZE_URL = 'https://simkl.com/oauth2/authorize'
/** Settings may contain the address of AUTH V1, which rejects current applications. */
const AUTHORIZE_URL_V1 = 'https://simkl.com/oauth/authorize'

export const Profile = Type.Object({
  api_url: addressField(API_URL, FIELD_WORDS.api),
  authorize_url: addressField(AUTHORIZE_URL, { title: 'Page of the sign-in' }),
  client_id: Type.String({
    default: '',
    maxLength: 512,
    inherit: true,
    description: 'Id of your application at SIMKL.',
  }),
  client_secret: secretField(
    'api_url',
    'Secret of your application at SIMKL, if it has one; only for the sign-in in the browser.',
    { inherit: true },
  ),
  pin_client_id: Type.String({
    default: '',
    maxLength: 512,
    inherit: true,
    title: 'Client ID for a PIN',
    description: 'Id of the application for the sign-in with a PIN, where you have none of your own.',
  }),
  ...tokenFields({ access: 'api_url', refresh: 'api_url' }),
  refresh_token: ownField(secretField('api_url', 'Made by signing in; empty for a sign-in of before AUTH V2.')),
  scope: signedInField('', 200, 'What was granted; made by signing in.'),
  auth_method: signedInField('', 20, 'pin or oauth; made by signing in.'),
  date_from: Type.String({
    default: '',
    maxLength: 40,
    deprecated: true,
    description: 'Only for older installations: everything is read.',
  }),
  timeout: tuningField(15, 1, 300, FIELD_WORDS.timeout),
  max_retries: tuningField(3, 0, 20, FIELD_WORDS.retries),
  rate_limit: rateLimitField(10, 1),
  ...batchFields({ watchlist: 100, ratings: 100, history: 100 }, 500, 'Never more than 100 are sent.'),
})
export type Profile = Static<typeof Profile>

/** Cleared on disconnect; the application stays. */
export const CREDENTIALS = [...TOKEN_FIELDS, 'scope', 'auth_method'] as const

/** A sign-in of AUTH V1: its token cannot be renewed, and expires when SIMKL shuts down AUTH V1. */
export function isV1({ access_token: token, refresh_token: refresh }: Readonly<Profile>): boolean {
  return token !== '' && refresh === ''
}

/** Removes trailing slashes of URLs and spaces around texts. */
export function normalize(profile: Profile): Profile {
  return {
    ...profile,
    api_url: trimAddress(profile.api_url, API_URL),
    authorize_url: authorizeUrlOf(profile),
    client_id: profile.client_id.trim(),
    client_secret: profile.client_secret.trim(),
    pin_client_id: profile.pin_client_id.trim(),
  }
}

export function authorizeUrlOf({ authorize_url: url }: Pick<Profile, 'authorize_url'>): string {
  const page = trimAddress(url, AUTHORIZE_URL)
  return page === AUTHORIZE_URL_V1 ? AUTHORIZE_URL : page
}
