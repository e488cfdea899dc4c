// Responses of the list, and their revision.
import { Readable } from 'node:stream'
import type { Accounts, LibraryService, Remote, UnitedCounts } from '@playhead/sdk'
import type { Describer } from './describe.ts'
import { loadTokens } from './entry.ts'
import { createRevision } from './revision.ts'
import { writeList } from './wire.ts'

interface Listing {
  /** For the response without descriptions. */
  revision(): Promise<string>
  write(limit: number, describer: Describer): Promise<Readable | string>
}

interface ListingSources {
  readonly accounts: Pick<Remote<Accounts>, 'providers'>
  readonly library: () => Pick<Remote<LibraryService>, 'mergedItems' | 'counts' | 'revision' | 'holdings'> | undefined
  /** A key for metadata is set. */
  readonly isReady: () => Promise<boolean>
  /** Changes with the settings and the plugins. */
  readonly hostRevision: () => string
}

const QUERY = { feature: 'watchlist' } as const
const NOTHING: UnitedCounts = { total: 0, lastReadAtMs: null, held: [] }
// About 800 bytes each. Longer lists are streamed.
const MAX_WHOLE_ROWS = 5_000

export function createListing({ accounts, library, isReady, hostRevision }: ListingSources): Listing {
  const revisionOf = createRevision(library)
  return {
    async revision() {
      const [revision, ready] = await Promise.all([revisionOf(false), isReady()])
      return `${revision} ${ready} ${hostRevision()}`
    },
    async write(limit, describer) {
      const source = library()
      const counts = (await source?.counts(QUERY)) ?? NOTHING
      const tokenOf = await loadTokens(accounts)
      const pages = source?.mergedItems({ ...QUERY, ...(limit === 0 ? {} : { limit }) }) ?? nothing()
      const written = writeList({ counts, pages, tokenOf, nowMs: Date.now(), describer })
      const rows = limit === 0 ? counts.total : Math.min(limit, counts.total)
      return rows > MAX_WHOLE_ROWS
        ? Readable.from(written, { objectMode: false })
        : (await Array.fromAsync(written)).join('')
    },
  }
}

async function* nothing(): AsyncGenerator<never> {}
