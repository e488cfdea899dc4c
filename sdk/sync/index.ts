// @playhead/sdk/sync: rules that policies of sync features share, and following runs.
export type * from './contract.ts'
export type * from './run-hooks.ts'
export {
  decideGroups,
  divergeGroup,
  holdGroup,
  leaveGroup,
  linkGroup,
  REMOVALS_OFF,
  removeFrom,
  removeForeign,
  writeTo,
} from './decide.ts'
export type { GroupPolicy, GroupSituation, GroupWrite } from './decide.ts'
export type * from './playlist-policy.ts'
export { newerChange, newerSide, otherSide } from './newest.ts'
export {
  AnimeOptions,
  chosenLibraries,
  LibraryChoice,
  readFeatureOptions,
  readFlag,
} from './options.ts'
export type { OptionProblem, PairSides, ReadOption } from './options.ts'
export { presencePolicy } from './presence.ts'
export type { PresenceOptions } from './presence.ts'
export { isTransient, shapeOf, timeMs } from './shapes.ts'
export { isChanged, isNewerThanLoss, isSetAgain, lookAt } from './side-state.ts'
export type { Appearance, Recognise, SideState } from './side-state.ts'
export { ITEM_VALUES, itemToWrite } from './write-item.ts'
export { followRuns } from './follow-runs.ts'
export { NO_PROGRESS, PROGRESS_EVENTS, readOf, reduceProgress } from './run-progress.ts'
export type * from './run-progress.ts'
