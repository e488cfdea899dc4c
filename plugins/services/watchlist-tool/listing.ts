// Responses of the list. The text is cached and shared by requests for the same rows.
import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import type { Accounts, LibraryService, Remote, UnitedCounts } from '@playhead/sdk'
import type { Describer } from './describe.ts'
import { loadTokens } from './entry.ts'
import { isStale, writeList } from './wire.ts'

interface Listing {
  /** ETag of the response without descriptions. */
  version(limit: number, describer: Describer): Promise<string>
  /** @param version null: the response is not cached */
  write(limit: number, describer: Describer, version: string | null): Promise<Readable | string>
}

interface ListingSources {
  readonly accounts: Pick<Remote<Accounts>, 'providers'>
  readonly library: () => Pick<Remote<LibraryService>, 'mergedItems' | 'counts' | 'revision' | 'holdings'> | undefined
}

const QUERY = { feature: 'watchlist' } as const
const NOTHING: UnitedCounts = { total: 0, lastReadAtMs: null, held: [] }
// About 800 bytes each. Longer lists are streamed.
const MAX_CACHED_ROWS = 5_000
const CACHE_MS = 60_000

export function createListing({ accounts, library }: ListingSources): Listing {
  let cached: { readonly version: string; readonly text: Promise<string> } | undefined
  let forget: NodeJS.Timeout | undefined

  async function pieces(limit: number, describer: Describer, counts: UnitedCounts): Promise<AsyncIterable<string>> {
    const tokenOf = await loadTokens(accounts)
    const pages = library()?.mergedItems({ ...QUERY, ...(limit === 0 ? {} : { limit }) }) ?? nothing()
    return writeList({ counts, pages, tokenOf, nowMs: Date.now(), describer })
  }

  return {
    async version(limit, { isReady }) {
      const [revision, holdings] = await Promise.all([
        library()?.revision(QUERY),
        library()?.holdings(QUERY.feature) ?? [],
      ])
      const nowMs = Date.now()
      const stale = holdings.map(({ readAtMs }) => readAtMs !== null && isStale(readAtMs, nowMs))
      return createHash('sha256')
        .update(JSON.stringify([revision, stale, limit, isReady]))
        .digest('base64url')
    },
    async write(limit, describer, version) {
      if (cached !== undefined && cached.version === version) return cached.text
      const counts = (await library()?.counts(QUERY)) ?? NOTHING
      const written = await pieces(limit, describer, counts)
      const rows = limit === 0 ? counts.total : Math.min(limit, counts.total)
      if (version === null || rows > MAX_CACHED_ROWS) return Readable.from(written, { objectMode: false })
      const own = { version, text: Array.fromAsync(written).then((parts) => parts.join('')) }
      cached = own
      own.text.catch(() => {
        if (cached === own) cached = undefined
      })
      clearTimeout(forget)
      forget = setTimeout(() => {
        cached = undefined
      }, CACHE_MS).unref()
      return own.text
    },
  }
}

async function* nothing(): AsyncGenerator<never> {}
