// The contract of a provider: a third party, or the local tracker. A provider plugin provides one such object as the
// capability `provider:<ID>`, for example `provider:MEDIAB`. Arguments and results are plain data, promises or streams.
// An account is a provider and one of its profiles.
import type { IdScheme } from '../items/id-schemes.ts'
import type { PluginMark, VendorNotice } from '../manifest.ts'
import type { Item } from '../items/item.ts'
import type { ItemKind } from '../items/kind.ts'
import type { RatingScale } from '../items/rating.ts'
import type { FlowState } from './sign-in/flow-contract.ts'
import { type Capability, capabilityFamily } from '../capability.ts'
import type { ListSupport } from './lists/lists.ts'
import type { TitlePageProvider } from './pages.ts'
import type { PictureProvider } from './pictures.ts'
import type { PlaybackProvider, PlaybackSupport } from './playback/playback.ts'
import type { ContractLook } from './probes.ts'
import type { ProviderOperations, SignInMethod, SignInDescription } from './sign-in/contract.ts'
import type { Feature } from './features.ts'
import type { WriteRequest, WriteResult } from './writes/contract.ts'
import type { ReadRequest, ReadPart } from './reads/contract.ts'
import type { ActsAs, UsersProvider } from './users/contract.ts'

/** A provider's support for one feature. Absent: the feature is not supported. */
export interface FeatureSupport {
  readonly read: boolean
  /** Items can be added; with `update`, values of existing items can be changed. */
  readonly add: boolean
  readonly update: boolean
  readonly remove: boolean
  /** Kinds that can be written. Other rows are never sent. */
  readonly kinds: readonly ItemKind[]
  /** Items without any of these ids are never sent. Absent: any item that the provider can look up. */
  readonly needsAnyId?: readonly IdScheme[]
  /** False if absence from a complete read does not prove a removal by the person. Default true. */
  readonly observedDeletes?: boolean
  /**
   * The service shows the whole list, however long it is. Absent: it may show the newest rows only. In such a list a missing
   * row causes no removal elsewhere if it was the oldest and at least as many new rows appeared.
   */
  readonly showsAll?: true
  /** Largest batch of one `write`. Default 100. */
  readonly maxBatch?: number
  /**
   * Items are written one by one, so the next batch of adds may be sent while the last one is still being written; two at most.
   * Use `limited` of `writeInTurn`, so that both together send no more requests at once than one.
   */
  readonly overlaps?: true
  /**
   * Adding an existing item has no effect and yields `already`. A write may then be tried without reading the target
   * first.
   */
  readonly idempotentAdd?: boolean
  /**
   * Writes before which the provider compares the account's row with `current`, and leaves it unchanged if a person changed it
   * since (`CHANGED_SINCE_READ`). An add has no `current`: the account must have no rating, or position, yet. Before other
   * updates and removals, and adds of ratings and positions, the engine reads the feature again, unless it read it some
   * seconds ago.
   */
  readonly compares?: readonly ('add' | 'update' | 'remove')[]
  /** The engine reads the account again after writing, because the service does not confirm writes reliably. */
  readonly verifyAfterWrite?: boolean
  /** Other features that lose data when an item is removed. Such removals are held until approved. */
  readonly removalSideEffects?: readonly Feature[]
  /**
   * Other features that the service itself changes when an item is added or updated: a play that ends the position, or takes
   * the title off the watchlist. Never what the plugin does.
   */
  readonly writeSideEffects?: readonly Feature[]
  /** History: one row per play. */
  readonly plays?: {
    readonly read: boolean
    readonly write: boolean
    /** A single play can be removed by its `native.event_id`. */
    readonly removeOne: boolean
    /** The service rounds times to minutes. */
    readonly roundsToMinutes?: boolean
  }
  /**
   * History: how a play with only a day is written. `kept`: as a day. `noon`: at noon of that day, as
   * `playTime` gives it. `none`: such plays are never sent, and a plan lists them (`day_unsupported`). Default `kept`.
   */
  readonly days?: 'kept' | 'noon' | 'none'
  /**
   * Ratings: the scale of a service with fewer steps than the ten of an item, which shows a written rating as the nearest one.
   * Absent: it keeps every rating, so that another one is a person's.
   */
  readonly ratingScale?: RatingScale
  /** Progress: how the service treats positions near the end, and what a write requires. */
  readonly completion?: {
    /** From this percentage on, the service marks the work as watched and drops the position. */
    readonly percent: number
    /** Minimum length of the work. */
    readonly minDurationSeconds?: number
  }
  readonly needsDuration?: boolean
  /** Progress: rows may be episodes of anime with the ids of anime services. */
  readonly anime?: true
  /**
   * History: features whose writes set the time of the play, too, because the service has one time for an item. The time of a
   * play may be missing while it is theirs.
   */
  readonly sharedTime?: readonly Feature[]
  /** The provider has no times for this feature's rows, so rows cannot be ordered. */
  readonly untimed?: boolean
}

export type Support = { readonly [feature in Feature]?: FeatureSupport }

export interface ProviderDescription {
  /** `MEDIAB` */
  readonly id: string
  /** `mediaB`: for paths and configuration keys. */
  readonly token: string
  /** `Jellyfin` */
  readonly label: string
  /** The icon of plugin.json. Null: there is none. */
  readonly mark?: PluginMark | null
  /** From plugin.json: the rank among the services that most people begin with, from 1. Null: it has none. */
  readonly popular?: number | null
  /** From plugin.json: the attribution that the service requires where its data are shown. */
  readonly notice?: string
  /** From plugin.json: restrictions by the service's terms on pairs with other trackers, and on scheduled captures. */
  readonly terms?: { readonly pairs?: string; readonly captures?: string }
  readonly version: string
  readonly vendor: string | null
  readonly description: string | null
  readonly group: 'media_server' | 'tracker' | 'client' | 'other'
  readonly features: Support
  /** Support for the account's lists; absent if there is none. See `ListProvider`. */
  readonly lists?: ListSupport
  /** Support for playback, though not necessarily for every account; see `PlaybackProvider`. */
  readonly playback?: PlaybackSupport
  /** Supports `Provider.picture`. */
  readonly pictures?: true
  /** Supports `Provider.titlePages`. */
  readonly titlePages?: true
  /** Supports `Provider.droppedShows`. */
  readonly droppedShows?: true
  /** Supports `Provider.lookAtContract`. */
  readonly probes?: true
  /** Supports `Provider.users`, `actAs` and `confirmUser`. */
  readonly users?: true
  /** Can be part of a two-way pair. */
  readonly bidirectional: boolean
  readonly signIn: SignInDescription
  /** Routes for generic clients. */
  readonly operations?: ProviderOperations
  /** Section of the configuration that holds the profiles. */
  readonly section?: string
}

/**
 * Why an account does not work, as a code; `reason` is the text. Neither contains text of the service, except names of users.
 *
 * A profile that acts as a user (`UsersProvider`) is held back with `user_gone`: the server has no such user any more;
 * `user_changed`: the user was renamed, or another one answered; `user_refused`: the sign-in may not act for the user.
 */
export type ReasonCode =
  | 'not_configured'
  | 'missing_credentials'
  | 'network'
  | 'timeout'
  | 'tls'
  | 'unauthorized'
  | 'forbidden'
  | 'not_found'
  | 'rate_limited'
  | 'quota'
  | 'upstream_error'
  | 'blocked'
  | 'invalid_response'
  | 'refresh_failed'
  | 'read_only'
  | 'profile_unavailable'
  | 'disabled'
  | 'version_too_old'
  | 'user_gone'
  | 'user_changed'
  | 'user_refused'

/** Ids of libraries by feature; `scrobble`: for playback. */
export type ChosenLibraries = { readonly [feature in Feature | 'scrobble']?: readonly string[] }

export interface ProfileState {
  readonly id: string
  /** The name that the person chose, or `''`. */
  readonly label: string
  /** Credentials and address are present; does not say whether they work. */
  readonly configured: boolean
  readonly reasonCode?: ReasonCode
  /**
   * Expiry of the stored credential, epoch milliseconds; only if the service reports it (`expires_at` in the settings).
   */
  readonly credentialEndsAtMs?: number
  /** A refresh token renews it before it expires, so people need no warning. */
  readonly credentialRenews?: boolean
  /** Notices of plugin.json whose settings apply to this profile, of any date; absent if there are none. */
  readonly notices?: readonly VendorNotice[]
  /** Changes with any setting that selects or authenticates the account; contains no secret. */
  readonly fingerprint: string
  /** Libraries chosen in the settings, by feature and for playback; absent or empty means all. */
  readonly libraries?: ChosenLibraries
  /** The user as whom the profile acts through another profile's sign-in. See `UsersProvider`. */
  readonly actsAs?: ActsAs
}

export interface AccountHealth {
  readonly status: 'ok' | 'degraded' | 'down' | 'auth_failed' | 'not_configured' | 'unknown'
  readonly reasonCode?: ReasonCode
  readonly reason?: string
  /**
   * Identifies the account at the service: server and user, for example `b7c1…/3fa9…`. A different value is a different
   * account.
   */
  readonly account?: string
  readonly user?: { readonly id: string; readonly name: string }
  readonly latencyMs?: number
  /** false: the feature is unavailable with this account's plan or server version. */
  readonly features?: { readonly [feature in Feature]?: boolean }
  /** false: single plays cannot be read and written with this account. */
  readonly plays?: boolean
  readonly quota?: { readonly limit?: number; readonly remaining?: number; readonly resetAtMs?: number }
  readonly retryAfterMs?: number
  /** More fields of the provider's object in `GET /api/status`, in wire form: plan, limits, user. Never a secret. */
  readonly extras?: Readonly<Record<string, unknown>>
}

export interface Library {
  readonly key: string
  readonly title: string
  readonly type: string
}

export interface NewProfile {
  /**
   * Copies the settings of this profile, of the default one those that are not inherited. Device and account ids are never
   * copied, credentials only with `includeCredentials`.
   */
  readonly copyFrom?: string
  readonly settings?: Readonly<Record<string, unknown>>
  readonly label?: string
  readonly includeCredentials?: boolean
  /** Use this id instead of the next unused one. */
  readonly id?: string
}

export interface Provider
  extends Partial<PlaybackProvider>,
    Partial<PictureProvider>,
    Partial<TitlePageProvider>,
    Partial<UsersProvider> {
  /** Constant for a plugin generation. */
  describe(): ProviderDescription
  /**
   * All profiles, `default` first, from the settings of the plugin: other plugins regard the list as unchanged until a setting
   * or a plugin changes (`host.revision`).
   */
  profiles(): readonly ProfileState[]
  /**
   * Checks with the service whether the account works, after refreshing its credential. Never throws for failures of
   * the service.
   */
  probe(instance: string, signal?: AbortSignal): Promise<AccountHealth>
  /**
   * Throws `PLH_NOT_READY` (wire `not_configured`) without credentials, `PLH_UNSUPPORTED` for an unsupported feature or
   * kind of read, and errors of `ctx.upstream`. Never returns an empty list instead of an error.
   */
  read(instance: string, request: ReadRequest, signal?: AbortSignal): AsyncIterable<ReadPart>
  /** Does not throw for single items; throws only if nothing was sent. */
  write(instance: string, request: WriteRequest, signal?: AbortSignal): Promise<WriteResult>
  /** Libraries of a media server; empty for others. */
  libraries(instance: string, signal?: AbortSignal): Promise<readonly Library[]>
  /**
   * The shows that the user dropped, with all ids of the service, without duplicates; empty if none. The complete list
   * or an error: callers exclude these shows, so a missing one would be changed. Checks at each call whether the list
   * has changed. Absent: not supported.
   *
   * Throws `PLH_NOT_READY` (wire `not_configured`) without credentials, `PLH_UPSTREAM_INVALID` for an incomplete list
   * or an unreadable entry, and errors of `ctx.upstream`. Never returns an empty list instead of an error.
   *
   * @example await provider.droppedShows?.('default')
   * // [{ type: 'show', title: 'The Wire', ids: { imdb: 'tt0306414', tvdb: '79126' } }]
   */
  droppedShows?(instance: string, signal?: AbortSignal): Promise<readonly Item[]>

  /**
   * When the profile was signed in, epoch milliseconds; undefined if it is not known. Renewed tokens are the same sign-in.
   */
  signedInAt?(instance: string): Promise<number | undefined>
  /**
   * Asks the probes of the definition and compares the answers with what the plugin expects: at most three requests. Absent:
   * there are no probes.
   *
   * Throws `PLH_NOT_READY` (wire `not_configured`) without credentials, and `PLH_ABORTED`; errors of the service are nulls.
   */
  lookAtContract?(instance: string, signal?: AbortSignal): Promise<readonly ContractLook[]>

  /**
   * Throws `PLH_NOT_FOUND` for an unknown `copyFrom`, `PLH_CONFLICT` (`profile_limit_reached`) at the limit. Returns
   * the id.
   */
  createProfile(profile: NewProfile): Promise<string>
  /**
   * Creates or replaces a profile's settings. Masked secrets keep their stored values unless their address changes.
   * Throws `PLH_CONFLICT` (`provider_in_use`) if a profile in use would lose its credentials.
   */
  saveProfile(instance: string, settings: Readonly<Record<string, unknown>>): Promise<void>
  removeProfile(instance: string): Promise<void>
  /** Deletes the credentials of a profile and revokes them at the service. Callers check first whether it is in use. */
  disconnect(instance: string): Promise<void>
  /**
   * Starts a sign-in with a code, with the stored settings of the profile. Rejects with `PLH_UNSUPPORTED` for another method,
   * and with the errors of the service.
   */
  startSignIn?(instance: string, method: SignInMethod): Promise<FlowState>
  /** State of a multi-step sign-in after polling the service; undefined if there is none. */
  pollSignIn?(instance: string, method: SignInMethod): Promise<FlowState | undefined>
  /** True if there was a sign-in to cancel. */
  cancelSignIn?(instance: string, method: SignInMethod): Promise<boolean>
  /** Sets the profile's display name. */
  rename?(instance: string, label: string): Promise<void>
}

/** The capabilities of all providers, by their ids. */
export const PROVIDERS = capabilityFamily<Provider>('provider:')

/** The capability of a provider. */
export function providerCapability(id: string): Capability<Provider> {
  return PROVIDERS.of(id)
}
