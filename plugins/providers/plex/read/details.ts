// Single items of the media server, with all ids.
import { isPlayheadError, type UpstreamAccount } from '@playhead/sdk'
import { type Metadata, Page } from '../wire.ts'

/** By their keys; those that are not there are left out. */
export async function readDetails(
  http: UpstreamAccount,
  keys: readonly string[],
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, Metadata>> {
  const path = `/library/metadata/${keys.map(encodeURIComponent).join(',')}`
  try {
    const {
      MediaContainer: { Metadata: rows = [] },
    } = await http.json({ path, query: { includeGuids: 1 }, ...(signal === undefined ? {} : { signal }) }, Page)
    return new Map(rows.flatMap((row) => (row.ratingKey === undefined ? [] : [[row.ratingKey, row] as const])))
  } catch (error) {
    // None of them is there.
    if (isPlayheadError(error, 'PLH_NOT_FOUND')) return new Map()
    throw error
  }
}
