// Records additions of runs to histories as activity.
import {
  type ActivityEntry,
  type ActivityLog,
  type AppliedOperation,
  defined,
  type Remote,
  type RunSummary,
  type SyncService,
} from '@playhead/sdk'
import { kindOf, parseTime, tokensOf } from '@playhead/sdk/items'

/** Idempotent: each entry has its own id. */
export async function recordRun(
  run: RunSummary,
  sync: Pick<Remote<SyncService>, 'applied'>,
  log: Pick<ActivityLog, 'record'>,
  signal: AbortSignal,
): Promise<void> {
  const added = run['features'] as { readonly history?: { readonly added?: number } } | undefined
  if ((added?.history?.added ?? 0) === 0) return
  for await (const page of sync.applied(run.run_id)) {
    signal.throwIfAborted()
    await log.record(page.flatMap((operation) => entryOf(operation) ?? []))
  }
}

function entryOf({
  run_id,
  feature,
  op,
  key,
  item,
  source,
  target,
  atMs,
}: AppliedOperation): ActivityEntry | undefined {
  const kind = kindOf(item)
  if (feature !== 'history' || op !== 'add' || (kind !== 'movie' && kind !== 'episode')) return undefined
  const isEpisode = kind === 'episode'
  const watchedAtMs = parseTime(item.watched_at)?.atMs
  const fanoutId = [
    'sync',
    run_id,
    source.provider,
    source.instance,
    tokensOf(item)[0] ?? key,
    item.watched_at ?? '',
  ].join('|')
  return {
    id: `${fanoutId}|${target.provider}|${target.instance}`,
    fanout_id: fanoutId,
    kind: 'history_sync',
    event: 'history_add',
    source: source.provider,
    source_instance: source.instance,
    target: target.provider,
    target_instance: target.instance,
    media_type: kind,
    title: (isEpisode ? item.series_title : null) ?? item.title ?? null,
    year: (isEpisode ? item.series_year : null) ?? item.year ?? null,
    ...(isEpisode && item.season !== undefined ? { season: item.season } : {}),
    ...(isEpisode && item.episode !== undefined ? { episode: item.episode } : {}),
    ...defined({ watchedAtMs }),
    capturedAtMs: atMs,
    ids: (isEpisode ? item.show_ids : undefined) ?? item.ids,
  }
}
