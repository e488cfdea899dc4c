// The libraries that a user sees.
import type { Library } from '@playhead/sdk'
import { Page } from '../wire.ts'
import type { Session } from '../session.ts'

const TYPES: Readonly<Record<string, string>> = { movies: 'movie', tvshows: 'show' }

export async function listViews(session: Session, signal?: AbortSignal): Promise<readonly Library[]> {
  const { userId } = await session.identity()
  const ask = session.dialect.views(userId)
  const { Items } = await session.upstream.json({ ...ask, ...(signal === undefined ? {} : { signal }) }, Page)
  return Items.map(({ Id, Name, CollectionType }) => ({
    key: Id,
    title: Name ?? Id,
    type: typeOf(CollectionType),
  })).sort((a, b) => a.title.localeCompare(b.title, 'en'))
}

function typeOf(collection: string | null | undefined): string {
  const name = collection?.toLowerCase() ?? ''
  return TYPES[name] ?? (/series|tv/.test(name) ? 'show' : name || 'lib')
}
