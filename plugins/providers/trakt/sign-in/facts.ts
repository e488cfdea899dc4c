// Account facts from the user settings at Trakt: owner and limits.
import { PlayheadError, type UpstreamAccount } from '@playhead/sdk'
import { UserSettings } from '../wire.ts'

export interface Facts {
  /** Account id, stable when the person changes the name. */
  readonly account: string
  readonly name: string
  readonly vip: boolean
  readonly vipType: string
  /** Only the first play of an item is stored. */
  readonly watchOnlyOnce: boolean
  readonly watchlistLimit: number | undefined
  /** Per list. */
  readonly listLimit: number | undefined
  readonly limits: Readonly<Record<string, unknown>>
}

export async function readFacts(upstream: UpstreamAccount, signal: AbortSignal): Promise<Facts> {
  const { user, limits = {}, browsing } = await upstream.json({ path: '/users/settings', signal }, UserSettings)
  const account = user.ids.uuid || user.ids.slug
  if (account === undefined || account === null) {
    throw new PlayheadError('PLH_UPSTREAM_INVALID', 'Trakt did not return the owner of the account.', {
      details: { path: '/users/settings' },
    })
  }
  const kinds = (
    [
      ['vip_og', user.vip_og],
      ['vip_ep', user.vip_ep],
      ['vip', user.vip],
    ] as const
  ).filter(([, has]) => has === true)
  return {
    account,
    name: user.username ?? user.name ?? account,
    vip: kinds.length > 0,
    vipType: kinds[0]?.[0] ?? 'free',
    watchOnlyOnce: browsing?.watch_only_once === true,
    watchlistLimit: limits.watchlist?.item_count ?? undefined,
    listLimit: limits.list?.item_count ?? undefined,
    limits,
  }
}
