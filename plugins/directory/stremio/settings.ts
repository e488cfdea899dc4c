// The settings of one profile, which is one Stremio account.
import { type Static, Type } from '@playhead/sdk'
import {
  addressField,
  FIELD_WORDS,
  ownField,
  type ReasonCode,
  secretField,
  signedInField,
  trimAddress,
  tuningField,
} from '@playhead/sdk/provider'

export const API_URL = 'https://api.strem.io'
export const VIDEOS_URL = 'https://v3-cinemeta.strem.io'

export const Profile = Type.Object({
  email: Type.String({
    default: '',
    maxLength: 320,
    title: 'Email',
    description: 'The address with which you sign in to Stremio.',
  }),
  password: ownField(secretField('api_url', 'Not stored after you sign in.', { title: 'Password' })),
  auth_key: ownField(secretField('api_url', 'Set when you sign in.')),
  user_id: signedInField('', 100),
  api_url: addressField(API_URL, { ...FIELD_WORDS.api }),
  videos_url: addressField(VIDEOS_URL, {
    title: 'Address of Cinemeta',
    description: 'Names the episodes of shows. Change this only to use another server, for example for tests.',
  }),
  timeout: Type.Number({ default: 20, minimum: 1, maximum: 300, inherit: true, ...FIELD_WORDS.timeout }),
  max_retries: tuningField(3, 0, 20, FIELD_WORDS.retries),
  page_size: tuningField(100, 1, 500, {
    title: 'Titles in one answer',
    description: 'How many titles of the library are requested at a time.',
  }),
})
export type Profile = Static<typeof Profile>

/** Cleared on disconnect. */
export const CREDENTIALS = ['email', 'password', 'auth_key', 'user_id'] as const

export function missing({ auth_key: key, user_id: user }: Readonly<Profile>): ReasonCode | undefined {
  return key === '' || user === '' ? 'not_configured' : undefined
}

export function normalize(profile: Profile): Profile {
  return {
    ...profile,
    email: profile.email.trim(),
    password: '',
    api_url: trimAddress(profile.api_url, API_URL),
    videos_url: trimAddress(profile.videos_url, VIDEOS_URL),
  }
}
