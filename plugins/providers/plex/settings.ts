// Settings of a Plex profile, and their normalization.
import { Type, type Static, type TSchema } from '@playhead/sdk'
import { type ChosenLibraries, FIELD_WORDS, compatFields } from '@playhead/sdk/provider'

const text = (description: string, more: object = {}) =>
  Type.String({ default: '', maxLength: 500, description, ...more })
const libraries = () => Type.Array(Type.String(), { default: [], description: 'Library ids; empty means all.' })
const tuning = <Schema extends TSchema>(schema: Schema): Schema => ({ ...schema, inherit: true })

export const PlexProfile = Type.Object({
  server_url: text('Empty: it is found automatically.', { title: 'Address of the media server' }),
  verify_ssl: Type.Boolean({ default: true, ...FIELD_WORDS.certificate }),
  account_token: text('Made by signing in.', { title: 'Token of the account', secret: true, boundTo: 'cloud_url' }),
  pms_token: text('Made by signing in.', { title: 'Token for the media server', secret: true, boundTo: 'server_url' }),
  pms_token_server: text('The address that the token belongs to.', { title: 'Server of that token', advanced: true }),
  home_pin: text('Of the home user that this profile stands for.', { title: 'PIN', secret: true }),
  webhook_secret: text('Webhooks must bring it.', { title: 'Secret of webhooks', secret: true }),
  client_id: text('Names it to Plex; made at the first sign-in.', { title: 'ID of this installation', advanced: true }),
  machine_id: text('Which server of the account this profile uses.', {
    title: 'ID of the media server',
    advanced: true,
  }),
  username: text('Name of the user.'),
  account_id: Type.Union([Type.Integer({ minimum: 0 }), Type.String({ maxLength: 40 })], {
    default: '',
    title: 'Home user',
    description: 'Whose watch state this profile is: empty or 1 for the account itself, else the id of a home user.',
  }),
  cloud_url: text('Takes the place of plex.tv and its services; for tests.', {
    title: 'Address of the cloud',
    advanced: true,
  }),
  timeout: tuning(Type.Number({ default: 10, ...FIELD_WORDS.timeout })),
  max_retries: tuning(Type.Integer({ default: 3, ...FIELD_WORDS.retries })),
  ...compatFields({ fallback_GUID: false }),
  scrobble: Type.Object({ libraries: libraries() }, { default: {} }),
  history: Type.Object(
    {
      libraries: libraries(),
      include_marked_watched: Type.Boolean({
        default: true,
        title: 'Also what was marked as watched',
        description: 'It is not in the play log.',
      }),
    },
    { default: {} },
  ),
  progress: Type.Object({ libraries: libraries() }, { default: {} }),
  ratings: Type.Object({ libraries: libraries() }, { default: {} }),
  rating_workers: tuning(Type.Integer({ default: 4, title: 'Ratings written at the same time' })),
  history_workers: tuning(Type.Integer({ default: 4, title: 'Plays written at the same time' })),
  watchlist_allow_pms_fallback: Type.Boolean({
    default: false,
    deprecated: true,
    description: "Kept for older settings; the watchlist is the cloud's.",
  }),
  watchlist_page_size: tuning(Type.Integer({ default: 100, title: 'Titles of the watchlist per request' })),
  watchlist_query_limit: tuning(Type.Integer({ default: 25, title: 'Titles per search' })),
  watchlist_write_delay_ms: tuning(Type.Integer({ default: 0, title: 'Pause between writes to the watchlist (ms)' })),
  watchlist_title_query: Type.Boolean({
    default: true,
    advanced: true,
    title: 'Search for titles of the watchlist by name',
    description: 'Where an id finds nothing; only an equal id counts.',
  }),
  watchlist_use_metadata_match: Type.Boolean({
    default: true,
    advanced: true,
    title: 'Ask Plex which title an id belongs to',
  }),
  watchlist_guid_priority: tuning(
    Type.Array(Type.String(), {
      title: 'Order in which ids are tried',
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
