// @playhead/sdk: everything a plugin may import. Named exports only.
export { addressReach, type AddressReach } from './addresses.ts'
export { Type } from '@sinclair/typebox'
export type { Static, TObject, TSchema } from '@sinclair/typebox'
export { skipSerializer, isNotModified } from './response.ts'
export type { ErrorReasons } from './response.ts'
export { optionalBody } from './schemas.ts'
export { oneOf, orNull, ShownMark, titledChoice } from './schemas.ts'
export {
  assertScope,
  callerName,
  ownOrigin,
  TOKEN_SCOPES,
  type Caller,
  type CallerSession,
  type CallerToken,
  type TokenScope,
} from './caller.ts'
export { capability, capabilityFamily, tokenOf } from './capability.ts'
export type * from './capability.ts'
export { definePlugin, isDefinedPlugin } from './define.ts'
export type { DefinedPlugin, Handover, PluginApp, PluginDefinition, ServiceFactories } from './define.ts'
export type * from './context.ts'
export { MAX_SET_MANY } from './context.ts'
export type * from './database.ts'
export type * from './files.ts'
export type * from './logger.ts'
export { DATA_GROUPS } from './data.ts'
export type * from './data.ts'
export type * from './thread.ts'
export type * from './work.ts'
export * from './maintenance.ts'
export { failureCode, PlayheadError, isFault, isPlayheadError, storageProblem } from './errors.ts'
export type { ErrorDefinition, PlayheadErrorCode, PlayheadErrorOptions, RetryAdvice, StorageProblem } from './errors.ts'
export * from './hooks.ts'
export { PLUGIN_KINDS, PluginManifest, PluginNeeds, PluginRegistry, SDK_VERSION } from './manifest.ts'
export type {
  PackageRelease,
  PluginKind,
  PluginMark,
  PluginPackage,
  RegistryEntry,
  RouteDeclaration,
} from './manifest.ts'
export { parseDuration } from './duration.ts'
export { insertRows } from './insert-rows.ts'
export * from './items/index.ts'
export type * from './external-sign-in.ts'
export { MASK, isMasked, isSecretPath, maskSecrets, sameText } from './secrets.ts'
export {
  EXPORT_FEATURES,
  EXPORTERS,
  exporterCapability,
  type DropReason,
  type ExportBatch,
  type ExportedRow,
  type Exporter,
  type ExporterDescription,
  type ExportFeature,
  type ExportRow,
  type ExportSelection,
} from './exporter/contract.ts'
export { createExporter, defineExporter } from './exporter/define-exporter.ts'
export type { CsvFormat, RowPlace, TextFormat } from './exporter/define-exporter.ts'
export {
  exportDate,
  exportTime,
  exportTitle,
  exportYear,
  inZone,
  isPartOfShow,
  workIds,
  workTitle,
} from './exporter/fields.ts'
export type { CsvValue } from './exporter/csv.ts'
export * from './notifier/contract.ts'
export {
  defineNotifier,
  type NotifierDefinition,
  type NotifierDelivery,
  type NotifierRequest,
} from './notifier/define-notifier.ts'
export { IMPORTERS } from './importer/contract.ts'
export type {
  ImportedRow,
  Importer,
  ImporterDescription,
  ImporterFormat,
  ImportFeature,
  ImportFile,
  ImportReader,
  ImportRecord,
  ImportResult,
  ImportSketch,
  SkipReason,
} from './importer/contract.ts'
export { defineImporter, importerIn, type DefinedImporter } from './importer/define-importer.ts'
export {
  csvWith,
  filesNamed,
  idCells,
  listAt,
  ratingCell,
  recordAt,
  textCell,
  timeCell,
  wholeCell,
  yearCell,
} from './importer/cells.ts'
export {
  type PartCells,
  partItem,
  playRow,
  ratingRow,
  watchlistRow,
  type WorkCells,
  workItem,
} from './importer/rows.ts'
export {
  isArchive,
  ARCHIVE_RATIO,
  openArchive,
  scanArchive,
  type ScannedArchive,
  writeArchive,
  type ArchiveEntry,
  type ArchiveFile,
  type ArchiveLimits,
} from './archive.ts'
export { receivedAtMs } from './webhooks/received-at.ts'
export { readWebhooks, webhookBody } from './webhooks/body.ts'
export type { WebhookBody, WebhookBodyFailure, WebhookBodyOptions } from './webhooks/body.ts'
export { readUploads, savedUpload, uploadedFile, UPLOADED_FILE } from './upload.ts'
export type { UploadOptions } from './upload.ts'
export { clientSignal } from './client-signal.ts'
export { createLastUsed, type LastUsed } from './last-used.ts'
export { createLimiter, type Limiter } from './limiter.ts'
export type * from './upstream.ts'
export { parseJson } from './parse-json.ts'
export { DEFAULT_PROFILE, PROVIDERS, providerCapability } from './provider/contract.ts'
export { FEATURES } from './provider/features.ts'
export type * from './provider/contract.ts'
export type * from './provider/features.ts'
export type * from './provider/reads/contract.ts'
export type * from './provider/writes/contract.ts'
export type * from './provider/sign-in/contract.ts'
export * from './provider/pictures.ts'
export { featureCapability } from './sync/contract.ts'
export * from './sync/run-hooks.ts'
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
} from './sync/decide.ts'
export type { GroupPolicy, GroupSituation, GroupWrite } from './sync/decide.ts'
export * from './sync/playlist-policy.ts'
export { newerChange, newerSide, otherSide } from './sync/newest.ts'
export {
  AnimeOptions,
  asOptions,
  chosenLibraries,
  LibraryChoice,
  readAnime,
  readLibraries,
  readOptions,
  readSwitches,
} from './sync/options.ts'
export type { OptionProblem, OptionReader, PairSides, RawOptions } from './sync/options.ts'
export { presencePolicy } from './sync/presence.ts'
export type { PresenceOptions } from './sync/presence.ts'
export { isTransient, shapeOf, timeMs } from './sync/shapes.ts'
export { isChanged, isNewerThanLoss, lookAt } from './sync/side-state.ts'
export type { Appearance, Recognise, SideState } from './sync/side-state.ts'
export { itemToWrite } from './sync/write-item.ts'
export type * from './sync/contract.ts'
export { followRuns } from './sync/follow-runs.ts'
export { defineProvider } from './provider/define-provider.ts'
export {
  createCheckpoints,
  isFullReadRecent,
  type CheckpointBase,
  type CheckpointQuestion,
  type Checkpoints,
} from './provider/reads/checkpoints.ts'
export { collectRead, type CollectedRead } from './provider/reads/collect-read.ts'
export { createKeyedCache, type KeyedCache, type KeyedCacheOptions } from './provider/reads/keyed-cache.ts'
export { healthOfError, outcomeOfError } from './provider/failures.ts'
export { createLineage, type Lineage } from './provider/sign-in/lineage.ts'
export { createMemo, type Memo, type MemoOptions } from './provider/reads/memo.ts'
export { arrangeEntries } from './provider/lists/arrange-entries.ts'
export { type EntryMove, moveEntries, type MoveResult } from './provider/lists/move-entries.ts'
export { pagedRead, type Page, type PagedReadOptions, type PageRequest } from './provider/reads/paged-read.ts'
export { canonicalId } from './provider/profiles/profile-ids.ts'
export {
  addressField,
  compatFields,
  FIELD_WORDS,
  type FieldWords,
  ownField,
  rateLimitField,
  tuningField,
} from './provider/profiles/profile-fields.ts'
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
} from './provider/reads/read-end.ts'
export {
  extendItem,
  idText,
  isWholeNumber,
  timeAt,
  titleAt,
  unreadableRow,
  yearAt,
} from './provider/reads/read-item.ts'
export {
  type Application,
  applicationFor,
  endOfToken,
  applicationOfToken,
  challengeOf,
  createVerifier,
  deviceAnswer,
  missingScopes,
  oauthError,
  ownerOfToken,
  shippedClientId,
  tokenOwner,
} from './provider/sign-in/oauth.ts'
export {
  type BeginInBrowser,
  BROWSER_REFUSALS,
  type BrowserRefusal,
  type BrowserSignIn,
  type BrowserStart,
  browserSignIn,
  type CodeGrant,
} from './provider/sign-in/browser.ts'
export type { RedirectEnding, RedirectStates } from './provider/sign-in/redirect-states.ts'
export { firstPlace, isElsewhere, productAt } from './provider/sign-in/entered-address.ts'
export { isBlocked, keyCode, sendRefusal, startCode } from './provider/sign-in/refusals.ts'
export {
  InstanceQuery,
  PROFILE_ERRORS,
  SERVICE_ERRORS,
  KEY_REFUSALS,
  SIGN_OUT_ERRORS,
  START_REFUSALS,
  SignInDone,
  signInAnswer,
} from './provider/sign-in/answers.ts'
export { renewTokens, type Renewal } from './provider/sign-in/renew-tokens.ts'
export {
  codeTimes,
  enteredFields,
  flowExpired,
  flowTimes,
  saveWhenValid,
  sendFlow,
  signOutRoute,
} from './provider/sign-in/sign-in.ts'
export { sameStamps, stampsFor, type Stamps } from './provider/reads/while-unchanged.ts'
export { whileUnchanged, type WhileUnchangedOptions } from './provider/reads/while-unchanged.ts'
export { readConfirmation } from './provider/writes/confirmation.ts'
export { writeRefusal } from './provider/writes/write-checks.ts'
export { batchOutcomes, type ItemOutcome, writeInTurn } from './provider/writes/write-in-turn.ts'
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
} from './provider/writes/write-parts.ts'
export type { NotSent, PartOfShow, PlayRemoval, WireIds } from './provider/writes/write-parts.ts'
export type * from './provider/define-contract.ts'
export type * from './provider/sign-in/flow-contract.ts'
export type * from './provider/sign-in/sign-in-ways.ts'
export type * from './provider/lists/lists.ts'
export { checkConfirmed, checkListOp } from './provider/lists/list-checks.ts'
export type * from './provider/playback/playback.ts'
export { certainPlays, mayBeWithin, type SortedPlays, sortPlays, uncertainPlays } from './provider/playback/plays.ts'
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
} from './provider/playback/scrobbling.ts'
export { pollSessions, type PollSessionsOptions } from './provider/playback/poll-sessions.ts'
export * from './analyzer/contract.ts'
export { defineAnalyzer, ruleOf } from './analyzer/define-analyzer.ts'
export { withExpectedId, withPeerIds } from './analyzer/peer-ids.ts'
export type { PeerIds } from './analyzer/peer-ids.ts'
export type { DefinedAnalyzer } from './analyzer/define-analyzer.ts'
export * from './capabilities/index.ts'
export { isNotInLibrary, labelledReasons, reasonLabel } from './reasons.ts'
export type * from './ui.ts'
export { applyOrJoin, type PlanUndo, undoPlan, untilAccountIsFree } from './changes.ts'
export { type Defined, defined } from './defined.ts'
export { setupValue, type SetupValue } from './setup-value.ts'
export { onceProvided } from './once-provided.ts'
export { isRecent, msUntil } from './moments.ts'
export {
  createTurns,
  orAfter,
  orWhenAborted,
  pause,
  sleep,
  type Sleep,
  untilAborted,
  type UsableLimit,
  usableLimit,
  withTimeLimit,
  yieldToLoop,
} from './waiting.ts'
