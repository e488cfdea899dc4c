// Completes a title from the metadata service: ids that some accounts need, its name, its dates. Values from the client are kept.
import {
  defined,
  type Logger,
  type Metadata,
  PlayheadError,
  type Remote,
  withTimeLimit,
  type WorkEpisode,
} from '@playhead/sdk'
import type { Work } from './order.ts'

type Source = Pick<Remote<Metadata>, 'ready' | 'details' | 'episodes'>

export interface Resolved {
  readonly item: Work
  /** Release date of the movie or show: `2026-07-01`; null if unknown. */
  readonly released: string | null
}

export interface Resolver {
  resolve(item: Work): Promise<Resolved>
  /** Episodes of a show or of one of its seasons; undefined if unknown. */
  episodes(item: Work): Promise<readonly WorkEpisode[] | undefined>
}

const LIMIT_MS = 10_000

export function createResolver(source: () => Source | undefined, log: Logger): Resolver {
  /** Without the service, or if it fails, the title stays unchanged. */
  async function ask<Value>(question: (metadata: Source) => Promise<Value>): Promise<Value | undefined> {
    const metadata = source()
    if (metadata === undefined) return undefined
    const answer = async () => ((await metadata.ready()) ? question(metadata) : undefined)
    const tooLong = () => new PlayheadError('PLH_UPSTREAM_TIMEOUT', 'The metadata service took too long.')
    try {
      return await withTimeLimit(answer(), LIMIT_MS, tooLong)
    } catch (error) {
      log.info({ err: error }, 'a title could not be looked up')
      return undefined
    }
  }

  return {
    async resolve(item) {
      const isPart = item.type === 'season' || item.type === 'episode'
      const given = (isPart ? item.show_ids : item.ids) ?? {}
      const details = await ask((metadata) => metadata.details({ type: isPart ? 'show' : kindOf(item), ids: given }))
      if (details === undefined) return { item, released: null }
      const { title, year, released } = details
      const ids = { ...details.ids, ...given }
      if (!isPart)
        return {
          item: {
            ...item,
            ...(item.title == null && title !== '' ? { title } : {}),
            ...(item.year == null && year !== null ? { year } : {}),
            ids,
          },
          released,
        }
      return {
        item: {
          ...item,
          ...(item.series_title == null && title !== '' ? { series_title: title } : {}),
          ...defined({ series_year: year ?? undefined }),
          show_ids: ids,
        },
        released,
      }
    },
    episodes({ type, ids, show_ids: showIds = {}, season }) {
      return ask((metadata) =>
        type === 'show' ? metadata.episodes(ids) : metadata.episodes(showIds, season === undefined ? {} : { season }),
      )
    },
  }
}

function kindOf({ type }: Work): 'movie' | 'show' {
  return type === 'movie' ? 'movie' : 'show'
}
