// Profile settings of both products.
import { isRecord } from '@playhead/sdk/items'
import { type ChosenLibraries, type ReasonCode, ownField, FIELD_WORDS, compatFields } from '@playhead/sdk/provider'
import { type Static, Type } from '@sinclair/typebox'

const Libraries = (use: string) =>
  Type.Array(Type.String(), {
    default: [],
    maxItems: 500,
    description: `IDs of the libraries to ${use}. Leave empty for all libraries.`,
  })

const MODES = ['favorites', 'playlist', 'collections'] as const
/** Selected libraries per feature. */
const scope = (use: string) => Type.Object({ libraries: Libraries(use) }, { default: {} })

export const MediaBrowserProfile = Type.Object({
  server: Type.String({
    default: '',
    maxLength: 500,
    description: 'The address of the server, for example http://192.168.1.20:8096.',
  }),
  username: Type.String({ default: '', maxLength: 200, description: 'The name you sign in with.' }),
  user: Type.String({
    default: '',
    maxLength: 200,
    advanced: true,
    description: 'The signed-in user. Set when you sign in.',
  }),
  user_id: Type.String({
    default: '',
    maxLength: 100,
    advanced: true,
    description: 'The ID of the user on the server.',
  }),
  access_token: ownField(
    Type.String({ default: '', secret: true, boundTo: 'server', description: 'Set when you sign in.' }),
  ),
  api_key: Type.String({
    default: '',
    secret: true,
    boundTo: 'server',
    advanced: true,
    description: 'An API key of the server, instead of signing in. Also requires the user ID.',
  }),
  password: Type.String({
    default: '',
    secret: true,
    boundTo: 'server',
    readOnly: true,
    description: 'Not stored after you sign in.',
  }),
  auth_method: ownField(Type.String({ default: '', maxLength: 40, description: 'How the access token was obtained.' })),
  server_version: ownField(Type.String({ default: '', maxLength: 80, description: 'Last reported by the server.' })),
  device_id: Type.String({
    default: '',
    maxLength: 100,
    readOnly: true,
    description: 'Identifies this account to the server. Created once.',
  }),
  verify_ssl: Type.Boolean({ default: true, ...FIELD_WORDS.certificate }),
  timeout: Type.Number({ default: 15, ...FIELD_WORDS.timeout, inherit: true }),
  max_retries: Type.Integer({ default: 3, ...FIELD_WORDS.retries, inherit: true }),
  watchlist: Type.Object(
    {
      mode: Type.Union(
        MODES.map((mode) => Type.Literal(mode)),
        {
          default: 'favorites',
          title: 'Use as watchlist',
          description: 'A collection is visible to all users of the server.',
        },
      ),
      playlist_name: Type.String({
        default: 'Watchlist',
        maxLength: 200,
        title: 'Playlist or collection',
        description: 'Its exact name on the server. Not used for favorites.',
      }),
      ...compatFields({
        watchlist_query_limit: 25,
        watchlist_write_delay_ms: 0,
        watchlist_guid_priority: ['tmdb', 'imdb', 'tvdb'],
      }),
    },
    { default: {} },
  ),
  history: Type.Object(
    {
      libraries: Libraries('sync history with'),
      ...compatFields({
        history_query_limit: 25,
        history_write_delay_ms: 0,
        history_guid_priority: ['tmdb', 'imdb', 'tvdb'],
      }),
    },
    { default: {} },
  ),
  ratings: Type.Object(compatFields({ libraries: [], ratings_query_limit: 2_000 }), { default: {}, deprecated: true }),
  progress: scope('sync progress with'),
  scrobble: scope('scrobble from'),
})
export type MediaBrowserProfile = Static<typeof MediaBrowserProfile>

/** Cleared on disconnect. */
export const CREDENTIALS = ['access_token', 'api_key', 'password', 'user_id', 'user', 'auth_method'] as const

export function missing(profile: Readonly<MediaBrowserProfile>): ReasonCode | undefined {
  if (profile.server === '') return 'not_configured'
  if (tokenOf(profile) === undefined || (profile.access_token === '' && profile.user_id === ''))
    return 'missing_credentials'
  return undefined
}

export function tokenOf({ access_token: token, api_key: key }: Readonly<MediaBrowserProfile>): string | undefined {
  return token || key || undefined
}

/** Normalizes spelling, addresses, ranges and lists. Accepts partial input from clients. */
export function normalize(profile: MediaBrowserProfile): MediaBrowserProfile {
  const copy = { ...profile } as Record<string, unknown>
  if (typeof copy['server'] === 'string') copy['server'] = normalizeAddress(copy['server']) ?? copy['server'].trim()
  if (typeof copy['timeout'] === 'number') copy['timeout'] = Math.min(60, Math.max(1, copy['timeout']))
  if (typeof copy['max_retries'] === 'number')
    copy['max_retries'] = Math.min(10, Math.max(0, Math.trunc(copy['max_retries'])))
  const watchlist = copy['watchlist']
  if (isRecord(watchlist) && watchlist['mode'] === 'collection')
    copy['watchlist'] = { ...watchlist, mode: 'collections' }
  for (const name of ['history', 'ratings', 'progress', 'scrobble']) {
    const section = copy[name]
    if (!isRecord(section) || !Array.isArray(section['libraries'])) continue
    copy[name] = { ...section, libraries: [...new Set(section['libraries'].map(String))].sort() }
  }
  return copy as unknown as MediaBrowserProfile
}

export function libraryChoice({ history, progress, scrobble }: Readonly<MediaBrowserProfile>): ChosenLibraries {
  return { history: history.libraries, progress: progress.libraries, scrobble: scrobble.libraries }
}

/** Normalizes to scheme and trailing slash, without user, query and fragment; undefined for an invalid address. */
export function normalizeAddress(text: string): string | undefined {
  const trimmed = text.trim()
  if (trimmed === '') return ''
  const url = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(trimmed) ? trimmed : `http://${trimmed}`)
  if (url === null || !/^https?:$/.test(url.protocol) || url.hostname === '') return undefined
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}/`
}
