// The settings of one profile, which is one user of a Scrob server.
import { type Static, Type } from '@playhead/sdk'
import { FIELD_WORDS, ownField, type ReasonCode, secretField, trimAddress, tuningField } from '@playhead/sdk/provider'

export const Profile = Type.Object({
  server: Type.String({
    default: '',
    maxLength: 500,
    title: 'Address of Scrob',
    description: 'As in the browser, for example http://192.168.1.20:7330.',
  }),
  username: Type.String({ default: '', maxLength: 200, title: 'Username', description: 'Your name at this server.' }),
  api_key: secretField('server', 'In Scrob: Connections, API Key.', { title: 'API key' }),
  user_id: ownField(Type.Integer({ default: 0, minimum: 0 })),
  watchlist: Type.String({
    default: 'Watchlist',
    maxLength: 255,
    title: 'List for the watchlist',
    description: 'The name of your list in Scrob that is synced as the watchlist.',
  }),
  verify_ssl: Type.Boolean({ default: true, ...FIELD_WORDS.certificate }),
  timeout: Type.Number({ default: 30, minimum: 1, maximum: 300, inherit: true, ...FIELD_WORDS.timeout }),
  max_retries: tuningField(2, 0, 20, FIELD_WORDS.retries),
  page_size: tuningField(100, 1, 100, { title: 'Plays in one answer', description: 'Scrob gives at most 100.' }),
})
export type Profile = Static<typeof Profile>

/** Cleared on disconnect. */
export const CREDENTIALS = ['server', 'username', 'api_key', 'user_id'] as const

export function missing({ server, api_key: key, user_id: user }: Readonly<Profile>): ReasonCode | undefined {
  if (!URL.canParse(server) || user === 0) return 'not_configured'
  return key === '' ? 'missing_credentials' : undefined
}

export function normalize(profile: Profile): Profile {
  return {
    ...profile,
    server: trimAddress(profile.server),
    username: profile.username.trim(),
    api_key: profile.api_key.trim(),
    watchlist: profile.watchlist.trim(),
  }
}
