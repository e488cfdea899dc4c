// The libraries that contain an item: its ancestors among the libraries of the profile's user.
import { isPlayheadError } from '@playhead/sdk'
import { listViews } from '../library.ts'
import type { Session } from '../session.ts'
import { Ancestors } from '../wire.ts'

/** Libraries by item id. Items without a visible library are missing. */
export async function readLibrariesOf(
  session: Session,
  itemIds: readonly string[],
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const { userId } = await session.identity(false, signal)
  const views = new Set((await listViews(session, signal)).map(({ key }) => key))
  const found = await Promise.all(
    itemIds.map(async (itemId): Promise<readonly [string, readonly string[]]> => {
      const ancestors = await readAncestors(session, userId, itemId, signal)
      return [itemId, ancestors.filter((id) => views.has(id))]
    }),
  )
  return new Map(found.filter(([, libraries]) => libraries.length > 0))
}

async function readAncestors(
  { dialect, upstream }: Session,
  userId: string,
  itemId: string,
  signal: AbortSignal | undefined,
): Promise<readonly string[]> {
  try {
    const ask = dialect.ancestors(userId, itemId)
    const rows = await upstream.json({ ...ask, signal }, Ancestors)
    return rows.map(({ Id }) => Id)
  } catch (error) {
    // Deleted, or not visible for the user.
    if (isPlayheadError(error, 'PLH_NOT_FOUND') || (isPlayheadError(error) && error.details?.['status'] === 403))
      return []
    throw error
  }
}
