// The declaration of a provider plugin. `defineProvider` adds settings with profiles, sessions, the capability
// `provider:<ID>` and sign-in flows. Id, token and label come from the `provider` block of plugin.json.
import type { FastifyRequest } from 'fastify'
import type { Static, TObject } from '@sinclair/typebox'
import type { Item } from '../items/item.ts'
import type { KeyValueStore, PluginContext } from '../context.ts'
import type { Migration } from '../database.ts'
import type { Logger } from '../logger.ts'
import type { PluginApp } from '../define.ts'
import type { AccountOptions, UpstreamAccount } from '../upstream.ts'
import type { SignInFlow, SignInFlows } from './sign-in/flow-contract.ts'
import type { ListDefinition } from './lists/lists.ts'
import type { TitlePageDefinition } from './pages.ts'
import type { PictureDefinition } from './pictures.ts'
import type { PlaybackDefinition } from './playback/playback.ts'
import type { ContractProbe } from './probes.ts'
import type { RedirectStates } from './sign-in/redirect-states.ts'
import type { ChosenLibraries, AccountHealth, Library, ProviderDescription, ReasonCode, Support } from './contract.ts'
import type { SignInDescription, SignInMethod } from './sign-in/contract.ts'
import type { ReadPart, ReadRequest } from './reads/contract.ts'
import type { WriteRequest, WriteResult } from './writes/contract.ts'
import type { Feature } from './features.ts'
import type { ActsAs, UsersDefinition } from './users/contract.ts'

/** A profile's account as the provider's code uses it. */
export interface AccountContext<Profile> {
  /** `default` or `MEDIAB-P01`. */
  readonly instance: string
  /** `MEDIAB@default` */
  readonly name: string
  /** Effective settings at the time the session was opened; frozen. */
  readonly profile: Readonly<Profile>
  /** Current effective settings, with refreshed credentials. */
  current(): Readonly<Profile>
  /**
   * Merges a change into this profile's own settings, atomically. undefined deletes a value. Credentials in it are a new
   * sign-in, unless it `renews` the present one.
   */
  save(change: Readonly<Record<string, unknown>>, options?: { readonly renews?: boolean }): Promise<void>
  /** An account of `ctx.upstream` named after this profile, so that limits and token refresh are shared. */
  upstream(options: Omit<AccountOptions, 'account'>): UpstreamAccount
  /** Storage of this profile; cleared with its credentials. */
  readonly store: KeyValueStore
  readonly log: Logger
  readonly ctx: PluginContext
  /** Set if the profile acts as this user through the sign-in of another profile. See `UsersDefinition`. */
  readonly actsAs?: ActsAs
}

/** The API for the provider's own routes. */
export interface ProviderKit<Profile, Session> {
  readonly ctx: PluginContext
  /** The profile of the query parameter `instance`. Throws `invalid_instance_id` (400) or `not_found` (404). */
  instanceOf(request: FastifyRequest): string
  /** Effective settings of a profile. */
  profile(instance: string): Readonly<Profile>
  account(instance: string): AccountContext<Profile>
  /**
   * An account with unsaved settings, for testing a connection. `settings` replace the stored ones; stored credentials
   * are used only if the address is unchanged.
   */
  trial(instance: string, settings: Readonly<Partial<Profile>>): AccountContext<Profile>
  /** The session of a configured profile. Throws `PLH_NOT_READY` (`not_configured`). */
  session(instance: string): Session
  readonly flows: SignInFlows
  /** For sign-ins that redirect to the service and back. */
  readonly redirects: RedirectStates
  /** Throws `PLH_CONFLICT` (409 `provider_in_use` with the usages in the body) if the profile is in use. */
  assertUnused(instance: string): Promise<void>
  /** As `disconnect` of the capability. */
  disconnect(instance: string): Promise<void>
  /** Clears caches after credentials changed. `save` of a credential key does this automatically. */
  forget(instance: string): Promise<void>
}

export interface ProviderDefinition<Schema extends TObject, Session> {
  /**
   * Settings of one profile. Secrets are marked `secret: true`. Further profiles inherit fields marked `inherit: true`
   * (application credentials, timeouts, rates, page sizes) from the default profile, and nothing else.
   */
  readonly profile: Schema
  readonly group: ProviderDescription['group']
  readonly vendor?: string
  readonly description?: string
  readonly bidirectional?: boolean
  readonly features: Support
  readonly signIn: SignInDescription
  /** Keys that disconnecting clears: credentials, ids of user and server. */
  readonly credentials: readonly string[]
  /** Why the profile is not configured; undefined if it is. */
  missing(profile: Readonly<Static<Schema>>): ReasonCode | undefined
  /** Normalizes the settings of one profile at each save. Pure. */
  normalize?(profile: Static<Schema>): Static<Schema>
  /** Libraries chosen in the settings, by feature. */
  libraryChoice?(profile: Readonly<Static<Schema>>): ChosenLibraries
  readonly migrations?: readonly Migration[]

  /** Opens a profile without a request. Called again after the profile's settings changed. */
  open(account: AccountContext<Static<Schema>>): Session
  probe(session: Session, signal: AbortSignal): Promise<AccountHealth>
  readonly read: {
    readonly [feature in Feature]?: (
      session: Session,
      request: ReadRequest,
      signal: AbortSignal,
    ) => AsyncIterable<ReadPart>
  }
  readonly write: {
    readonly [feature in Feature]?: (
      session: Session,
      request: WriteRequest,
      signal: AbortSignal,
    ) => Promise<WriteResult>
  }
  /** Support for the account's lists. */
  readonly lists?: ListDefinition<Session>
  libraries?(session: Session, signal: AbortSignal): Promise<readonly Library[]>
  /** Support for playback. */
  readonly playback?: PlaybackDefinition<Session>
  /** Locates posters and backdrops. See `PictureProvider`. */
  readonly pictures?: PictureDefinition<Session>
  /** The address of a title's page at the service. See `TitlePageProvider`. */
  readonly titlePage?: TitlePageDefinition<Static<Schema>>
  /** The complete list of shows that the user dropped. See `Provider.droppedShows`. */
  droppedShows?(session: Session, signal: AbortSignal): Promise<readonly Item[]>
  /** At most three questions that show whether the service still answers as expected. */
  readonly probes?: readonly ContractProbe<Session>[]
  /** Support for profiles that act as other users of a server. See `UsersProvider`. */
  readonly users?: UsersDefinition<Static<Schema>, Session>
  /** Revokes the credential at the service. A failure is ignored. Not called for a profile that acts as a user. */
  signOut?(session: Session, signal: AbortSignal): Promise<void>
  /** Called when a profile is deleted. */
  removed?(account: AccountContext<Static<Schema>>): Promise<void>

  /**
   * The flow of a method with the stored settings: it continues a pending sign-in after a reload, and starts one for a
   * person with a link. Without it such a sign-in fails (`reloaded`), and there are no links.
   */
  signInFlow?(kit: ProviderKit<Static<Schema>, Session>, instance: string, method: SignInMethod): SignInFlow | undefined

  readonly setup?: (ctx: PluginContext, kit: ProviderKit<Static<Schema>, Session>) => void | Promise<void>
  readonly routes?: (app: PluginApp, kit: ProviderKit<Static<Schema>, Session>) => void | Promise<void>
}
