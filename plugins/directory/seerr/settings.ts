// The settings of one profile, which is one user of Seerr.
import { type Static, titledChoice, Type } from '@playhead/sdk'
import {
  FIELD_WORDS,
  ownField,
  type ReasonCode,
  secretField,
  signedInField,
  trimAddress,
  tuningField,
} from '@playhead/sdk/provider'

export const Profile = Type.Object({
  server: Type.String({
    default: '',
    maxLength: 500,
    title: 'Address of Seerr',
    description: 'As in the browser, for example http://192.168.1.20:5055.',
  }),
  api_key: secretField('server', 'In Seerr: Settings, General, API Key.', { title: 'API key' }),
  session: ownField(secretField('server', 'Set when you sign in.')),
  user: Type.String({
    default: '',
    maxLength: 200,
    title: 'User',
    description: 'Name, email address or ID of the user in Seerr whose requests these are.',
  }),
  user_id: ownField(Type.Integer({ default: 0, minimum: 0 })),
  /** When Seerr made the user: an ID may go to another person. */
  user_created: signedInField('', 64),
  is_4k: Type.Boolean({
    default: false,
    title: 'Request in 4K',
    description: 'Needs a 4K server in Seerr, and the right of the user to request in 4K.',
  }),
  seasons: titledChoice(
    { all: 'All seasons', first: 'The first season' },
    { default: 'all', title: 'Seasons of a show', description: 'Which seasons a show on the watchlist requests.' },
  ),
  list_the_rest: Type.Boolean({
    default: true,
    title: 'List titles that need no request',
    description:
      'A title that is available, or that another person requested, goes to the watchlist that Seerr has for the user.',
  }),
  verify_ssl: Type.Boolean({ default: true, ...FIELD_WORDS.certificate }),
  timeout: Type.Number({ default: 20, minimum: 1, maximum: 300, inherit: true, ...FIELD_WORDS.timeout }),
  max_retries: tuningField(2, 0, 20, FIELD_WORDS.retries),
  page_size: tuningField(100, 1, 500, {
    title: 'Requests in one answer',
    description: 'Less for a server that answers slowly.',
  }),
})
export type Profile = Static<typeof Profile>

/** Cleared on disconnect. */
export const CREDENTIALS = ['server', 'api_key', 'session', 'user', 'user_id', 'user_created'] as const

export function missing({ server, api_key: key, session, user_id: user }: Readonly<Profile>): ReasonCode | undefined {
  if (!URL.canParse(server) || user === 0) return 'not_configured'
  return key === '' && session === '' ? 'missing_credentials' : undefined
}

export function normalize(profile: Profile): Profile {
  return { ...profile, server: trimAddress(profile.server), api_key: profile.api_key.trim(), user: profile.user.trim() }
}
