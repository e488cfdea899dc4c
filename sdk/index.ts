// @playhead/sdk: what every plugin needs, the references of capabilities and hooks, and all types. Named exports only.
// Code that only some plugins run is in entries beside it, which the host loads when a plugin imports them.
export { addressReach, type AddressReach, clientGroup } from './addresses.ts'
export { type ClientLimit, createClientLimit } from './client-limit.ts'
export { Type } from '@sinclair/typebox'
export type { Static, TObject, TSchema } from '@sinclair/typebox'
export { skipSerializer, isNotModified } from './response.ts'
export type { ErrorReasons } from './response.ts'
export { optionalBody } from './schemas.ts'
export { readAs, readBySchema, readInstance, readNumber, readProvider, readText } from './read-by-schema.ts'
export { oneOf, orNull, ShownMark, ShownOrigin, titledChoice } from './schemas.ts'
export {
  assertScope,
  callerName,
  ownBaseUrl,
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
export * from './directory.ts'
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
  VendorNotice,
} from './manifest.ts'
export { parseDuration } from './duration.ts'
export { foldColumn } from './fold-column.ts'
export { ahead } from './ahead.ts'
export { insertRows } from './insert-rows.ts'
export type * from './external-sign-in.ts'
export { MASK, isMasked, isSecretPath, maskSecrets, sameText } from './secrets.ts'
export { EXPORT_FEATURES, EXPORTERS, exporterCapability } from './exporter/contract.ts'
export * from './notifier/contract.ts'
export { IMPORTERS } from './importer/contract.ts'
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
export { createShared } from './shared.ts'
export type * from './upstream.ts'
export { parseJson } from './parse-json.ts'
export { PROVIDERS, providerCapability } from './provider/contract.ts'
export { DEFAULT_PROFILE } from './provider/profiles/profile-ids.ts'
export { deepFreeze, replacing } from './provider/profiles/settings-tree.ts'
export { FEATURES } from './provider/features.ts'
export { featureCapability } from './sync/contract.ts'
export * from './sync/run-hooks.ts'
export * from './sync/playlist-policy.ts'
export * from './analyzer/contract.ts'
export * from './capabilities/index.ts'
export { ACCEPTED, isAccepted, isNotInLibrary, labelledReasons, reasonLabel } from './reasons.ts'
export {
  type AccountNames,
  isOrigin,
  type Origin,
  originCarrier,
  originLabel,
  type OriginPlace,
  ORIGINS,
} from './origin.ts'
export type * from './ui.ts'
export { type PlanUndo, undoPlan, untilAccountIsFree } from './changes.ts'
export { type Defined, defined } from './defined.ts'
export { onceProvided } from './once-provided.ts'
export { isRecent, isTimeZone, msUntil } from './moments.ts'
export {
  createOnce,
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
// Types of the other entries.
export type * from './items/index.ts'
export type * from './provider/index.ts'
export type * from './sync/index.ts'
export type * from './importer/index.ts'
export type * from './exporter/index.ts'
export type * from './analyzer/index.ts'
export type * from './notifier/index.ts'
