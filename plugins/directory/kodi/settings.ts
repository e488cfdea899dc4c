// The settings of one profile, which is one Kodi box.
import { isTimeZone, type Static, Type } from '@playhead/sdk'
import { FIELD_WORDS, type ReasonCode, secretField, trimAddress, tuningField } from '@playhead/sdk/provider'

export const Profile = Type.Object({
  server: Type.String({
    default: '',
    maxLength: 500,
    title: 'Address of Kodi',
    description: 'With the port of its web server, for example http://192.168.1.20:8080.',
  }),
  username: Type.String({
    default: '',
    maxLength: 200,
    title: 'Username',
    description: 'That of the web server in the settings of Kodi.',
  }),
  password: secretField('server', 'That of the web server in the settings of Kodi.', { title: 'Password' }),
  time_zone: Type.String({
    default: '',
    maxLength: 64,
    title: 'Time zone of the box',
    description: 'For example Europe/Berlin. Used where the box does not name its zone: Kodi stores times without one.',
  }),
  /** Plain HTTP on the host of `server`: the port of notifications has neither TLS nor a password. */
  events_server: Type.String({
    default: '',
    maxLength: 500,
    advanced: true,
    title: 'Address of the notifications',
    description: 'Port 9090 of the same box. Leave empty to ask the box regularly what is playing.',
  }),
  verify_ssl: Type.Boolean({ default: true, ...FIELD_WORDS.certificate }),
  timeout: Type.Number({ default: 20, minimum: 1, maximum: 300, inherit: true, ...FIELD_WORDS.timeout }),
  max_retries: tuningField(2, 0, 20, FIELD_WORDS.retries),
  page_size: tuningField(500, 1, 5_000, {
    title: 'Titles in one answer',
    description: 'Less for a box that answers slowly.',
  }),
})
export type Profile = Static<typeof Profile>

/** Cleared on disconnect. */
export const CREDENTIALS = ['server', 'username', 'password', 'time_zone', 'events_server'] as const

export function missing({ server, time_zone: zone }: Readonly<Profile>): ReasonCode | undefined {
  return URL.canParse(server) && isTimeZone(zone) ? undefined : 'not_configured'
}

export function normalize(profile: Profile): Profile {
  return {
    ...profile,
    server: trimAddress(profile.server),
    events_server: trimAddress(profile.events_server),
    username: profile.username.trim(),
    time_zone: profile.time_zone.trim(),
  }
}
