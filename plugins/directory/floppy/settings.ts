// The settings of one profile, which is one user of a Floppy server.
import { type Static, Type } from '@playhead/sdk'
import { FIELD_WORDS, type ReasonCode, secretField, trimAddress, tuningField } from '@playhead/sdk/provider'

export const Profile = Type.Object({
  server: Type.String({
    default: '',
    maxLength: 500,
    title: 'Address of Floppy',
    description: 'As in the browser, for example http://192.168.1.20:8000.',
  }),
  api_token: secretField('server', 'In Floppy: Settings, Integrations, an app token.', { title: 'Token' }),
  verify_ssl: Type.Boolean({ default: true, ...FIELD_WORDS.certificate }),
  timeout: Type.Number({ default: 30, minimum: 1, maximum: 300, inherit: true, ...FIELD_WORDS.timeout }),
  max_retries: tuningField(2, 0, 20, FIELD_WORDS.retries),
  page_size: tuningField(200, 2, 200, { title: 'Titles in one answer', description: 'Floppy gives at most 200.' }),
})
export type Profile = Static<typeof Profile>

/** Cleared on disconnect. */
export const CREDENTIALS = ['server', 'api_token'] as const

export function missing({ server, api_token: token }: Readonly<Profile>): ReasonCode | undefined {
  if (!URL.canParse(server)) return 'not_configured'
  return token === '' ? 'missing_credentials' : undefined
}

export function normalize(profile: Profile): Profile {
  return { ...profile, server: trimAddress(profile.server), api_token: profile.api_token.trim() }
}
