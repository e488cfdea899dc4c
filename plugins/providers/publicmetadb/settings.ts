import { type Static, Type } from '@playhead/sdk'
import { addressField, compatFields, FIELD_WORDS, secretField, trimAddress, tuningField } from '@playhead/sdk/provider'

const BASE_URL = 'https://publicmetadb.com'

export const Profile = Type.Object({
  base_url: addressField(BASE_URL, {
    title: 'Server address',
    description: 'Change this only to use another server, for example for tests.',
  }),
  api_key: secretField('base_url', 'The API key of your PublicMetaDB account.'),
  timeout: Type.Number({ default: 15, minimum: 1, maximum: 300, inherit: true, ...FIELD_WORDS.timeout }),
  max_retries: tuningField(3, 0, 20, FIELD_WORDS.retries),
  watchlist_list_id: Type.String({
    default: '',
    maxLength: 200,
    title: 'Watchlist ID',
    description: 'Leave empty to find the list by its name, or by its type.',
  }),
  watchlist_name: Type.String({
    default: 'Watchlist',
    maxLength: 200,
    title: 'Watchlist name',
    description: 'The list to use as watchlist.',
  }),
  watchlist_auto_create: Type.Boolean({
    default: true,
    title: 'Create the watchlist if it is missing',
    description: 'It is created as a private list.',
  }),
  rate_limit: Type.Object(
    {
      get_per_sec: Type.Number({
        default: 20,
        minimum: 1,
        maximum: 20,
        title: 'Reads per second',
        description: 'The service allows at most 20.',
      }),
      post_per_sec: Type.Number({
        default: 3,
        minimum: 1,
        maximum: 3,
        title: 'Writes per second',
        description: 'The service allows at most 3.',
      }),
    },
    { default: { get_per_sec: 20, post_per_sec: 3 }, inherit: true, title: 'Rate limit' },
  ),
  ...compatFields({
    watchlist_page_size: [100, 1, 500],
    history_per_page: [100, 1, 500],
    progress_per_page: [100, 1, 500],
    history_max_pages: [1_000, 1, 100_000],
    progress_max_pages: [1_000, 1, 100_000],
    ratings_label: 'Overall',
    ratings_submit_per_hour: [200, 1, 200],
    ratings_update_per_hour: [100, 1, 100],
  }),
})
export type Profile = Static<typeof Profile>

export const CREDENTIALS = ['api_key'] as const

/** Removes trailing slashes of URLs and spaces around texts, and clamps numbers to the limits of the service. */
export function normalize(profile: Profile): Profile {
  return {
    ...profile,
    base_url: trimAddress(profile.base_url, BASE_URL),
    api_key: profile.api_key.trim(),
    watchlist_list_id: profile.watchlist_list_id.trim(),
    watchlist_name: profile.watchlist_name.trim() || 'Watchlist',
  }
}
