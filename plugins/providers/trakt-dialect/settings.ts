// Settings of a profile that all trackers have.
import { tuningField } from '@playhead/sdk/provider'

/**
 * Sizes of batches.
 *
 * @param most the largest that can be set
 */
export function batchFields(
  sizes: { readonly watchlist: number; readonly ratings: number; readonly history: number },
  most: number,
  description = 'Larger lists are sent in several requests.',
) {
  const field = (size: number, title: string) => tuningField(size, 1, most, { title, description })
  return {
    watchlist_batch_size: field(sizes.watchlist, 'Watchlist items per request'),
    ratings_chunk_size: field(sizes.ratings, 'Ratings per request'),
    history_chunk_size: field(sizes.history, 'Plays per request'),
  }
}
