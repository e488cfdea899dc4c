// Writable accounts and the actions that each supports, from the descriptions of the providers.
import type { Account, Accounts, FeatureSupport, ProviderDescription, Remote } from '@playhead/sdk'
import { isAnimeScheme } from '@playhead/sdk/items'
import type { TargetName } from './request/order.ts'

const DEFAULT_INSTANCE = 'default'

export interface Target extends TargetName {
  readonly uid: string
  /** A changed value may belong to another account. */
  readonly fingerprint: string
  readonly label: string
  readonly instanceLabel: string
  readonly configured: boolean
  readonly history: FeatureSupport | undefined
  readonly watchlist: FeatureSupport | undefined
  readonly ratings: FeatureSupport | undefined
  readonly features: ProviderDescription['features']
  /** Stores titles by the given ids, whereas a media server matches its files itself. */
  readonly canMatch: boolean
  /** Stores only anime. */
  readonly animeOnly: boolean
  /** Plays of one item can be looked up at the service. */
  readonly findsPlays: boolean
}

type Unavailable = 'provider_not_allowed' | 'unknown_instance' | 'provider_unavailable'

/** All accounts with a writable history or watchlist, including signed-out ones. */
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

/** Accounts only for anime accept no title without an id of an anime service. */
function isAnimeOnly(supports: readonly (FeatureSupport | undefined)[]): boolean {
  const taken = supports.filter((one) => one?.add === true)
  return taken.every((one) => one?.needsAnyId?.every(isAnimeScheme) === true)
}

/** The first profile of each service belongs to one person; further profiles belong to others. */
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

/** How a show is marked as watched: by its episodes, or not at all. */
export function showHistoryOf({ history }: Target): 'all_aired' | 'series' | 'none' {
  return history?.add === true && history.kinds.includes('episode') ? 'all_aired' : 'none'
}
