// @playhead/sdk/provider: reading, writing, signing in and reporting plays.
export type * from './contract.ts'
export type * from './features.ts'
export type * from './reads/contract.ts'
export type * from './writes/contract.ts'
export type * from './users/contract.ts'
export type * from './sign-in/contract.ts'
export type { ContractDifference, ContractLook, ContractProbe, JsonType } from './probes.ts'
export * from './writes/outcomes.ts'
export * from './pictures.ts'
export type { TitlePageAccount, TitlePageDefinition, TitlePageProvider, TitlePagesRequest } from './pages.ts'
export { defineProvider } from './define-provider.ts'
export {
  createCheckpoints,
  isFullReadRecent,
  type CheckpointBase,
  type CheckpointQuestion,
  type Checkpoints,
} from './reads/checkpoints.ts'
export { collectRead, type CollectedRead } from './reads/collect-read.ts'
export { accountWith, rateLimits, readWhole, serviceOptions, type StatusMeaning, withMeanings } from './connection.ts'
export {
  countAfter,
  type CountChange,
  type CountedEntry,
  countedEpisodes,
  type CountWrite,
} from './counted-episodes.ts'
export { createKeyedCache, type KeyedCache, type KeyedCacheOptions } from './reads/keyed-cache.ts'
export { healthOfError, outcomeOfError, reasonCode, reasonOfError } from './failures.ts'
export { createLineage, type Lineage } from './sign-in/lineage.ts'
export { createLatestPlays, type LatestPlays } from './reads/latest-plays.ts'
export { createMemo, type Memo, type MemoOptions } from './reads/memo.ts'
export { arrangeEntries } from './lists/arrange-entries.ts'
export { type EntryMove, moveEntries, type MoveResult } from './lists/move-entries.ts'
export {
  type OffsetPage,
  overlappingPages,
  type OverlappingPages,
  type OverlappingPagesOptions,
} from './reads/overlapping-pages.ts'
export { pagedRead, type Page, type PagedReadOptions, type PageRequest } from './reads/paged-read.ts'
export { canonicalId } from './profiles/profile-ids.ts'
export {
  addressField,
  compatFields,
  FIELD_WORDS,
  type FieldWords,
  ownField,
  rateLimitField,
  secretField,
  signedInField,
  TOKEN_FIELDS,
  tokenFields,
  trimAddress,
  tuningField,
} from './profiles/profile-fields.ts'
export {
  addsUp,
  isWanted,
  noteUnreadable,
  readEnd,
  rowParts,
  unchangedEnd,
  wantedItems,
  type ReadEndOptions,
  type ReadItem,
  type Unreadable,
} from './reads/read-end.ts'
export { type AccountEntries, readEntries } from './reads/read-entries.ts'
export {
  extendItem,
  idText,
  isWholeNumber,
  nativeAt,
  timeAt,
  titleAt,
  unreadableRow,
  yearAt,
} from './reads/read-item.ts'
export {
  type Application,
  applicationFor,
  endOfToken,
  applicationOfToken,
  challengeOf,
  clientFields,
  createVerifier,
  DEVICE_GRANT,
  deviceAnswer,
  DeviceCode,
  endOfAccess,
  missingScopes,
  missingSignIn,
  oauthError,
  ownerOfToken,
  shippedClientId,
  tokenOwner,
} from './sign-in/oauth.ts'
export {
  BROWSER_REFUSALS,
  type BrowserRefusal,
  type BrowserRow,
  type BrowserStart,
  browserRow,
  type CodeGrant,
} from './sign-in/browser.ts'
export type { RedirectEnding, RedirectStates } from './sign-in/redirect-states.ts'
export { findServer, type FindServerOptions, firstPlace, isElsewhere, productAt } from './sign-in/entered-address.ts'
export { isBlocked, keyCode, refusedAs, type RouteRefusal, sendRefusal, startCode } from './sign-in/refusals.ts'
export {
  InstanceQuery,
  PROFILE_ERRORS,
  SERVER_ERRORS,
  SERVICE_ERRORS,
  KEY_REFUSALS,
  SIGN_OUT_ERRORS,
  START_REFUSALS,
  SignInDone,
  signInAnswer,
} from './sign-in/answers.ts'
export {
  cancelRow,
  type CheckKey,
  KEY_REFUSED,
  keyRow,
  providerRoutes,
  type Refusals,
  type RouteRow,
  type RouteRowOptions,
  routeRow,
  type RouteTable,
  type RowAnswer,
  type RowCall,
  saveKey,
  signOutRow,
  START_REFUSED,
} from './sign-in/route-rows.ts'
export { renewTokens, type Renewal } from './sign-in/renew-tokens.ts'
export {
  codeTimes,
  enteredFields,
  flowTimes,
  saveWhenValid,
  sendFlow,
} from './sign-in/sign-in.ts'
export { sameStamps, stampsFor, type Stamps } from './reads/while-unchanged.ts'
export { whileUnchanged, type WhileUnchangedOptions } from './reads/while-unchanged.ts'
export { readConfirmation } from './writes/confirmation.ts'
export { writeRefusal } from './writes/write-checks.ts'
export { batchOutcomes, CHANGED_SINCE_READ, type ItemOutcome, writeInTurn } from './writes/write-in-turn.ts'
export {
  decideTitle,
  type FoundTitle,
  type TitleChange,
  type TitleDecision,
  type TitleEntry,
  type TitleService,
  type TitleWrite,
  writeTitles,
} from './writes/title-entries.ts'
export {
  isInFuture,
  noonOf,
  NOT_SENT,
  playRefusal,
  playTime,
  ratingFields,
  removePlays,
  seasonsOf,
  wireIds,
  writeResult,
} from './writes/write-parts.ts'
export type { NotSent, PartOfShow, PlayRemoval, WireIds } from './writes/write-parts.ts'
export type * from './define-contract.ts'
export type * from './sign-in/flow-contract.ts'
export type * from './sign-in/sign-in-ways.ts'
export type * from './lists/lists.ts'
export { checkConfirmed, checkListOp } from './lists/list-checks.ts'
export type * from './playback/playback.ts'
export { certainPlays, mayBeWithin, type SortedPlays, sortPlays, uncertainPlays } from './playback/plays.ts'
export {
  alreadyPlayed,
  createNamesInTurn,
  isPlay,
  type NamesInTurn,
  playAdded,
  playToAdd,
  type ScrobbleStep,
  scrobbleStep,
  type ScrobbleSteps,
} from './playback/scrobbling.ts'
export { pollSessions, type PollSessionsOptions } from './playback/poll-sessions.ts'
