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
  title: 'Data source',
  description: 'Where the mapping data comes from.',
})
export const RefreshHours = Type.Integer({
  title: 'Hours between updates',
  minimum: 1,
  maximum: MAX_HOURS,
  description: 'How often to check for new data.',
})
export const StaleDays = Type.Integer({
  title: 'Days until data is out of date',
  minimum: 1,
  maximum: MAX_DAYS,
  description: 'Older data is still used, and shown as out of date.',
})
export const MappedFeatures = Type.Array(Type.Union(FEATURES.map((feature) => Type.Literal(feature))), {
  title: 'Data to map',
  maxItems: FEATURES.length,
  uniqueItems: true,
  description: 'History must also be turned on in the settings of the pair.',
})
const address = (url: string, title: string, description: string) =>
  Type.String({ title, default: url, maxLength: 500, advanced: true, pattern: '^https?://\\S+$', description })

export const Settings = Type.Object({
  enabled: Type.Boolean({
    title: 'Map anime',
    default: false,
    description: 'Downloads the data of AniBridge and animeApi to this server.',
  }),
  auto_update: Type.Boolean({
    title: 'Update the data automatically',
    default: true,
    description: 'Checks for new data in the background.',
  }),
  provider: { ...DataProvider, default: 'anibridge', advanced: true },
  release_tag: Type.String({
    title: 'Data version',
    advanced: true,
    default: DEFAULT_TAG,
    pattern: TAG,
    description: 'The release of the AniBridge mappings to use.',
  }),
  refresh_hours: { ...RefreshHours, default: 24 },
  stale_after_days: { ...StaleDays, default: 14 },
  use_for_pairs: Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
    title: 'Services with anime mapping',
    default: [...DEFAULT_PROVIDERS],
    maxItems: 50,
    description: 'Pairs with one of these services use the mapping. Enter * for all pairs.',
  }),
  features: { ...MappedFeatures, default: ['watchlist', 'ratings', 'history'] },
  mappings_url: address(
    MAPPINGS_URL,
    'Mapping address',
    'Where the mappings are downloaded from, without the version.',
  ),
  identities_url: address(IDENTITIES_URL, 'ID table address', 'Where the table of anime IDs is downloaded from.'),
})
export type Settings = Static<typeof Settings>

export function isReleaseTag(text: string): boolean {
  return new RegExp(TAG).test(text)
}
