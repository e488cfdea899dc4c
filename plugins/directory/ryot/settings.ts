// The settings of one profile, which is one user of a Ryot server.
import { type Static, Type } from '@playhead/sdk'
import { FIELD_WORDS, ownField, type ReasonCode, secretField, trimAddress, tuningField } from '@playhead/sdk/provider'

export const Profile = Type.Object({
  server: Type.String({
    default: '',
    maxLength: 500,
    title: 'Address of Ryot',
    description: 'For example http://192.168.1.20:8000.',
  }),
  username: Type.String({ default: '', maxLength: 200, title: 'Username', description: 'Your name at this server.' }),
  password: ownField(secretField('server', 'Not stored after you sign in.', { title: 'Password' })),
  api_token: secretField('server', 'A token of Ryot, in place of name and password.', { title: 'Token' }),
  verify_ssl: Type.Boolean({ default: true, ...FIELD_WORDS.certificate }),
  timeout: Type.Number({ default: 30, minimum: 1, maximum: 300, inherit: true, ...FIELD_WORDS.timeout }),
  max_retries: tuningField(3, 0, 20, FIELD_WORDS.retries),
  page_size: tuningField(25, 1, 100, {
    title: 'Titles in one answer',
    description: 'Less for a server that answers slowly.',
  }),
})
export type Profile = Static<typeof Profile>

/** Cleared on disconnect. */
export const CREDENTIALS = ['server', 'username', 'password', 'api_token'] as const

export function missing({ server, api_token: token }: Readonly<Profile>): ReasonCode | undefined {
  return URL.canParse(server) && token !== '' ? undefined : 'not_configured'
}

export function normalize(profile: Profile): Profile {
  return {
    ...profile,
    server: trimAddress(profile.server),
    username: profile.username.trim(),
    password: '',
    api_token: profile.api_token.trim(),
  }
}
