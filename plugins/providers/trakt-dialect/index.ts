// @playhead/trakt-dialect: the common parts of trackers with an API like that of Trakt: rows, change times
// and pages. A provider adds what is special about its service.
export { itemOfWork, type Work } from './items.ts'
export { openTracker, type TrackerProfile, type TrackerSession } from './session.ts'
export {
  changeSince,
  changeTimes,
  createDroppedShows,
  isUnchanged,
  type ListRequest,
  type ListSpec,
  type Pages,
  partsOf,
  type ReadDialect,
  readList,
} from './read/list.ts'
