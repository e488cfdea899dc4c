// Removes watched items from the person's watchlists: only at accounts that pairs connect with the source or the tracker.
// An episode removes its show only if it is the last aired one.
import { ACTIONS, LIBRARY, METADATA, ownersByPairs, type PluginContext, SYNC } from '@playhead/sdk'
import { formatKey, type Item, keyOf, kindOf, tokensOf } from '@playhead/sdk/items'
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
  const actions = ctx.tryUse(ACTIONS)
  if (library === undefined || actions === undefined) return
  const works = await worksOf(ctx, item, autoRemoveTypes)
  if (works.length === 0) return
  const ownerOf = ownersByPairs((await ctx.tryUse(SYNC)?.pairs()) ?? [])
  const own = new Set([source, sink].map(ownerOf))
  const found = await library.itemsByKeys({ feature: 'watchlist' }, works)
  const rows = found.flatMap((one) => one.rows).filter((row) => own.has(ownerOf(row)))
  const reports = await actions.act(
    rows.map(({ provider, instance, key, item: row }) => ({
      ...{ provider, instance, feature: 'watchlist', cause: 'scrobble', waitMs: WAIT_MS },
      changes: [{ op: 'remove', key, item: row, current: row }],
    })),
  )
  for (const [n, { outcomes, isWaiting }] of reports.entries()) {
    const { provider, instance, item: row } = rows[n]!
    if (isWaiting || outcomes[0]?.ok === true)
      ctx.log.info({ provider, instance, title: row.title ?? null }, 'a watched title was removed from a watchlist')
  }
}

/** Keys of the watchlist entries that the play completes. */
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

/** A show stays if no metadata service knows it. */
async function isLastAired(ctx: Context, { show_ids: ids = {}, season, episode }: Item): Promise<boolean> {
  const metadata = ctx.tryUse(METADATA)
  if (metadata === undefined || season === undefined || !(await metadata.ready())) return false
  const details = await metadata.details({ type: 'show', ids })
  const last = details?.lastAired ?? null
  return last !== null && last.season === season && last.episode === episode
}
