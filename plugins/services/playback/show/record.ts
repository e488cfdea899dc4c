// Positions in the form of the response.
import { type Ids, type Item, kindOf, minimise, partOf } from '@playhead/sdk/items'
import { blockersOf, maxPercentOf, MIN_PERCENT } from '../act/abilities.ts'
import type { ProgressItem, ProgressRecord } from '../answers.ts'
import { artIdOf, titleOf } from '../read/entry.ts'
import type { Group, Place } from './group.ts'
import type { LiveOf } from './live.ts'
import { remainingOf } from './query.ts'

interface RecordOptions {
  readonly liveOf: LiveOf
  readonly hasArt: boolean
}

export function toRecord(
  { profile, entry, readAtMs, isOld }: Place,
  { liveOf, hasArt }: RecordOptions,
): ProgressRecord {
  const { item, percent, durationMs, rating } = entry
  const isEpisode = kindOf(item) === 'episode'
  const part = partOf(item)
  const art = hasArt ? artIdOf(item) : undefined
  const blockers = blockersOf(profile, entry)
  const artPath = (query: string) => (art === undefined ? null : `/art/metaA/${art.kind}/${art.tmdb}?${query}`)
  return {
    provider: profile.provider,
    provider_label: profile.label,
    instance_id: profile.instance,
    instance_label: profile.instanceLabel,
    remote_id: entry.remoteId,
    canonical_key: entry.canonicalKey,
    media_type: entry.mediaType,
    title: titleOf(item) ?? null,
    series_title: (isEpisode ? item.series_title : undefined) ?? null,
    episode_title: (isEpisode ? item.title : undefined) ?? null,
    season: part?.season ?? null,
    episode: part?.episode ?? null,
    year: (isEpisode ? item.series_year : undefined) ?? item.year ?? null,
    ids: texts(item.ids),
    progress_percent: percent,
    duration_seconds: durationMs === null ? null : Math.round(durationMs / 1_000),
    remaining_seconds: remainingOf({ entry }),
    progress_at: isoTime(entry.progressAtMs),
    updated_at: isoTime(entry.updatedAtMs),
    source_app: null,
    source_device: null,
    rating,
    poster_url: artPath('size=w342'),
    backdrop_url: artPath('kind=backdrop&size=w780'),
    can_remove_progress: blockers.remove_progress === undefined,
    can_mark_watched: blockers.mark_watched === undefined,
    can_update_progress: blockers.update_progress === undefined,
    editable_progress_min_percent: MIN_PERCENT,
    editable_progress_max_exclusive: maxPercentOf(profile, entry),
    capability_messages: [...new Set(Object.values(blockers).flatMap((blocker) => blocker?.message ?? []))],
    provider_metadata: { show_ids: texts(item.show_ids), progress_item: minimise(item) },
    stale: isOld,
    read_at: isoTime(readAtMs),
    ...liveFields(liveOf(profile, entry), durationMs),
  }
}

/** The row of a title: the newest position, completed from the others. */
export function toItem(group: Group, options: RecordOptions): ProgressItem {
  const records = group.map((place) => toRecord(place, options))
  const first = records[0] as ProgressRecord
  const providers = records.map(({ provider, provider_label, instance_id, instance_label }) => ({
    provider,
    provider_label,
    instance_id,
    instance_label,
  }))
  const isCombined = records.length > 1
  const single = { records, providers, provider_count: providers.length, is_combined: isCombined }
  if (!isCombined) return { ...first, ...single }
  const inOrder = records.toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1))
  const some = (name: keyof ProgressRecord) => inOrder.find((record) => record[name] !== null)?.[name] ?? null
  const ratings = records.flatMap(({ rating }) => rating ?? [])
  const art = { poster_url: some('poster_url') as string | null, backdrop_url: some('backdrop_url') as string | null }
  return {
    ...first,
    ...liveOfRecords(records),
    provider: 'combined',
    provider_label: [...new Set(inOrder.map((record) => record.provider_label))].join(', '),
    instance_id: 'all',
    instance_label: 'all',
    remote_id: inOrder.map(nameOf).join('|'),
    title: (first.title ?? some('title')) as string | null,
    episode_title: (first.episode_title ?? some('episode_title')) as string | null,
    year: (first.year ?? some('year')) as number | null,
    ids: Object.assign({}, ...records.toReversed().map(({ ids }) => ids)) as Record<string, string>,
    rating: ratings.length === 0 ? null : Math.max(...ratings),
    ...art,
    can_remove_progress: records.some((record) => record.can_remove_progress),
    can_mark_watched: records.some((record) => record.can_mark_watched),
    can_update_progress: records.some((record) => record.can_update_progress),
    editable_progress_max_exclusive: Math.min(...records.map((record) => record.editable_progress_max_exclusive)),
    capability_messages: [...new Set(records.flatMap((record) => record.capability_messages))],
    records: records.map((record) => ({ ...record, ...art })),
    providers,
    provider_count: providers.length,
    is_combined: true,
  }
}

const RANK = { playing: 0, buffering: 1, paused: 2 } as const

function liveOfRecords(records: readonly ProgressRecord[]): Partial<ProgressRecord> {
  const [best] = records
    .filter(({ live_state: state }) => state !== undefined)
    .sort((a, b) => RANK[a.live_state!] - RANK[b.live_state!])
  return best === undefined
    ? {}
    : (Object.fromEntries(Object.entries(best).filter(([name]) => name.startsWith('live_'))) as Partial<ProgressRecord>)
}

function liveFields(stream: ReturnType<LiveOf>, durationMs: number | null): Partial<ProgressRecord> {
  if (stream === undefined) return {}
  const { progress } = stream
  const length = typeof stream['duration_ms'] === 'number' ? stream['duration_ms'] : durationMs
  return {
    live_state: stream.state,
    live_source: stream.source,
    live_provider: stream.provider,
    live_instance_id: stream.provider_instance,
    live_updated: stream.updated,
    live_started: stream.started,
    live_progress_percent: progress,
    live_remaining_seconds:
      progress === null || length === null ? null : Math.max(0, Math.round((length * (100 - progress)) / 100_000)),
  }
}

function nameOf({ provider, instance_id: instance, remote_id: id }: ProgressRecord): string {
  return `${provider}:${instance}:${id}`
}

function texts(ids: Ids | Item['ids'] | undefined): Record<string, string> {
  return { ...ids } as Record<string, string>
}

export function isoTime(atMs: number | null): string | null {
  return atMs === null ? null : new Date(atMs).toISOString()
}
