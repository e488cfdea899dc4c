// What all routes of the archive share.
import { isPlayheadError, PlayheadError } from '@playhead/sdk'

export const TAG = 'Event store'

/** A database that fails is said to fail; nothing is hidden behind an empty list. */
export async function orUnavailable<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    const isItsOwn = isPlayheadError(error) && error.code !== 'PLH_NOT_READY' && error.code !== 'PLH_ABORTED'
    if (isItsOwn || !isAboutDatabase(error)) throw error
    throw new PlayheadError('PLH_NOT_READY', 'The event archive cannot be read now. Look at the log, and try again.', {
      cause: error,
      wire: 'event_store_unavailable',
      status: 500,
    })
  }
}

function isAboutDatabase(error: unknown): boolean {
  return isPlayheadError(error) || (error as { readonly code?: unknown } | null)?.code === 'ERR_SQLITE_ERROR'
}
