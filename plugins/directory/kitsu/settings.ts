// The settings of one profile: the address, and what the sign-in stores. The password is not stored.
import { type Static, Type } from '@playhead/sdk'
import {
  addressField,
  FIELD_WORDS,
  ownField,
  rateLimitField,
  secretField,
  trimAddress,
  tuningField,
} from '@playhead/sdk/provider'

/** Formerly kitsu.io, which redirects here. */
const SERVER = 'https://kitsu.app'

export const Profile = Type.Object({
  server: addressField(SERVER, FIELD_WORDS.api),
  username: Type.String({
    default: '',
    maxLength: 200,
    title: 'Email or user name',
    description: 'The user name is the one in the address of your profile page.',
  }),
  access_token: ownField(secretField('server', 'Set when you sign in.')),
  refresh_token: ownField(secretField('server', 'Set when you sign in. Each refresh token works once.')),
  expires_at: Type.Integer({
    default: 0,
    minimum: 0,
    readOnly: true,
    description: 'When the access token expires, in seconds since 1970. 0 if unknown.',
  }),
  user: Type.Object(
    {
      id: Type.String({ default: '', maxLength: 40, description: 'Set when you sign in.' }),
      name: Type.String({ default: '', maxLength: 200, description: 'Set when you sign in.' }),
    },
    { default: {}, title: 'Signed-in user', readOnly: true },
  ),
  timeout: tuningField(30, 1, 300, FIELD_WORDS.timeout),
  max_retries: tuningField(3, 0, 20, FIELD_WORDS.retries),
  /** Kitsu names no limit for these requests. */
  rate_limit: rateLimitField(2, 1),
  page_size: tuningField(100, 2, 500, {
    title: 'Titles in one answer',
    description: 'Kitsu gives up to 500 entries of a library at once.',
  }),
})
export type Profile = Static<typeof Profile>

/** Cleared on disconnect. */
export const CREDENTIALS = ['username', 'access_token', 'refresh_token', 'expires_at', 'user'] as const

export function normalize(profile: Profile): Profile {
  return { ...profile, server: trimAddress(profile.server, SERVER), username: profile.username.trim() }
}
