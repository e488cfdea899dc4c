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
  authorize_url: addressField(AUTHORIZE_URL, {
    title: 'Sign-in page',
    description: 'Change this only to use another server, for example for tests.',
  }),
  client_id: Type.String({
    default: '',
    maxLength: 512,
    inherit: true,
    description: 'The ID of your SIMKL application.',
  }),
  client_secret: secretField(
    'api_url',
    'The secret of your SIMKL application, if it has one. Only used to sign in with the browser.',
    { inherit: true },
  ),
  pin_client_id: Type.String({
    default: '',
    maxLength: 512,
    inherit: true,
    title: 'Client ID for PIN sign-in',
    description: 'The application used to sign in with a PIN if you have none of your own.',
  }),
  ...tokenFields({ access: 'api_url', refresh: 'api_url' }),
  refresh_token: ownField(secretField('api_url', 'Set when you sign in. Empty for a sign-in from before AUTH V2.')),
  scope: signedInField('', 200, 'The granted permissions. Set when you sign in.'),
  auth_method: signedInField('', 20, 'Either pin or oauth. Set when you sign in.'),
  date_from: Type.String({
    default: '',
    maxLength: 40,
    deprecated: true,
    description: 'Has no effect. Everything is read.',
  }),
  timeout: tuningField(15, 1, 300, FIELD_WORDS.timeout),
  max_retries: tuningField(3, 0, 20, FIELD_WORDS.retries),
  rate_limit: rateLimitField(10, 1),
  ...batchFields({ watchlist: 100, ratings: 100, history: 100 }, 500, 'The service accepts at most 100.'),
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
