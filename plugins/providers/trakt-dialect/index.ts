// @playhead/trakt-dialect: the common parts of trackers with an API like that of Trakt: bodies and responses keyed by kind, change
//   times, batches with counts, and scrobbles. A provider adds the specifics of its service.
export { itemOfWork, type Work } from './items.ts'
export { batchFields } from './settings.ts'
export { openTracker, type TrackerProfile, type TrackerSession } from './session.ts'
export {
  beginRead,
  createDroppedShows,
  type ListRequest,
  type ListSpec,
  type Pages,
  partsOf,
  type ReadDialect,
  readList,
} from './read/list.ts'
export {
  createScrobble,
  PLAY_AT_PERCENT,
  resultOfAction,
  type ScrobbleDialect,
  Scrobbled,
} from './playback/scrobble.ts'
export { type Batch, type BatchDialect, DOUBT, NOT_FOUND, type Room, writeBatch } from './write/batch.ts'
export { createWrites, listBatch, type Paths } from './write/features.ts'
export { pauseAt, removePosition, writePositions } from './write/positions.ts'
export {
  bodyOf,
  type Echo,
  type Group,
  GROUPS,
  isNamedBy,
  isWithin,
  type Name,
  nameById,
  nameByNumber,
  notFoundAmong,
  type Target,
} from './write/targets.ts'
