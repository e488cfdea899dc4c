// Settings of a profile that all trackers have.
import { defined } from '@playhead/sdk'
import { tuningField } from '@playhead/sdk/provider'

/**
 * Sizes of batches.
 *
 * @param most the largest that can be set
 */
export function batchFields(
  sizes: { readonly watchlist: number; readonly ratings: number; readonly history: number },
  most: number,
  description?: string,
) {
  const field = (size: number, title: string) => tuningField(size, 1, most, { title, ...defined({ description }) })
  return {
    watchlist_batch_size: field(sizes.watchlist, 'Items per write to the watchlist'),
    ratings_chunk_size: field(sizes.ratings, 'Ratings per write'),
    history_chunk_size: field(sizes.history, 'Plays per write'),
  }
}
