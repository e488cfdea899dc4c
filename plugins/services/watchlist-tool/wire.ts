// The watchlist response format.
import type { UnitedCounts, MergedItem, WatchlistRow } from '@playhead/sdk'
import { episodeCode } from '@playhead/sdk/items'
import type { Describer } from './describe.ts'
import { type Entry, type EntryRow, type TokenOf, toEntry } from './entry.ts'

interface Counts {
  readonly total: number
  readonly by_provider: Readonly<Record<string, number>>
  readonly by_status: Readonly<Record<string, number>>
  readonly by_type: Readonly<Record<string, number>>
}

const DAY_MS = 86_400_000

/** The account is shown as out of date. */
export function isStale(readAtMs: number, nowMs: number): boolean {
  return nowMs - readAtMs > DAY_MS
}

interface ListOptions {
  readonly counts: UnitedCounts
  readonly pages: AsyncIterable<readonly MergedItem[]>
  readonly tokenOf: TokenOf
  readonly nowMs: number
  readonly describer: Describer
}

/** Streams the response: a list may have many thousand rows. */
export async function* writeList({ counts, pages, tokenOf, nowMs, describer }: ListOptions): AsyncGenerator<string> {
  yield '{"ok":true,"items":['
  let separator = ''
  let enriched = 0
  for await (const page of pages) {
    const entries = page.map((item) => toEntry(item, tokenOf))
    const descriptions = await describer.describe(entries)
    enriched += descriptions.filter((one) => Object.keys(one).length > 0).length
    yield separator +
      entries.map((entry, index) => JSON.stringify({ ...toRow(entry, nowMs), ...descriptions[index] })).join(',')
    separator = ','
  }
  const rest = {
    counts: countsOf(counts, tokenOf),
    last_sync_epoch: counts.lastReadAtMs === null ? null : toSeconds(counts.lastReadAtMs),
    missing_tmdb_key: !describer.isReady,
    meta_enriched: enriched,
  }
  yield `],${JSON.stringify(rest).slice(1)}`
}

function countsOf({ total, held }: UnitedCounts, tokenOf: TokenOf): Counts {
  const counts = { by_provider: {}, by_status: {}, by_type: {} } as Record<
    'by_provider' | 'by_status' | 'by_type',
    Record<string, number>
  >
  const add = (of: Record<string, number>, name: string, count: number) => {
    of[name] = (of[name] ?? 0) + count
  }
  for (const { providers, type, count } of held) {
    const tokens = [...new Set(providers.map(tokenOf))]
    for (const token of tokens) add(counts.by_provider, token, count)
    add(counts.by_status, statusOf(tokens), count)
    add(counts.by_type, type, count)
  }
  return { total, ...counts }
}

export function toRow(entry: Entry, nowMs: number): WatchlistRow {
  const { key, item, type, added, rows } = entry
  const sources = sourcesOf(entry)
  const tmdb = item.ids.tmdb ?? item.show_ids?.tmdb
  return {
    key,
    aliases: [...new Set(rows.map((row) => row.key))],
    type,
    title: item.title ?? null,
    year: item.year ?? null,
    ids: item.ids,
    tmdb: tmdb === undefined ? null : Number(tmdb),
    ...partOf(entry),
    status: statusOf(sources),
    sources,
    sources_by_provider: Object.fromEntries(sources.map((token) => [token, instancesOf(rows, token)])),
    accounts: rows.map(({ token, instance, key: own, readAtMs }) => ({
      provider: token,
      instance,
      key: own,
      read_at: toSeconds(readAtMs),
      stale: isStale(readAtMs, nowMs),
    })),
    added_epoch: added === null ? null : toSeconds(added.atMs),
    added_when: added?.text ?? null,
    added_src: rows.find(({ provider }) => provider === added?.provider)?.token ?? null,
    added_instance: added?.instance ?? null,
    categories: [],
  }
}

function partOf({ item }: Entry): Readonly<Record<string, unknown>> {
  const { season, episode } = item
  if (season === undefined) return {}
  const show = { show_ids: item.show_ids ?? {}, series_title: item.series_title ?? null }
  if (episode === undefined) return { ...show, season }
  return { ...show, season, episode, episode_label: episodeCode(item) }
}

function sourcesOf({ rows }: Entry): readonly string[] {
  return [...new Set(rows.map(({ token }) => token))].sort()
}

function statusOf(sources: readonly string[]): string {
  return sources.length === 1 ? `${sources[0]}_only` : 'both'
}

function instancesOf(rows: readonly EntryRow[], token: string): readonly string[] {
  const ids = [...new Set(rows.filter((row) => row.token === token).map(({ instance }) => instance))]
  return ids.sort((a, b) => (a === 'default' ? -1 : b === 'default' ? 1 : a < b ? -1 : 1))
}

function toSeconds(atMs: number): number {
  return Math.floor(atMs / 1_000)
}
