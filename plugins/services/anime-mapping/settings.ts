import { FEATURES, type Static, Type } from '@playhead/sdk'

const MAPPINGS_URL = 'https://github.com/anibridge/anibridge-mappings/releases/download'
const IDENTITIES_URL = 'https://raw.githubusercontent.com/nattadasu/animeApi/v3/database/animeapi.tsv'
const DEFAULT_TAG = 'v3'
/** The spelling of providers in settings. */
export const DEFAULT_PROVIDERS: readonly string[] = ['animeA', 'trackB']
export const ANY_PROVIDER = '*'
// A tag becomes part of a URL.
const TAG = '^(?!\\.{1,2}$)[A-Za-z0-9._-]{1,64}$'
const MAX_HOURS = 8_760
const MAX_DAYS = 3_650

// Without defaults, which would fill in fields that a request omits.
export const DataProvider = Type.Union([Type.Literal('anibridge')], {
  title: 'Data sets',
  description: 'Where the mapping comes from.',
})
export const RefreshHours = Type.Integer({ title: 'Check for new data (hours)', minimum: 1, maximum: MAX_HOURS })
export const StaleDays = Type.Integer({ title: 'Data is old after (days)', minimum: 1, maximum: MAX_DAYS })
export const MappedFeatures = Type.Array(Type.Union(FEATURES.map((feature) => Type.Literal(feature))), {
  title: 'What is mapped',
  maxItems: FEATURES.length,
  uniqueItems: true,
  description: 'History also needs the option of the pair.',
})
const address = (url: string, title: string) =>
  Type.String({ title, default: url, maxLength: 500, advanced: true, pattern: '^https?://\\S+$' })

export const Settings = Type.Object({
  enabled: Type.Boolean({
    title: 'Map anime',
    default: false,
    description: 'Downloads the data sets of AniBridge and animeApi to this server.',
  }),
  auto_update: Type.Boolean({ title: 'Keep the data up to date', default: true }),
  provider: { ...DataProvider, default: 'anibridge', advanced: true },
  release_tag: Type.String({ title: 'Release of the data', advanced: true, default: DEFAULT_TAG, pattern: TAG }),
  refresh_hours: { ...RefreshHours, default: 24 },
  stale_after_days: { ...StaleDays, default: 14 },
  use_for_pairs: Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
    title: 'Services whose pairs are mapped',
    default: [...DEFAULT_PROVIDERS],
    maxItems: 50,
    description: 'Pairs with one of these services are mapped; * for all pairs.',
  }),
  features: { ...MappedFeatures, default: ['watchlist', 'ratings', 'history'] },
  mappings_url: address(MAPPINGS_URL, 'Address of the mapping set, without the release'),
  identities_url: address(IDENTITIES_URL, 'Address of the identity table'),
})
export type Settings = Static<typeof Settings>

export function isReleaseTag(text: string): boolean {
  return new RegExp(TAG).test(text)
}
