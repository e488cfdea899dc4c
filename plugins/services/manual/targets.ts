// The accounts that can be written to, and what each takes. All of it comes from the descriptions of the providers.
import {
  type Account,
  type Accounts,
  ANIME_SCHEMES,
  type FeatureSupport,
  type ProviderDescription,
  type Remote,
} from '@playhead/sdk'
import type { TargetName } from './request/order.ts'

const DEFAULT_INSTANCE = 'default'

export interface Target extends TargetName {
  readonly uid: string
  /** A changed value may mean another account. */
  readonly fingerprint: string
  readonly label: string
  readonly instanceLabel: string
  readonly configured: boolean
  readonly history: FeatureSupport | undefined
  readonly watchlist: FeatureSupport | undefined
  readonly ratings: FeatureSupport | undefined
  readonly features: ProviderDescription['features']
  /** It holds titles by the ids that it is given. A media server decides itself what its files are. */
  readonly canMatch: boolean
  /** It holds anime alone. */
  readonly animeOnly: boolean
  /** Plays of one item can be looked up at the service. */
  readonly findsPlays: boolean
}

type Unavailable = 'provider_not_allowed' | 'unknown_instance' | 'provider_unavailable'

/** All accounts with a history or a watchlist that can be written, also those that are not signed in. */
export async function listTargets(accounts: Pick<Remote<Accounts>, 'providers' | 'list'>): Promise<readonly Target[]> {
  const [descriptions, all] = await Promise.all([accounts.providers(), accounts.list()])
  return descriptions.flatMap((description) =>
    all.filter(({ provider }) => provider === description.id).flatMap((account) => toTarget(description, account)),
  )
}

function toTarget({ id, label, group, features, playback }: ProviderDescription, account: Account): Target[] {
  const { history, watchlist, ratings } = features
  if (history?.add !== true && watchlist?.add !== true) return []
  const { instance, uid, fingerprint, configured } = account
  return [
    {
      provider: id,
      instance,
      uid,
      fingerprint,
      label,
      instanceLabel: account.label,
      configured,
      history,
      watchlist,
      ratings,
      features,
      animeOnly: isAnimeOnly([history, watchlist, ratings]),
      canMatch: group !== 'media_server',
      findsPlays: playback?.scrobble !== undefined && history?.read === true,
    },
  ]
}

/** Of what it takes, nothing without an id that only entries of anime have. */
function isAnimeOnly(supports: readonly (FeatureSupport | undefined)[]): boolean {
  const taken = supports.filter((one) => one?.add === true)
  return taken.every((one) => one?.needsAnyId?.every(isAnimeScheme) === true)
}

function isAnimeScheme(scheme: string): boolean {
  return (ANIME_SCHEMES as readonly string[]).includes(scheme)
}

/** The first profile of each service is one person's; a further one is of somebody else. */
export function isOwn({ instance }: TargetName): boolean {
  return instance === DEFAULT_INSTANCE
}

export function findTarget(known: readonly Target[], { provider, instance }: TargetName): Target | Unavailable {
  const own = known.filter((target) => target.provider === provider)
  if (own.length === 0) return 'provider_not_allowed'
  const found = own.find((target) => target.instance.toLowerCase() === instance.toLowerCase())
  if (found === undefined) return 'unknown_instance'
  return found.configured ? found : 'provider_unavailable'
}

/** How marking a show as watched works: by its episodes, or not at all. */
export function showHistoryOf({ history }: Target): 'all_aired' | 'series' | 'none' {
  return history?.add === true && history.kinds.includes('episode') ? 'all_aired' : 'none'
}
