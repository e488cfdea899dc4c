// What a provider plugin declares. `defineProvider` makes a whole plugin of it: settings with profiles, sessions, the
// capability `provider:<ID>`, sign-in flows. Id, token and label come from the `provider` block of plugin.json.
import type { FastifyRequest } from 'fastify'
import type { Static, TObject } from '@sinclair/typebox'
import type { Item } from '../items/item.ts'
import type { KeyValueStore, Logger, Migration, PluginContext } from '../context.ts'
import type { PluginApp } from '../define.ts'
import type { AccountOptions, UpstreamAccount } from '../upstream.ts'
import type { SignInFlow, SignInFlows } from './sign-in/flow-contract.ts'
import type { ListDefinition } from './lists/lists.ts'
import type { RedirectStates } from './sign-in/redirect-states.ts'
import type {
  AccountHealth,
  Feature,
  Library,
  PlaySession,
  ProviderDescription,
  ReadPart,
  ReadRequest,
  ReasonCode,
  SignInDescription,
  SignInMethod,
  Support,
  WriteRequest,
  WriteResult,
} from './contract.ts'

/** One profile as the provider's code works with it. */
export interface AccountContext<Profile> {
  /** `default` or `MEDIAB-P01`. */
  readonly instance: string
  /** `MEDIAB@default` */
  readonly name: string
  /** The effective settings of the profile when the session was opened; frozen. */
  readonly profile: Readonly<Profile>
  /** The effective settings now: credentials may have been refreshed since. */
  current(): Readonly<Profile>
  /**
   * Merges changes into this profile's own settings; atomic, through the single writer. undefined takes a value away.
   */
  save(change: Readonly<Record<string, unknown>>): Promise<void>
  /**
   * An account of `ctx.upstream`, named after this profile, so that limits and refresh are shared by all who use it.
   */
  upstream(options: Omit<AccountOptions, 'account'>): UpstreamAccount
  /** Of this profile alone; emptied when its credentials are. */
  readonly store: KeyValueStore
  readonly log: Logger
  readonly ctx: PluginContext
}

/** What the provider's own routes work with. */
export interface ProviderKit<Profile, Session> {
  readonly ctx: PluginContext
  /** The profile that the query parameter `instance` names. Throws `invalid_instance_id` (400) or `not_found` (404). */
  instanceOf(request: FastifyRequest): string
  /** Effective settings of a profile. */
  profile(instance: string): Readonly<Profile>
  account(instance: string): AccountContext<Profile>
  /**
   * An account with other settings than the stored ones, for a look before anything is saved. The settings given
   * replace the stored ones; stored credentials are only used where `settings` leaves the address as it is.
   */
  trial(instance: string, settings: Readonly<Partial<Profile>>): AccountContext<Profile>
  /** The session of a configured profile. Throws `PLH_NOT_READY` (`not_configured`). */
  session(instance: string): Session
  readonly flows: SignInFlows
  /** For a sign-in that leads over a page of the service and back. */
  readonly redirects: RedirectStates
  /** Throws `PLH_CONFLICT` (409 `provider_in_use` with the usages in the body) when somebody uses the profile. */
  assertUnused(instance: string): Promise<void>
  /** As the capability's `disconnect`. */
  disconnect(instance: string): Promise<void>
  /**
   * To be called after credentials changed: caches forget the account. `save` of a credential key does it by itself.
   */
  forget(instance: string): Promise<void>
}

export interface ProviderDefinition<Schema extends TObject, Session> {
  /**
   * Settings of one profile. Secrets are marked `secret: true`; fields marked `inherit: true` (application credentials,
   * time limits, rates, page sizes) are taken from the default profile where a further profile has none of its own.
   * Nothing else is inherited.
   */
  readonly profile: Schema
  readonly group: ProviderDescription['group']
  readonly vendor?: string
  readonly description?: string
  readonly bidirectional?: boolean
  readonly features: Support
  readonly signIn: SignInDescription
  /** Keys of the profile that are cleared when it is disconnected: credentials, ids of user and server. */
  readonly credentials: readonly string[]
  /** What keeps the profile from being used, or undefined when it is configured. */
  missing(profile: Readonly<Static<Schema>>): ReasonCode | undefined
  /** Clamps and cleans the settings of one profile at each save. Pure. */
  normalize?(profile: Static<Schema>): Static<Schema>
  /** Libraries chosen in the settings, by feature. */
  libraryChoice?(profile: Readonly<Static<Schema>>): { readonly [feature in Feature]?: readonly string[] }
  readonly migrations?: readonly Migration[]

  /** Opens a profile: cheap, no request. Called again when the profile's settings changed. */
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
  /** The lists of an account, where the service has any. */
  readonly lists?: ListDefinition<Session>
  libraries?(session: Session, signal: AbortSignal): Promise<readonly Library[]>
  /**
   * What the profile's own person plays now, for services that tell it. Sessions of others must be left out here;
   * sessions that contradict themselves are left out by the kit. See `Provider.playing` for what to throw.
   */
  playing?(session: Session, signal: AbortSignal): Promise<readonly PlaySession[]>
  /**
   * The shows that the person gave up, for services that keep a list of them: all of it, or it throws. See
   * `Provider.droppedShows`.
   */
  droppedShows?(session: Session, signal: AbortSignal): Promise<readonly Item[]>
  /**
   * Tells the service that the credential is no longer used. Failing changes nothing: the credential is forgotten
   * anyway.
   */
  signOut?(session: Session, signal: AbortSignal): Promise<void>
  /** Called when a profile is removed for good, to release what it kept. */
  removed?(account: AccountContext<Static<Schema>>): Promise<void>

  /**
   * The flow of a method, made anew: a sign-in that is pending while the plugin is loaded anew goes on with it. Its
   * `start` is not called. Without it such a sign-in ends as failed (`reloaded`).
   */
  signInFlow?(kit: ProviderKit<Static<Schema>, Session>, instance: string, method: SignInMethod): SignInFlow | undefined

  readonly setup?: (ctx: PluginContext, kit: ProviderKit<Static<Schema>, Session>) => void | Promise<void>
  readonly routes?: (app: PluginApp, kit: ProviderKit<Static<Schema>, Session>) => void | Promise<void>
}
