// The contract of a provider: what every third party (and the local tracker) looks like to the rest of Playhead.
// A provider plugin provides one object of this shape as the capability `provider:<ID>`, for example `provider:MEDIAB`.
// All members take plain data and give promises or streams of it. An account is a provider and one of its profiles.
import type { IdScheme } from '../items/id-schemes.ts'
import type { Item } from '../items/item.ts'
import type { ItemKind } from '../items/kind.ts'
import type { FlowState } from './sign-in/flow-contract.ts'
import { type Capability, capabilityFamily } from '../capability.ts'
import type { ListSupport } from './lists/lists.ts'
import type { PeopleOperations, ProviderOperations, SignInWay } from './sign-in/sign-in-ways.ts'

export const FEATURES = ['watchlist', 'history', 'ratings', 'progress', 'playlists'] as const
export type Feature = (typeof FEATURES)[number]

/** The id of a provider's first profile. Further ones are `<ID>-P01` to `<ID>-P99`. */
export const DEFAULT_PROFILE = 'default'

/** What a provider can do with one feature. Absent means: the feature is not supported. */
export interface FeatureSupport {
  readonly read: boolean
  /** Items can be added; with `update`, an item that is there can be given another value. */
  readonly add: boolean
  readonly update: boolean
  readonly remove: boolean
  /** Kinds that can be written. Rows of other kinds are never sent. */
  readonly kinds: readonly ItemKind[]
  /**
   * An item without any of these ids is never sent. Absent: anything that the provider can look up by its own means.
   */
  readonly needsAnyId?: readonly IdScheme[]
  /** False when absence from a complete read does not mean that the person removed the item. Default true. */
  readonly observedDeletes?: boolean
  /** Largest batch of one `write`. Default 100. */
  readonly maxBatch?: number
  /**
   * Adding an item that is there changes nothing and says `already`. Then a write may be tried without knowing the
   * target.
   */
  readonly idempotentAdd?: boolean
  /** The engine reads the account again after writing, because the answers of the service prove too little. */
  readonly verifyAfterWrite?: boolean
  /** Other features that lose data when an item is removed from this one. Removals are then held until approved. */
  readonly removalSideEffects?: readonly Feature[]
  /** History: each play is a row of its own. */
  readonly plays?: {
    readonly read: boolean
    readonly write: boolean
    /** One play can be removed by its `native.event_id` without touching others. */
    readonly removeOne: boolean
    /** Times come back rounded to minutes. */
    readonly roundsToMinutes?: boolean
  }
  /** Progress: what becomes of a position near the end, and what a write needs. */
  readonly completion?: {
    /** At or beyond this percentage the service marks the work as watched and drops the position. */
    readonly percent: number
    /** Only for works at least this long. */
    readonly minDurationSeconds?: number
  }
  readonly needsDuration?: boolean
  /** The provider keeps no time with this feature's rows, so that no row of it proves to be newer than another. */
  readonly untimed?: boolean
}

export type Support = { readonly [feature in Feature]?: FeatureSupport }

export type SignInMethod =
  | 'password'
  | 'device_pin'
  | 'device_code'
  | 'quick_connect'
  | 'oauth'
  | 'request_token'
  | 'api_key'
  | 'tv_login'
  | 'local'

export interface SignInField {
  /** `<section>.<path>` of the setting, for example `mediaB.server`. */
  readonly key: string
  readonly label: string
  readonly type: 'text' | 'password' | 'bool' | 'number'
  readonly required: boolean
  readonly placeholder?: string
  readonly readonly?: boolean
}

/** How people connect the provider; shown as `GET /api/auth/providers`. */
export interface SignInDescription {
  readonly flow: 'device_pin' | 'device_code' | 'oauth' | 'oauth2' | 'api_keys' | 'token' | 'tv_login' | 'local'
  readonly methods: readonly SignInMethod[]
  readonly fields: readonly SignInField[]
  readonly actions: {
    readonly start: boolean
    readonly finish: boolean
    readonly refresh: boolean
    readonly disconnect: boolean
  }
  readonly verifyUrl: string | null
  readonly notes: string | null
  /** Where they do not follow from the methods, the fields and the names of the routes. */
  readonly ways?: readonly SignInWay[]
  /** Whom a profile can be, where it does not follow from the names of the routes. */
  readonly people?: PeopleOperations
}

export interface ProviderDescription {
  /** `MEDIAB` */
  readonly id: string
  /** `mediaB`: of paths and configuration keys. */
  readonly token: string
  /** `Jellyfin` */
  readonly label: string
  readonly version: string
  readonly vendor: string | null
  readonly description: string | null
  readonly group: 'media_server' | 'tracker' | 'client' | 'other'
  readonly features: Support
  /** What it can do with the account's lists; absent when it has none. See `ListProvider`. */
  readonly lists?: ListSupport
  /** It can tell what is playing now, see `Provider.playing`; not with every account. */
  readonly playing?: true
  /** It keeps a list of the shows that the person gave up, see `Provider.droppedShows`. */
  readonly droppedShows?: true
  /** May be a side of a two-way pair. */
  readonly bidirectional: boolean
  readonly signIn: SignInDescription
  /** What a client calls that knows no provider. */
  readonly operations?: ProviderOperations
  /** Section of the configuration that holds the profiles. */
  readonly section?: string
}

/** Why an account does not work, for programs; `reason` is the same for people and never holds text of the service. */
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
  | 'invalid_response'
  | 'refresh_failed'
  | 'profile_unavailable'
  | 'disabled'
  | 'version_too_old'

export interface ProfileState {
  readonly id: string
  /** What the person called it, or `''`. */
  readonly label: string
  /** Credentials and address are there; says nothing about whether they work. */
  readonly configured: boolean
  readonly reasonCode?: ReasonCode
  /**
   * End of the credential as it is stored now, epoch milliseconds; only where its service says so (`expires_at` in the
   * settings).
   */
  readonly credentialEndsAtMs?: number
  /** Changes whenever something changed that decides which account is reached, or how; holds no secret. */
  readonly fingerprint: string
  /** Libraries that the person chose in the settings, by feature; none or empty means all. */
  readonly libraries?: { readonly [feature in Feature]?: readonly string[] }
}

export interface AccountHealth {
  readonly status: 'ok' | 'degraded' | 'down' | 'auth_failed' | 'not_configured' | 'unknown'
  readonly reasonCode?: ReasonCode
  readonly reason?: string
  /** Names the account at the service: server and user, for example `b7c1…/3fa9…`. Another value is another account. */
  readonly account?: string
  readonly user?: { readonly id: string; readonly name: string }
  readonly latencyMs?: number
  /** false: the feature cannot be used right now, or not with this account's plan or server version. */
  readonly features?: { readonly [feature in Feature]?: boolean }
  /** false: plays cannot be read and written one by one with this account. */
  readonly plays?: boolean
  readonly quota?: { readonly limit?: number; readonly remaining?: number; readonly resetAtMs?: number }
  readonly retryAfterMs?: number
  /** Further fields of the provider's object in `GET /api/status`, in wire form: plan, limits, user. Never a secret. */
  readonly extras?: Readonly<Record<string, unknown>>
}

export interface ReadRequest {
  readonly feature: Feature
  /** History only: one row per play. Otherwise one row per item, with its latest time. */
  readonly plays?: boolean
  /** Only rows of these libraries. Absent or empty: all of them. */
  readonly libraries?: readonly string[]
  /** Only these kinds. Absent: all that the provider has. */
  readonly kinds?: readonly ItemKind[]
  /**
   * The checkpoint of an earlier complete read with an otherwise equal request, whose rows the caller still has. The
   * provider may then answer with changes only, or that there are none.
   */
  readonly since?: string
}

/**
 * A read is a stream of parts. It ends with exactly one `end`; a stream that ends otherwise, or throws, proves nothing.
 */
export type ReadPart<Row extends Item = Item> =
  | {
      readonly type: 'rows'
      readonly rows: readonly Row[]
      /**
       * Rows that the whole read gives, as far as it is known by now; the last one counts. Rows that are left out on
       * purpose, because of their kind or library, are not among them; those of `unreadable` may be. A read whose rows
       * do not add up to it is not complete.
       */
      readonly total?: number
    }
  | { readonly type: 'end'; readonly end: ReadEnd }

export interface ReadEnd {
  /** True only when every row that the account has (within the request) was given, and this was checked. */
  readonly complete: boolean
  /** Why not, as a code: `total_mismatch`, `truncated`, `repeated_page`, `changed_while_reading`, … */
  readonly reason?: string
  /**
   * `present`: the rows are all there is. `delta`: they are what changed since `since`, and `deleted` is what went.
   * `unchanged`: the service said in this call that nothing changed since `since`, or answered to the letter as it did
   * then; there are no rows.
   */
  readonly semantics: 'present' | 'delta' | 'unchanged'
  /** With `delta`: rows that are gone, identified as they were when they were read. */
  readonly deleted?: readonly Item[]
  /** As `AccountHealth.account`, taken from this read's own credentials. */
  readonly account: string
  /** To be sent as `since` next time. Absent: the provider knows no changes. */
  readonly checkpoint?: string
  /**
   * With `present`: rows of earlier reads that are not among these, and whose absence proves nothing, because their
   * item left the library (or their list was made anew), not because the person took them off. Identified as they were
   * when they were read. To be taken as unknown, never as removed. Named in every read until they are there again.
   */
  readonly gone?: readonly Item[]
  /**
   * Rows that the provider has and could not tell: without identity, of an unknown kind. They are reported, and never
   * synced.
   */
  readonly unreadable?: readonly { readonly reason: string; readonly title?: string }[]
  /**
   * Every row of earlier reads that is missing here, and is not in `gone`, is known to have been taken off: it was
   * looked up by its id and is there without the mark, the library told its state, or the service named it as removed.
   * Without it a list that is merely shorter is believed only when further reads agree. A provider whose service tells
   * nothing but lists leaves it out.
   */
  readonly provesAbsence?: true
  /**
   * A read since this checkpoint tells all rows of `unreadable` again, also where it says `unchanged`. Without it, and
   * with such rows, the account is read anew each time.
   */
  readonly tellsUnreadable?: true
}

export interface WriteItem {
  /** Names the item in the outcome; unique within the request. */
  readonly key: string
  /**
   * Add: what to add, in ids that all providers share. Update: the same with the new value. Remove: the row as this
   * account has it. `native` is set only to what this very account gave for the row.
   */
  readonly item: Item
  /** The account's own row before the write, where there is one. */
  readonly current?: Item
}

export interface WriteRequest {
  readonly feature: Feature
  readonly op: 'add' | 'update' | 'remove'
  /** History: the items are single plays. */
  readonly plays?: boolean
  /** At most `maxBatch`. */
  readonly items: readonly WriteItem[]
}

/**
 * - `applied`: the service said so for this very item.
 * - `already`: it was so before; success as well.
 * - `not_found`, `unsupported`, `rejected`: the service will not take this item.
 * - `rate_limited`, `failed`: did not happen for a reason that passes (limit, timeout before sending, 5xx that proves
 *   it).
 * - `unknown`: may have happened; the engine looks again.
 */
export type WriteOutcomeKind =
  | 'applied'
  | 'already'
  | 'not_found'
  | 'unsupported'
  | 'rejected'
  | 'rate_limited'
  | 'failed'
  | 'unknown'

export interface WriteOutcome {
  readonly key: string
  readonly outcome: WriteOutcomeKind
  /**
   * A reason code such as `not_in_library`, `episode_missing`, `provider_limit`, `missing_ids`, `exact_play_unknown`.
   */
  readonly reason?: string
  /** What the account calls the row now. */
  readonly native?: Item['native']
}

export interface WriteResult {
  /** Exactly one per item of the request. */
  readonly outcomes: readonly WriteOutcome[]
  /** The service asked for a pause this long before more is written. */
  readonly retryAfterMs?: number
}

/** What somebody plays at this moment, as the service tells it. */
export interface PlaySession {
  /**
   * Names the session at the service; unique within an answer, and the same while it goes on. Another item may follow
   * in it.
   */
  readonly key: string
  /**
   * A film or an episode, without anything that the person did with it. With all ids that the service knows, an episode
   * with `show_ids`, its numbers and `series_title`; with no ids at all where the service has none, so that it can be
   * shown and not be synced.
   */
  readonly item: Item
  /** `buffering`: the player waits for data. */
  readonly state: 'playing' | 'paused' | 'buffering'
  /**
   * Milliseconds from the beginning, as the service last heard it from the player. Absent: it does not say. Never an
   * estimate.
   */
  readonly positionMs?: number
  /**
   * Length of the item in milliseconds, at least 1 and not less than the position. Absent: the service does not say.
   */
  readonly durationMs?: number
  /** Who plays it: the id and the name of the user at the service. */
  readonly account: { readonly id: string; readonly name: string }
  /** What people call the player: `Living room`. */
  readonly device?: string
  /** The service's own id of the server that it plays from. */
  readonly server?: string
  /** A picture that anybody may load: http or https, without user and query, and never with a secret in it. */
  readonly cover?: string
}

export interface Library {
  readonly key: string
  readonly title: string
  readonly type: string
}

export interface NewProfile {
  /** Copies the settings of this profile; never its credentials, device or account ids unless `includeCredentials`. */
  readonly copyFrom?: string
  readonly settings?: Readonly<Record<string, unknown>>
  readonly label?: string
  readonly includeCredentials?: boolean
  /** Takes this id instead of the next that was never used. */
  readonly id?: string
}

export interface Provider {
  /** Says the same for as long as the plugin's generation lives. */
  describe(): ProviderDescription
  /** All profiles, `default` first. */
  profiles(): readonly ProfileState[]
  /**
   * Asks the service whether the account works, refreshing its credential first. Never throws for what the service
   * does.
   */
  probe(instance: string, signal?: AbortSignal): Promise<AccountHealth>
  /**
   * Throws `PLH_NOT_READY` (wire `not_configured`) for a profile without credentials, `PLH_UNSUPPORTED` for a feature
   * or kind of read that is not supported, and what `ctx.upstream` throws. Never answers with an empty list instead.
   */
  read(instance: string, request: ReadRequest, signal?: AbortSignal): AsyncIterable<ReadPart>
  /** Never throws for a single item. Throws only when nothing at all was sent. */
  write(instance: string, request: WriteRequest, signal?: AbortSignal): Promise<WriteResult>
  /** Libraries of a media server; empty for others. */
  libraries(instance: string, signal?: AbortSignal): Promise<readonly Library[]>
  /**
   * What the profile's own person plays right now; empty when that is nothing. A token that sees what everybody plays
   * changes nothing about that: sessions of other people are never told. What contradicts itself (a position behind the
   * end, a kind that is neither film nor episode) is left out. Asks the service at each call; whoever calls sees to it
   * that this is not too often. Absent: the service does not tell.
   *
   * Throws `PLH_UNSUPPORTED` when this account may not know (wire `playing_owner_only` where only the owner of a server
   * may), `PLH_NOT_READY` (wire `not_configured`) for a profile without credentials, and what `ctx.upstream` throws.
   * Never answers with an empty list instead.
   *
   * @example const [session] = await provider.playing?.('default', AbortSignal.timeout(4_000)) ?? []
   */
  playing?(instance: string, signal?: AbortSignal): Promise<readonly PlaySession[]>
  /**
   * The shows that the profile's person gave up and put away as such, each with all ids that the service knows of it,
   * and each once; empty when there are none. All of them or an error, never a part: whoever asks leaves these shows
   * alone, and would touch one that is missing. Asks the service whether the list has changed at each call, and reads
   * it when it has. Absent: the service has no such list.
   *
   * Throws `PLH_NOT_READY` (wire `not_configured`) for a profile without credentials, `PLH_UPSTREAM_INVALID` for a list
   * that was not read to its end or has an entry that cannot be told, and what `ctx.upstream` throws. Never answers
   * with an empty list instead.
   *
   * @example await provider.droppedShows?.('default') // [{ type: 'show', title: 'The Wire', ids: { imdb: 'tt0306414',
   * tvdb: '79126' } }]
   */
  droppedShows?(instance: string, signal?: AbortSignal): Promise<readonly Item[]>

  /**
   * Throws `PLH_NOT_FOUND` for an unknown `copyFrom`, `PLH_CONFLICT` (`profile_limit_reached`) at the limit. Gives the
   * id.
   */
  createProfile(profile: NewProfile): Promise<string>
  /**
   * Creates or replaces a profile's settings; masked secrets keep their stored values, unless the address that they
   * belong to is another one. Throws `PLH_CONFLICT` (`provider_in_use`) when a profile that is used would lose its
   * credentials.
   */
  saveProfile(instance: string, settings: Readonly<Record<string, unknown>>): Promise<void>
  removeProfile(instance: string): Promise<void>
  /** Forgets the credentials of a profile and tells the service. Whether it is in use must be checked before. */
  disconnect(instance: string): Promise<void>
  /** How a sign-in of several steps stands, after the service was asked; undefined when there is none. */
  pollSignIn?(instance: string, method: SignInMethod): Promise<FlowState | undefined>
  /** True when there was one to end. */
  cancelSignIn?(instance: string, method: SignInMethod): Promise<boolean>
  /** What the person calls the profile. */
  rename?(instance: string, label: string): Promise<void>
}

/** The capabilities of all providers, by their ids. */
export const PROVIDERS = capabilityFamily<Provider>('provider:')

/** The capability of a provider. */
export function providerCapability(id: string): Capability<Provider> {
  return PROVIDERS.of(id)
}
