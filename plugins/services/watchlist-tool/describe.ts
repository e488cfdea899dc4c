// Adds metadata to the shown rows. Rows without metadata, or with slow metadata, stay unchanged.
import type { Logger, Metadata, Remote, WorkDetails } from '@playhead/sdk'
import { kindOf } from '@playhead/sdk/items'
import type { Entry } from './entry.ts'

export interface DescribeOptions {
  readonly overview: 'none' | 'short' | 'full'
  readonly locale?: string
  /** Maximum number of rows. */
  readonly most: number
}

export interface Describer {
  /** An API key is set. */
  readonly isReady: boolean
  /** Fields per entry, empty without metadata. */
  describe(entries: readonly Entry[]): Promise<readonly Description[]>
}

type Description = Readonly<Record<string, unknown>>

const SHORT = 280
const CONCURRENCY = 6
const FAILURES = 5
const LIMIT_MS = 20_000

export async function isReady(metadata: Pick<Remote<Metadata>, 'ready'> | undefined): Promise<boolean> {
  return (await metadata?.ready().catch(() => false)) ?? false
}

/** @param metadata undefined without a metadata service */
export async function createDescriber(
  metadata: Pick<Remote<Metadata>, 'ready' | 'details'> | undefined,
  { overview, locale, most }: DescribeOptions,
  log: Logger,
): Promise<Describer> {
  const hasKey = await isReady(metadata)
  const endsAtMs = Date.now() + LIMIT_MS
  let left = hasKey && overview !== 'none' ? most : 0
  let failures = 0

  async function one({ item, type }: Entry): Promise<Description> {
    if (metadata === undefined || failures >= FAILURES || Date.now() > endsAtMs) return {}
    const kind = kindOf(item)
    const ids = kind === 'movie' || kind === 'show' ? item.ids : (item.show_ids ?? {})
    try {
      const work = { type: kind === 'movie' ? 'movie' : 'show', ids } as const
      const details = await metadata.details(work, locale === undefined ? {} : { locale })
      return details === undefined ? {} : fieldsOf(details, type, overview)
    } catch (error) {
      failures += 1
      if (failures === FAILURES) log.warn({ err: error }, 'metadata for the watchlist could not be read')
      return {}
    }
  }

  return {
    isReady: hasKey,
    async describe(entries) {
      const wanted = entries.slice(0, left)
      left -= wanted.length
      const found: Description[] = entries.map(() => ({}))
      // The workers share one iterator.
      const waiting = wanted.entries()
      const work = async () => {
        for (const [index, entry] of waiting) found[index] = await one(entry)
      }
      await Promise.all(Array.from({ length: Math.min(CONCURRENCY, wanted.length) }, work))
      return found
    },
  }
}

function fieldsOf(
  { type, overview: text, tagline, genres }: WorkDetails,
  shown: Entry['type'],
  length: 'none' | 'short' | 'full',
): Description {
  return {
    overview: length === 'short' ? shortened(text) : text,
    tagline,
    genres,
    genre: genres[0] ?? null,
    resolved_type: type === 'movie' ? 'movie' : shown === 'anime' ? 'anime' : 'tv',
  }
}

function shortened(text: string): string {
  if (text.length <= SHORT) return text
  const cut = text.slice(0, SHORT - 1)
  return `${cut.slice(0, Math.max(cut.lastIndexOf(' '), 1)).trimEnd()}…`
}
