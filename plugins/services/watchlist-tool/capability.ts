// What other plugins see of the list.
import type { Watchlist } from '@playhead/sdk'
import type { Hidden } from './hidden.ts'
import { inChunks } from './pause.ts'
import { loadView, type ViewSources } from './view.ts'
import { toRow } from './wire.ts'

const PAGE = 200

export interface WatchlistSources extends Omit<ViewSources, 'hidden' | 'signedOut'> {
  readonly hidden: Pick<Hidden, 'load' | 'revision'>
}

export function createWatchlist(sources: WatchlistSources): Watchlist {
  const { accounts, sync, hidden, isThere } = sources
  return {
    async *rows({ signedOut = false } = {}) {
      const { entries } = await loadView({ ...sources, signedOut })
      const nowMs = Date.now()
      for await (const part of inChunks(entries, PAGE)) yield part.map((entry) => toRow(entry, nowMs))
    },
    async revision({ signedOut = false } = {}) {
      if (!isThere()) return ''
      const [all, inventories, hiddenNow] = await Promise.all([
        accounts.list(),
        sync.inventories('watchlist'),
        hidden.revision(),
      ])
      const shown = all
        .filter(({ configured }) => signedOut || configured)
        .map(({ provider, instance }) => `${provider}@${instance}`)
      const read = inventories.map(
        ({ provider, instance, readAtMs, count, revision = '' }) =>
          `${provider}@${instance}:${readAtMs}:${count}:${revision}`,
      )
      return JSON.stringify([signedOut, shown.sort(), read.sort(), hiddenNow])
    },
  }
}
