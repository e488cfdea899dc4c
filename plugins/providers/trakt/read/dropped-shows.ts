// Shows that the person dropped: a list among the hidden items, with its own change time.
import { createDroppedShows as createDroppedShowsOf } from '@playhead/trakt-dialect'
import { itemOf } from '../items.ts'
import { workId } from './list.ts'
import { DIALECT } from './pages.ts'
import type { Session } from '../session.ts'

type Parts = Pick<Session, 'upstream' | 'lineage' | 'activities' | 'now'>

export function createDroppedShows(session: Parts): Session['droppedShows'] {
  return createDroppedShowsOf(session, DIALECT, {
    label: 'Trakt',
    path: '/users/hidden/dropped',
    query: { type: 'show' },
    stamps: ['shows.dropped_at'],
    itemOf,
    idOf: workId,
  })
}
