// The settings of one profile, which is one person that Tracearr knows.
import { type Static, Type } from '@playhead/sdk'
import { FIELD_WORDS, ownField, type ReasonCode, secretField, trimAddress, tuningField } from '@playhead/sdk/provider'

export const Profile = Type.Object({
  server: Type.String({
    default: '',
    maxLength: 500,
    title: 'Address of Tracearr',
    description: 'As in the browser, for example http://192.168.1.20:3000.',
  }),
  api_key: secretField('server', 'In Tracearr: Settings, General, API key. It begins with trr_pub_.', {
    title: 'API key',
  }),
  user: Type.String({
    default: '',
    maxLength: 200,
    title: 'User',
    description: 'Name, email address or ID of the person whose plays are read.',
  }),
  user_id: ownField(Type.String({ default: '', maxLength: 64 })),
  verify_ssl: Type.Boolean({ default: true, ...FIELD_WORDS.certificate }),
  timeout: Type.Number({ default: 30, minimum: 1, maximum: 300, inherit: true, ...FIELD_WORDS.timeout }),
  max_retries: tuningField(2, 0, 20, FIELD_WORDS.retries),
  page_size: tuningField(100, 1, 100, { title: 'Plays in one answer', description: 'Tracearr gives at most 100.' }),
})
export type Profile = Static<typeof Profile>

/** Cleared on disconnect. */
export const CREDENTIALS = ['server', 'api_key', 'user', 'user_id'] as const

export function missing({ server, api_key: key, user_id: user }: Readonly<Profile>): ReasonCode | undefined {
  if (!URL.canParse(server) || user === '') return 'not_configured'
  return key === '' ? 'missing_credentials' : undefined
}

export function normalize(profile: Profile): Profile {
  return { ...profile, server: trimAddress(profile.server), api_key: profile.api_key.trim(), user: profile.user.trim() }
}
