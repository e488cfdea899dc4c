// Shows that the person dropped.
import { createDroppedShows as createDroppedShowsOf } from '@playhead/trakt-dialect'
import { workItem } from '../items.ts'
import { DIALECT } from './pages.ts'
import type { Session } from '../session.ts'

type Parts = Pick<Session, 'upstream' | 'lineage' | 'activities' | 'now'>

export function createDroppedShows(session: Parts): Session['droppedShows'] {
  return createDroppedShowsOf(session, DIALECT, {
    label: 'MDBList',
    path: '/sync/dropped',
    stamps: ['dropped_at'],
    itemOf: workItem,
    idOf: ({ fields }) => JSON.stringify(fields['show'] ?? fields),
  })
}
