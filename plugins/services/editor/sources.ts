// The data of the editor, and the account, kind and source of a request.
import {
  type Account,
  type Accounts,
  ACCOUNTS,
  type Actions,
  ACTIONS,
  defined,
  type Feature,
  LIBRARY,
  type LibraryService,
  LISTS,
  type ListService,
  type Logger,
  MANUAL_POLICY,
  type ManualPolicyService,
  householdOf,
  namedProfile,
  type Person,
  PlayheadError,
  PLAYLISTS,
  type Playlists,
  type PluginContext,
  type ProviderDescription,
  type Remote,
  TRACKER_STORE,
  type TrackerStore,
} from '@playhead/sdk'

export interface Sources {
  readonly accounts: Remote<Accounts>
  readonly actions: Remote<Actions>
  readonly library: Remote<LibraryService>
  readonly lists: Remote<ListService>
  readonly policy: Remote<ManualPolicyService>
  readonly playlists: Remote<Playlists>
  readonly tracker: Remote<TrackerStore>
  persons(): Promise<readonly Person[]>
  /** Whether a plugin provides the data. */
  has(what: 'policy' | 'playlists' | 'tracker'): boolean
  readonly log: Logger
}

export const KINDS = ['watchlist', 'history', 'ratings', 'progress'] as const satisfies readonly Feature[]
export type Kind = (typeof KINDS)[number]
export type Source = 'state' | 'manual' | 'tracker' | 'playlist'

/** Provider id of the tracker. */
export const TRACKER = 'SVC'

const SOURCES: Readonly<Record<string, Source>> = {
  state: 'state',
  current: 'state',
  manual: 'manual',
  'manual-overrides': 'manual',
  policy: 'manual',
  overrides: 'manual',
  playlist: 'playlist',
  playlists: 'playlist',
  'playlist-endpoint': 'playlist',
  tracker: 'tracker',
  svc: 'tracker',
}

export function createSources(ctx: PluginContext): Sources {
  const capabilities = { policy: MANUAL_POLICY, playlists: PLAYLISTS, tracker: TRACKER_STORE }
  return {
    accounts: ctx.use(ACCOUNTS),
    actions: ctx.use(ACTIONS),
    library: ctx.use(LIBRARY),
    lists: ctx.use(LISTS),
    policy: ctx.use(MANUAL_POLICY),
    playlists: ctx.use(PLAYLISTS),
    tracker: ctx.use(TRACKER_STORE),
    persons: () => householdOf(ctx),
    has: (what) => ctx.tryUse<object>(capabilities[what]) !== undefined,
    log: ctx.log,
  }
}

/** Throws `PLH_INVALID` (`unsupported_kind`). */
export function readKind(text = ''): Kind {
  const name = text.trim().toLowerCase() || 'watchlist'
  const kind = KINDS.find((one) => one === name)
  if (kind !== undefined) return kind
  throw new PlayheadError('PLH_INVALID', `Unsupported kind: ${name}. There are ${KINDS.join(', ')}.`, {
    wire: 'unsupported_kind',
  })
}

/** Throws `PLH_INVALID` (`unsupported_source`). */
export function readSource(text = ''): Source {
  const name = text.trim().toLowerCase() || 'state'
  const source = Object.hasOwn(SOURCES, name) ? SOURCES[name] : undefined
  if (source !== undefined) return source
  throw new PlayheadError('PLH_INVALID', `Unsupported source: ${name}. There are state, manual, tracker, playlist.`, {
    wire: 'unsupported_source',
  })
}

/** An account, or an account that is not configured but has a manual policy. */
export interface Named {
  readonly provider: string
  readonly instance: string
  readonly account: Account | undefined
  readonly description: ProviderDescription | undefined
}

/** Throws `PLH_NOT_FOUND`: `unknown_provider`, `unknown_instance`. */
export async function findAccount(
  { accounts, policy, has }: Pick<Sources, 'accounts' | 'policy' | 'has'>,
  providerName: string,
  instanceName: string | null | undefined,
): Promise<Named> {
  const name = providerName.trim().toUpperCase()
  const instance = namedProfile(instanceName)
  const [descriptions, all] = [await accounts.providers(), await accounts.list()]
  const description = descriptions.find(({ id, token }) => id === name || token.toUpperCase() === name)
  const provider = description?.id ?? name
  const account = all.find((one) => one.provider === provider && one.instance.toLowerCase() === instance.toLowerCase())
  if (account !== undefined) return { provider, instance: account.instance, account, description }
  const scopes = has('policy') ? (await policy.scopes()).filter((scope) => scope.provider === provider) : []
  const scope = scopes.find((one) => one.instance.toLowerCase() === instance.toLowerCase())
  if (scope !== undefined) return { provider, instance: scope.instance, account, description }
  throw description === undefined && scopes.length === 0
    ? new PlayheadError('PLH_NOT_FOUND', 'This service does not exist.', { wire: 'unknown_provider' })
    : new PlayheadError('PLH_NOT_FOUND', `${description?.label ?? provider} has no such profile.`, {
        wire: 'unknown_instance',
      })
}

/** Throws `PLH_CAPABILITY_MISSING` where no plugin holds a manual policy. */
export function requirePolicy(has: Sources['has']): void {
  if (!has('policy'))
    throw new PlayheadError('PLH_CAPABILITY_MISSING', 'Nothing holds a manual policy; the sync engine does not run.')
}

export function invalid(wire: string, message: string, details?: Readonly<Record<string, unknown>>): PlayheadError {
  return new PlayheadError('PLH_INVALID', message, { wire, ...defined({ details }) })
}

/** Another person or run changed the data after the client loaded them. */
export function changedSinceLoad(details: Readonly<Record<string, unknown>>): PlayheadError {
  return new PlayheadError(
    'PLH_CONFLICT',
    'This was changed elsewhere meanwhile. Load it again, or save with "force" to keep both changes.',
    { wire: 'changed_since_load', details },
  )
}
