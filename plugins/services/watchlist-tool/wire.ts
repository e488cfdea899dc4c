// The list as it goes over the wire.
import type { WatchlistRow } from '@playhead/sdk'
import type { Describer } from './describe.ts'
import { inChunks } from './pause.ts'
import type { Source } from './row.ts'
import type { Entry, View } from './view.ts'

export interface Counts {
  readonly total: number
  readonly by_provider: Readonly<Record<string, number>>
  readonly by_status: Readonly<Record<string, number>>
  readonly by_type: Readonly<Record<string, number>>
}

const STALE_MS = 86_400_000
const ROWS_PER_PIECE = 200

interface ListOptions {
  readonly limit: number
  readonly nowMs: number
  readonly describer: Describer
}

/** The answer piece by piece: a list of many thousand rows must not stop everything else while it is written. */
export async function* writeList(view: View, { limit, nowMs, describer }: ListOptions): AsyncGenerator<string> {
  const counts = await countOf(view.entries)
  const shown = limit === 0 ? view.entries : view.entries.slice(0, limit)
  yield '{"ok":true,"items":['
  let separator = ''
  let enriched = 0
  for await (const part of inChunks(shown, ROWS_PER_PIECE)) {
    const descriptions = await describer.describe(part)
    enriched += descriptions.filter((one) => Object.keys(one).length > 0).length
    yield separator +
      part.map((entry, index) => JSON.stringify({ ...toRow(entry, nowMs), ...descriptions[index] })).join(',')
    separator = ','
  }
  const rest = {
    counts,
    last_sync_epoch: view.lastReadAtMs === null ? null : toSeconds(view.lastReadAtMs),
    missing_tmdb_key: !describer.isReady,
    meta_enriched: enriched,
  }
  yield `],${JSON.stringify(rest).slice(1)}`
}

export async function countOf(entries: readonly Entry[]): Promise<Counts> {
  const counts = { by_provider: {}, by_status: {}, by_type: {} } as Record<
    'by_provider' | 'by_status' | 'by_type',
    Record<string, number>
  >
  const count = (of: Record<string, number>, name: string) => {
    of[name] = (of[name] ?? 0) + 1
  }
  for await (const part of inChunks(entries)) {
    for (const entry of part) {
      const sources = sourcesOf(entry)
      for (const token of sources) count(counts.by_provider, token)
      count(counts.by_status, statusOf(sources))
      count(counts.by_type, entry.type)
    }
  }
  return { total: entries.length, ...counts }
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
    sources_by_provider: Object.fromEntries(
      sources.map((token) => [
        token,
        instancesOf(
          rows.map(({ source }) => source),
          token,
        ),
      ]),
    ),
    accounts: rows.map(({ source, key: own }) => ({
      provider: source.token,
      instance: source.instance,
      key: own,
      read_at: toSeconds(source.readAtMs),
      stale: nowMs - source.readAtMs > STALE_MS,
    })),
    added_epoch: added === null ? null : toSeconds(added.atMs),
    added_when: added?.text ?? null,
    added_src: added?.source.token ?? null,
    added_instance: added?.source.instance ?? null,
    categories: [],
  }
}

function partOf({ item }: Entry): Readonly<Record<string, unknown>> {
  const { season, episode } = item
  if (season === undefined) return {}
  const show = { show_ids: item.show_ids ?? {}, series_title: item.series_title ?? null }
  if (episode === undefined) return { ...show, season }
  return { ...show, season, episode, episode_label: `S${twoDigits(season)}E${twoDigits(episode)}` }
}

function sourcesOf({ rows }: Entry): readonly string[] {
  return [...new Set(rows.map(({ source }) => source.token))].sort()
}

function statusOf(sources: readonly string[]): string {
  return sources.length === 1 ? `${sources[0]}_only` : 'both'
}

function instancesOf(sources: readonly Source[], token: string): readonly string[] {
  const ids = [...new Set(sources.filter((source) => source.token === token).map(({ instance }) => instance))]
  return ids.sort((a, b) => (a === 'default' ? -1 : b === 'default' ? 1 : a < b ? -1 : 1))
}

function toSeconds(atMs: number): number {
  return Math.floor(atMs / 1_000)
}

function twoDigits(number: number): string {
  return String(number).padStart(2, '0')
}
