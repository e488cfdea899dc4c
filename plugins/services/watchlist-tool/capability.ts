// The watchlist as a capability for other plugins.
import type { Accounts, LibraryService, Remote, Watchlist } from '@playhead/sdk'
import { loadTokens, toEntry } from './entry.ts'
import { createRevision } from './revision.ts'
import { toRow } from './wire.ts'

interface WatchlistSources {
  readonly accounts: Pick<Remote<Accounts>, 'providers'>
  /** Undefined without a library service; then no account was ever read. */
  readonly library: () => Pick<Remote<LibraryService>, 'mergedItems' | 'revision' | 'holdings'> | undefined
}

export function createWatchlist({ accounts, library }: WatchlistSources): Watchlist {
  const revisionOf = createRevision(library)
  return {
    async *rows({ signedOut = false } = {}) {
      const tokenOf = await loadTokens(accounts)
      const nowMs = Date.now()
      for await (const page of library()?.mergedItems({ feature: 'watchlist', signedOut }) ?? [])
        yield page.map((item) => toRow(toEntry(item, tokenOf), nowMs))
    },
    revision: async ({ signedOut = false } = {}) => revisionOf(signedOut),
  }
}
