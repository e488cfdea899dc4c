// Suggestions of ids for a row: of other rows of the same work, linked by ids or by title, of the metadata service by ids and by title, and of the
// anime mapping. Nothing is changed.
import {
  ANIME_MAPPING,
  defined,
  type Ids,
  type Item,
  METADATA,
  type PluginContext,
  type WorkSummary,
} from '@playhead/sdk'
import { isAnime, plainTitle } from '@playhead/sdk/items'
import { idField, rekeyed } from './ids.ts'

interface Suggestion {
  readonly ids: Readonly<Record<string, string>>
  readonly show_ids?: Readonly<Record<string, string>>
  readonly title: string | null
  readonly year: number | null
  readonly type: string
  readonly season?: number
  readonly episode?: number
  readonly source: 'peer' | 'alias' | 'metaA' | 'anime_mapping'
  readonly confidence: number
  readonly reason: string
  readonly conflicts: readonly string[]
  readonly new_key: string
  readonly fix: { readonly type: 'patch'; readonly ids: Readonly<Record<string, string>>; readonly rekey: boolean }
}

const MAX = 10
const LINKED = 0.95
const ALIAS = 0.9
const SAME_TITLE = 0.8
const EXACT = 0.9
const MAPPED = 0.9
const TITLE_ONLY = 0.6

export async function suggest(
  ctx: PluginContext,
  { key, item }: { readonly key: string; readonly item: Item },
  {
    peers,
    aliases,
    namesakes,
  }: {
    readonly peers: readonly { readonly row?: { readonly item: Item } }[]
    readonly aliases: readonly { readonly item: Item }[]
    readonly namesakes: readonly { readonly item: Item }[]
  },
): Promise<{ readonly suggestions: readonly Suggestion[]; readonly needs: readonly string[] }> {
  const found: Suggestion[] = []
  const field = idField(item)
  const isPart = field === 'show_ids'
  for (const { row } of peers)
    if (row !== undefined) add(row.item, 'peer', LINKED, 'An account that has the item knows these ids.')
  for (const one of aliases) add(one.item, 'alias', ALIAS, 'A row that shares an id with it has these ids, too.')
  for (const one of namesakes) add(one.item, 'peer', SAME_TITLE, 'A row with the same title, year and type.')
  const needs: string[] = []
  const title = (item.series_title ?? item.title ?? '').trim()
  const year = item.series_title == null ? (item.year ?? null) : (item.series_year ?? null)
  if (title === '') needs.push('title')
  if (year === null) needs.push('year')
  const work = {
    type: isPart || item.type !== 'movie' ? ('show' as const) : ('movie' as const),
    ids: item[field] ?? {},
  }
  const metadata = ctx.tryUse(METADATA)
  if (metadata === undefined || (await orNothing(metadata.ready())) !== true) needs.push('metadata_key')
  else {
    const ids = await orNothing(metadata.identify(work))
    if (ids !== undefined) addIds(ids, 'metaA', LINKED, 'The metadata service knows the work by its ids.')
    const options = { type: work.type, limit: MAX }
    if (title !== '') (await orNothing(metadata.search(title.slice(0, 200), options)))?.forEach(addWork)
  }
  if (isAnime(item)) {
    const mapping = ctx.tryUse(ANIME_MAPPING)
    if (mapping === undefined || (await orNothing(mapping.revision())) == null) needs.push('anime_index')
    else {
      const [mapped] = (await orNothing(mapping.enrich([isPart ? work : item]))) ?? []
      if (mapped !== undefined) addIds(mapped.ids, 'anime_mapping', MAPPED, 'The anime mapping knows these ids.')
    }
  }

  function addIds(ids: Ids, source: Suggestion['source'], confidence: number, reason: string): void {
    add({ ...item, [field]: ids }, source, confidence, reason)
  }

  function add(other: Item, source: Suggestion['source'], confidence: number, reason: string): void {
    const own = (item[field] ?? {}) as Readonly<Record<string, string>>
    const theirs = (other[field] ?? {}) as Readonly<Record<string, string>>
    const fresh = Object.fromEntries(Object.entries(theirs).filter(([scheme, id]) => own[scheme] !== id))
    if (Object.keys(fresh).length === 0) return
    const conflicts = Object.keys(fresh).filter((scheme) => own[scheme] !== undefined)
    const merged: Item = { ...item, [field]: { ...own, ...fresh } }
    found.push({
      ids: isPart ? {} : fresh,
      ...(isPart ? { show_ids: fresh } : {}),
      title: other.series_title ?? other.title ?? null,
      year: other.series_year ?? other.year ?? null,
      type: item.type,
      ...defined({ season: item.season, episode: item.episode }),
      source,
      confidence: conflicts.length > 0 ? confidence / 2 : confidence,
      reason,
      conflicts,
      new_key: rekeyed(merged, key) ?? key,
      fix: { type: 'patch', ids: fresh, rekey: true },
    })
  }

  function addWork({ type, tmdb, title: name, year: released }: WorkSummary): void {
    const isSame = plainTitle(name) === plainTitle(title)
    const isNear = year !== null && released !== null && Math.abs(released - year) <= 1
    if (!isSame) return
    const other: Item = { type, title: name, year: released, ids: { tmdb } }
    const stands: Item = isPart ? { ...item, series_title: name, series_year: released, show_ids: { tmdb } } : other
    add(
      stands,
      'metaA',
      isNear ? EXACT : TITLE_ONLY,
      isNear ? 'The same title and year.' : 'The same title; the year differs or is not known.',
    )
  }

  const seen = new Set<string>()
  return {
    suggestions: found
      .sort((a, b) => b.confidence - a.confidence)
      .filter((one) => {
        const name = JSON.stringify([one.ids, one.show_ids])
        return seen.has(name) ? false : seen.add(name)
      })
      .slice(0, MAX),
    needs,
  }
}

/** Suggestions of other rows must not depend on a failing service. */
async function orNothing<Answer>(asked: Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await asked
  } catch {
    return undefined
  }
}
