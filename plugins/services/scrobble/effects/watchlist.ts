// Removes what was watched from the watchlists of the person: of the accounts that pairs connect with the source or
// the tracker, never of others. An episode never removes its show, unless it is the last one that was aired.
import {
  type AccountName,
  formatKey,
  type Item,
  keyOf,
  kindOf,
  LIBRARY,
  METADATA,
  type PairState,
  type PluginContext,
  SYNC,
  tokensOf,
} from '@playhead/sdk'
import type { Effective } from '../contract.ts'
import type { Delivery } from '../store/delivery.ts'

type Context = Pick<PluginContext, 'tryUse' | 'log'>

const WAIT_MS = 0

export async function removeWatched(
  ctx: Context,
  { item, source, sink, autoRemove }: Delivery,
  { autoRemoveTypes }: Effective,
): Promise<void> {
  if (!autoRemove) return
  const library = ctx.tryUse(LIBRARY)
  if (library === undefined) return
  const works = await worksOf(ctx, item, autoRemoveTypes)
  if (works.length === 0) return
  const own = accountsOfPerson([source, sink], (await ctx.tryUse(SYNC)?.pairs()) ?? [])
  const found = await library.itemsByKeys({ feature: 'watchlist' }, works)
  for (const { rows } of found) {
    for (const { provider, instance, key, item: row } of rows) {
      if (!own.has(nameOf({ provider, instance }))) continue
      const { planId, ready } = await library.plan({
        provider,
        instance,
        feature: 'watchlist',
        changes: [{ op: 'remove', key, item: row, current: row }],
        cause: 'scrobble',
      })
      if (ready.remove === 0) continue
      await library.applyWhenFree(planId, { waitMs: WAIT_MS })
      ctx.log.info({ provider, instance, title: row.title ?? null }, 'a watched title was removed from a watchlist')
    }
  }
}

/** Keys of the watchlist entries that the play settles. */
async function worksOf(ctx: Context, item: Item, types: Effective['autoRemoveTypes']): Promise<readonly string[]> {
  if (kindOf(item) !== 'episode') return types.includes('movie') ? tokensOf(item) : []
  const episode = types.includes('episode') ? episodeKeys(item) : []
  return types.includes('show') && (await isLastAired(ctx, item)) ? [...episode, ...showKeys(item)] : episode
}

function episodeKeys(item: Item): readonly string[] {
  const key = keyOf(item)
  return key.ok ? [...new Set([formatKey(key.value), ...tokensOf(item)])] : tokensOf(item)
}

function showKeys({ show_ids: ids = {} }: Item): readonly string[] {
  return tokensOf({ type: 'show', ids })
}

/** Without a metadata service that knows it, a show stays. */
async function isLastAired(ctx: Context, { show_ids: ids = {}, season, episode }: Item): Promise<boolean> {
  const metadata = ctx.tryUse(METADATA)
  if (metadata === undefined || season === undefined || !(await metadata.ready())) return false
  const details = await metadata.details({ type: 'show', ids })
  const last = details?.lastAired ?? null
  return last !== null && last.season === season && last.episode === episode
}

/** Accounts that enabled pairs connect with one of these, directly or through others. */
export function accountsOfPerson(from: readonly AccountName[], pairs: readonly PairState[]): ReadonlySet<string> {
  const own = new Set(from.map(nameOf))
  const links = pairs
    .filter(({ enabled }) => enabled)
    .map(({ source, source_instance, target, target_instance }) => [
      nameOf({ provider: source, instance: source_instance }),
      nameOf({ provider: target, instance: target_instance }),
    ])
  for (let size = -1; size !== own.size; ) {
    size = own.size
    for (const link of links) if (link.some((name) => own.has(name))) for (const name of link) own.add(name)
  }
  return own
}

function nameOf({ provider, instance }: AccountName): string {
  return `${provider.toUpperCase()}@${instance === '' ? 'default' : instance}`
}
