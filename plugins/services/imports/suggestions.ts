// Suggestions for titles without ids: works of the library with the same title, and a search of the metadata service. Only a
// person turns a suggestion into a match.
import { defined, type Logger, type WorkEpisode } from '@playhead/sdk'
import type { Ids } from '@playhead/sdk/items'
import { idCells } from '@playhead/sdk/importer'
import type { Parts } from './parts.ts'
import type { Choice } from './thread/choose.ts'
import type { Suggestion, TitleRow } from './thread/queries.ts'

const CONCURRENCY = 4
const MAX_FOUND = 8

/** The titles with their suggestions; missing ones are searched. */
export async function withSuggestions(
  { work, catalog, metadata }: Parts,
  importId: string,
  titles: readonly TitleRow[],
  log: Pick<Logger, 'warn'>,
): Promise<readonly TitleRow[]> {
  const missing = titles.filter(({ suggestions, choice }) => suggestions === null && choice === null)
  if (missing.length === 0) return titles
  const known = (await catalog()?.byTitle(missing.map(({ about }) => about.title))) ?? []
  const service = metadata()
  const isReady = (await service?.ready().catch(() => false)) ?? false
  const found = new Map<number, readonly Suggestion[]>()
  const waiting = missing.entries()
  await Promise.all(
    Array.from({ length: Math.min(CONCURRENCY, missing.length) }, async () => {
      for (const [index, { title, about }] of waiting) {
        const own = (known[index] ?? [])
          .filter(({ type }) => about.type === 'unknown' || type === about.type)
          .map((one): Suggestion => ({ ...one, source: 'library' }))
        let searched: readonly Suggestion[] | undefined
        try {
          if (isReady && service !== undefined) searched = await search(service, about)
        } catch (error) {
          log.warn({ err: error }, 'suggestions for a title could not be looked up')
        }
        const all = unite([...sorted(own, about.year), ...(searched ?? [])]).slice(0, MAX_FOUND)
        found.set(title, all)
        // Without a search result they are searched again the next time.
        if (searched !== undefined) await work.setSuggestions(importId, title, all)
      }
    }),
  )
  return titles.map((row) => ({ ...row, suggestions: found.get(row.title) ?? row.suggestions }))
}

async function search(
  service: NonNullable<ReturnType<Parts['metadata']>>,
  { type, title, year }: TitleRow['about'],
): Promise<readonly Suggestion[]> {
  const { imdb } = idCells({ imdb: /^tt\d+$/.test(title) ? title : '' })
  if (imdb !== undefined) {
    const works = await Promise.all(
      (['movie', 'show'] as const).map((kind) => service.details({ type: kind, ids: { imdb } })),
    )
    return works.flatMap((work) =>
      work === undefined
        ? []
        : [{ type: work.type, ids: work.ids, title: work.title, year: work.year, source: 'metadata' as const }],
    )
  }
  const works = await service.search(title, {
    ...(type === 'unknown' ? {} : { type }),
    ...defined({ year: year ?? undefined }),
    limit: MAX_FOUND,
  })
  return works.map((work) => ({
    type: work.type,
    ids: { tmdb: work.tmdb },
    title: work.title,
    year: work.year,
    source: 'metadata',
  }))
}

/** Works of the same year first. */
function sorted(works: readonly Suggestion[], year: number | null): readonly Suggestion[] {
  return works.toSorted((a, b) => Number(b.year === year) - Number(a.year === year))
}

function unite(works: readonly Suggestion[]): readonly Suggestion[] {
  const isSame = (a: Suggestion, b: Suggestion) =>
    a.type === b.type && Object.entries(a.ids).some(([scheme, id]) => b.ids[scheme as keyof Ids] === id)
  return works.filter((work, index) => works.findIndex((one) => isSame(one, work)) === index)
}

/** The choice with all ids of the work, and the episodes of a show whose rows have only titles. */
export async function completeChoice(
  { work, metadata }: Parts,
  importId: string,
  title: number,
  choice: Choice,
  log: Pick<Logger, 'warn'>,
): Promise<{ readonly choice: Choice; readonly episodes?: readonly WorkEpisode[] }> {
  const service = metadata()
  if (service === undefined || !(await service.ready().catch(() => false))) return { choice }
  try {
    const needsEpisodes = choice.type === 'show' && (await work.namesEpisodes(importId, title))
    const [ids, episodes] = await Promise.all([
      service.identify({ type: choice.type, ids: choice.ids }),
      needsEpisodes ? service.episodes(choice.ids) : undefined,
    ])
    return {
      // Contradicting ids would identify another work.
      choice: ids === undefined ? choice : { ...choice, ids: { ...ids, ...choice.ids } },
      ...defined({ episodes }),
    }
  } catch (error) {
    log.warn({ err: error }, 'a chosen work could not be looked up')
    return { choice }
  }
}
