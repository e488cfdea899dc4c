import { type Static, Type } from '@playhead/sdk'
import { FIELD_WORDS, ownField, secretField, trimAddress } from '@playhead/sdk/provider'

const API_URL = 'https://api.themoviedb.org/3'

const text = (description: string) => Type.String({ default: '', maxLength: 200, description })
const secret = (description: string) => secretField('api_url', description, { maxLength: 512 })

export const Profile = Type.Object({
  api_url: Type.String({
    default: API_URL,
    maxLength: 500,
    pattern: '^https?://\\S+$',
    ...FIELD_WORDS.api,
    description: 'Includes the version of the API.',
  }),
  api_key: secret('The API key (v3) of your TMDB account.'),
  session_id: ownField(secret('Set when you sign in.')),
  account_id: ownField(text('The number of the account. Set when you sign in.')),
  username: ownField(text('Set when you sign in.')),
  timeout: Type.Number({ default: 15, minimum: 1, maximum: 300, inherit: true, ...FIELD_WORDS.timeout }),
  max_retries: Type.Integer({ default: 3, minimum: 0, maximum: 20, inherit: true, ...FIELD_WORDS.retries }),
})
export type Profile = Static<typeof Profile>

/** Cleared on disconnect. */
export const CREDENTIALS = ['api_key', 'session_id', 'account_id', 'username'] as const

/** A session belongs to the key it was created with. */
export function normalize(profile: Profile): Profile {
  const api_url = trimAddress(profile.api_url, API_URL)
  const api_key = profile.api_key.trim()
  const signedIn = api_key === '' ? { session_id: '', account_id: '', username: '' } : {}
  return { ...profile, api_url, api_key, ...signedIn }
}
