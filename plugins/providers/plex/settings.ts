// Settings of a Plex profile, and their normalization.
import { Type, type Static, type TSchema } from '@playhead/sdk'
import { type ChosenLibraries, FIELD_WORDS, compatFields } from '@playhead/sdk/provider'

const text = (description: string, more: object = {}) =>
  Type.String({ default: '', maxLength: 500, description, ...more })
const libraries = () =>
  Type.Array(Type.String(), { default: [], description: 'IDs of the libraries to use. Leave empty for all libraries.' })
const tuning = <Schema extends TSchema>(schema: Schema): Schema => ({ ...schema, inherit: true })

export const PlexProfile = Type.Object({
  server_url: text('Leave empty to find the server automatically.', { title: 'Media server address' }),
  verify_ssl: Type.Boolean({ default: true, ...FIELD_WORDS.certificate }),
  account_token: text('Set when you sign in.', { title: 'Account token', secret: true, boundTo: 'cloud_url' }),
  pms_token: text('Set when you sign in.', { title: 'Media server token', secret: true, boundTo: 'server_url' }),
  pms_token_server: text('The server that the media server token belongs to.', {
    title: 'Token server',
    advanced: true,
  }),
  home_pin: text('The PIN of the home user, if the user has one.', { title: 'PIN', secret: true }),
  webhook_secret: text('Webhooks without this secret are rejected.', { title: 'Webhook secret', secret: true }),
  client_id: text('Identifies Playhead to Plex. Created when you first sign in.', {
    title: 'Client ID',
    advanced: true,
  }),
  machine_id: text('The server of the account to use.', { title: 'Media server ID', advanced: true }),
  username: text('The name of the Plex user.'),
  account_id: Type.Union([Type.Integer({ minimum: 0 }), Type.String({ maxLength: 40 })], {
    default: '',
    title: 'Home user',
    description: 'The home user to sync. Leave empty, or enter 1, for the account itself.',
  }),
  cloud_url: text('Replaces plex.tv, for tests.', { title: 'Cloud address', advanced: true }),
  timeout: tuning(Type.Number({ default: 10, ...FIELD_WORDS.timeout })),
  max_retries: tuning(Type.Integer({ default: 3, ...FIELD_WORDS.retries })),
  ...compatFields({ fallback_GUID: false }),
  scrobble: Type.Object({ libraries: libraries() }, { default: {} }),
  history: Type.Object(
    {
      libraries: libraries(),
      include_marked_watched: Type.Boolean({
        default: true,
        title: 'Include titles marked as watched',
        description: 'These are not in the play history of the server.',
      }),
    },
    { default: {} },
  ),
  progress: Type.Object({ libraries: libraries() }, { default: {} }),
  ratings: Type.Object({ libraries: libraries() }, { default: {} }),
  rating_workers: tuning(
    Type.Integer({
      default: 4,
      title: 'Ratings written in parallel',
      description: 'Lower this if the server is slow.',
    }),
  ),
  history_workers: tuning(
    Type.Integer({ default: 4, title: 'Plays written in parallel', description: 'Lower this if the server is slow.' }),
  ),
  watchlist_allow_pms_fallback: Type.Boolean({
    default: false,
    deprecated: true,
    description: 'Has no effect. The watchlist always comes from the Plex account.',
  }),
  watchlist_page_size: tuning(
    Type.Integer({
      default: 100,
      title: 'Watchlist titles per request',
      description: 'Larger watchlists are read in several requests.',
    }),
  ),
  watchlist_query_limit: tuning(
    Type.Integer({
      default: 25,
      title: 'Results per search',
      description: 'How many results are compared to find a watchlist title.',
    }),
  ),
  watchlist_write_delay_ms: tuning(
    Type.Integer({
      default: 0,
      title: 'Delay between watchlist writes (milliseconds)',
      description: 'Raise this if Plex rejects many writes in a row.',
    }),
  ),
  watchlist_title_query: Type.Boolean({
    default: true,
    advanced: true,
    title: 'Search watchlist titles by name',
    description: 'If Plex does not find an ID. A result is used only if an ID matches.',
  }),
  watchlist_use_metadata_match: Type.Boolean({
    default: true,
    advanced: true,
    title: 'Look up IDs at Plex',
    description: 'Asks Plex which title an ID belongs to.',
  }),
  watchlist_guid_priority: tuning(
    Type.Array(Type.String(), {
      title: 'Order of IDs',
      description: 'The IDs of a title are looked up at Plex in this order.',
      default: ['tmdb', 'imdb', 'tvdb', 'agent:themoviedb:en', 'agent:themoviedb', 'agent:imdb'],
    }),
  ),
})
export type PlexProfile = Static<typeof PlexProfile>

/** Cleared on disconnect. */
export const CREDENTIALS = [
  'account_token',
  'pms_token',
  'pms_token_server',
  'home_pin',
  'client_id',
  'machine_id',
  'username',
  'account_id',
  'server_url',
] as const

const RANGES: readonly (readonly [keyof PlexProfile, number, number])[] = [
  ['timeout', 1, 60],
  ['max_retries', 0, 10],
  ['rating_workers', 1, 12],
  ['history_workers', 1, 12],
  ['watchlist_page_size', 1, 200],
  ['watchlist_query_limit', 1, 100],
  ['watchlist_write_delay_ms', 0, 10_000],
]

/** Clamps numbers, cleans addresses, sorts library ids. Absent values stay absent. */
export function normalizeProfile(profile: PlexProfile): PlexProfile {
  const clean: Record<string, unknown> = { ...profile }
  for (const [key, least, most] of RANGES) {
    const value = clean[key]
    if (typeof value === 'number') clean[key] = Math.min(most, Math.max(least, value))
  }
  for (const key of ['server_url', 'cloud_url', 'pms_token_server'] as const) {
    if (typeof clean[key] === 'string') clean[key] = cleanAddress(clean[key])
  }
  for (const key of ['scrobble', 'history', 'progress', 'ratings'] as const) {
    const group = clean[key] as { libraries?: readonly string[] } | undefined
    if (Array.isArray(group?.libraries))
      clean[key] = { ...group, libraries: [...new Set(group.libraries.map(String))].sort() }
  }
  return clean as PlexProfile
}

/** With scheme, without user, query, fragment and trailing slash. An invalid address stays unchanged and fails later. */
export function cleanAddress(address: string): string {
  const trimmed = address.trim()
  if (trimmed === '') return ''
  const url = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(trimmed) ? trimmed : `http://${trimmed}`)
  return url === null || !/^https?:$/.test(url.protocol) ? trimmed : `${url.origin}${url.pathname.replace(/\/+$/, '')}`
}

/** URLs of the cloud services. */
export function cloudHosts({
  cloud_url: cloud,
}: Readonly<PlexProfile>): Readonly<Record<'tv' | 'discover' | 'metadata', string>> {
  if (cloud !== '') return { tv: cloud, discover: cloud, metadata: cloud }
  return {
    tv: 'https://plex.tv',
    discover: 'https://discover.provider.plex.tv',
    metadata: 'https://metadata.provider.plex.tv',
  }
}

export function libraryChoice({ history, progress, ratings, scrobble }: Readonly<PlexProfile>): ChosenLibraries {
  return {
    history: history.libraries,
    progress: progress.libraries,
    ratings: ratings.libraries,
    scrobble: scrobble.libraries,
  }
}
