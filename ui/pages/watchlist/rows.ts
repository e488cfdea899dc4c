// The rows of the watchlist with precomputed search and sort values, built in batches to keep the page responsive.
import { foldText } from '../../../sdk/items/text.ts'
import { type Answer, request } from '../../api/client.ts'
import { pictureOf, type Pictured } from '../../parts/titles/pictures.ts'

type Item = Answer<'GET /api/watchlist'>['items'][number]

export interface Row {
  readonly key: string
  readonly title: string
  readonly year: number | null
  readonly kind: string
  /** Tokens of the services. */
  readonly sources: readonly string[]
  readonly addedMs: number | null
  /** Folded, for search and sort. */
  readonly plain: string
  readonly poster: string | null
  readonly item: Item
}

export interface List {
  readonly rows: readonly Row[]
  readonly kinds: readonly string[]
  readonly sources: readonly string[]
  readonly years: readonly number[]
  readonly readAtMs: number | null
}

const PIECE = 500

export async function readList(untitled: string, signal: AbortSignal): Promise<List> {
  const {
    items,
    counts,
    last_sync_epoch: readAt,
  } = (await request('GET', '/api/watchlist', { query: { limit: 0 }, signal })) as Answer<'GET /api/watchlist'>
  const rows: Row[] = []
  const years = new Set<number>()
  for (const [index, item] of items.entries()) {
    if (index % PIECE === PIECE - 1) await pause()
    if (item.year !== null) years.add(item.year)
    rows.push(toRow(item, untitled))
  }
  return {
    rows,
    kinds: Object.keys(counts.by_type).sort(),
    sources: Object.keys(counts.by_provider).sort(),
    years: [...years].sort((a, b) => b - a),
    readAtMs: readAt === null ? null : readAt * 1000,
  }
}

function toRow(item: Item, untitled: string): Row {
  const { key, title, year, type, sources, added_epoch: added, series_title: series, episode_label: episode } = item
  const name = [series, episode, title].filter((part): part is string => typeof part === 'string' && part !== '')
  const shown = name.filter((part, index) => name.indexOf(part) === index).join(' · ') || untitled
  const isPart = type === 'season' || type === 'episode'
  return {
    key,
    title: shown,
    year,
    kind: type,
    sources,
    addedMs: added === null ? null : added * 1000,
    plain: foldText(shown),
    poster: pictureOf({ kind: type, ids: (isPart ? (item['show_ids'] ?? {}) : item.ids) as Pictured['ids'] }, 342),
    item,
  }
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve))
}
