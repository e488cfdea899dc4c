// Title search among the rows of the accounts, for installations without a TMDB key. Works without ids are left out, because a
// title alone cannot be used for any action.
import type { Feature, LibraryService, Remote } from '@playhead/sdk'
import { contradicts, type Ids, type Item, kindOf, mergeIds, tokensOf } from '@playhead/sdk/items'
import { looseTitle } from './titles.ts'

interface LibraryHit {
  readonly type: 'movie' | 'show'
  readonly title: string
  readonly year: number | null
  readonly ids: Ids
}

interface LibraryQuery {
  readonly kind: 'movie' | 'tv' | 'multi'
  readonly title: string
  readonly year?: number
  readonly limit: number
}

/** Best match first. Undefined if no account was read yet. */
export type LibrarySearch = (query: LibraryQuery) => Promise<readonly LibraryHit[] | undefined>

type Source = Pick<Remote<LibraryService>, 'holdings' | 'revision' | 'mergedItems'>

interface Work extends LibraryHit {
  readonly text: string
}

const FEATURES: readonly Feature[] = ['history', 'watchlist', 'ratings']
const KEEP_MS = 600_000

export function createLibrarySearch(library: () => Source | undefined): LibrarySearch {
  let kept: { readonly revision: string; readonly works: Promise<readonly Work[]> } | undefined
  let timer: NodeJS.Timeout | undefined

  async function worksOf(source: Source): Promise<readonly Work[]> {
    const revision = (await Promise.all(FEATURES.map((feature) => source.revision({ feature })))).join(' ')
    if (kept?.revision !== revision) {
      const own = { revision, works: collect(source) }
      kept = own
      own.works.catch(() => {
        if (kept === own) kept = undefined
      })
    }
    clearTimeout(timer)
    timer = setTimeout(() => (kept = undefined), KEEP_MS)
    timer.unref()
    return kept.works
  }

  return async ({ kind, title, year, limit }) => {
    const source = library()
    if (source === undefined) return undefined
    const holdings = (await Promise.all(FEATURES.map((feature) => source.holdings(feature)))).flat()
    if (!holdings.some(({ readAtMs }) => readAtMs !== null)) return undefined
    const wanted = looseTitle(title)
    if (wanted === '') return []
    const type = kind === 'movie' ? 'movie' : kind === 'tv' ? 'show' : undefined
    const rank = ({ text }: Work) => (text === wanted ? 0 : text.startsWith(wanted) ? 1 : 2)
    return (await worksOf(source))
      .filter((work) => work.text.includes(wanted) && (type === undefined || work.type === type))
      .filter((work) => year === undefined || work.year === null || work.year === year)
      .sort((a, b) => rank(a) - rank(b) || (b.year ?? 0) - (a.year ?? 0) || (a.text < b.text ? -1 : 1))
      .slice(0, limit)
      .map(({ text: _text, ...hit }) => hit)
  }
}

async function collect(source: Source): Promise<readonly Work[]> {
  const works = new Set<{ item: Item }>()
  const byToken = new Map<string, { item: Item }>()
  for (const feature of FEATURES) {
    for await (const page of source.mergedItems({ feature })) {
      for (const { item } of page) {
        const work = workOf(item)
        if (work === undefined || tokensOf(work, { within: 'provider' }).length === 0) continue
        const tokens = tokensOf(work)
        const known = tokens.map((token) => byToken.get(token)).find((each) => each !== undefined)
        const entry = known !== undefined && !contradicts(known.item, work) ? known : { item: work }
        if (entry === known) {
          const { ids } = mergeIds(known.item.ids, work.ids)
          known.item = {
            ...work,
            ...known.item,
            title: known.item.title ?? work.title,
            year: known.item.year ?? work.year,
            ids,
          }
        } else works.add(entry)
        for (const token of tokens) if (!byToken.has(token)) byToken.set(token, entry)
      }
    }
  }
  return [...works].flatMap(({ item: { type, title, year, ids } }): Work[] => {
    const text = looseTitle(title ?? '')
    return text === '' ? [] : [{ type: type as Work['type'], title: title ?? '', year: year ?? null, ids, text }]
  })
}

/** The movie, or the show of an episode or season. */
function workOf(item: Item): Item | undefined {
  const kind = kindOf(item)
  if (kind === 'movie' || kind === 'show')
    return { type: kind, title: item.title ?? null, year: item.year ?? null, ids: item.ids }
  if (item.show_ids === undefined) return undefined
  return { type: 'show', title: item.series_title ?? null, year: item.series_year ?? null, ids: item.show_ids }
}
