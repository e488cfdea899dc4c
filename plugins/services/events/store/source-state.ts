// Open items of the sync as events, so that an archive created later has them too.
import type { EventRecord, OpenItem, PairState, Remote, SyncService } from '@playhead/sdk'

export async function openRecords(sync: Remote<Pick<SyncService, 'open' | 'pairs'>>): Promise<readonly EventRecord[]> {
  const pairs = new Map((await sync.pairs()).map((pair) => [pair.id, pair]))
  const records: EventRecord[] = []
  for await (const page of sync.open({}))
    records.push(...page.flatMap((item) => recordsOf(item, pairs.get(item.pair_id))))
  return records
}

function recordsOf(open: OpenItem, pair: PairState | undefined): readonly EventRecord[] {
  const { item, key, provider, instance } = open
  const isSource = pair !== undefined && pair.source === provider && pair.source_instance === instance
  const base: Omit<EventRecord, 'type'> = {
    atMs: open.last_at_ms,
    run_id: open.run_id,
    feature: open.feature,
    operation: open.op,
    destination: { provider, instance },
    source_kind: 'json_import',
    reason_code: open.reason_code,
    item: {
      key,
      title: item.series_title ?? item.title ?? null,
      year: item.year ?? null,
      season: item.season ?? null,
      episode: item.episode ?? null,
      media_type: item.type,
    },
    detail: { attempts: open.attempts, consecutive: open.failures, first_at: Math.floor(open.first_at_ms / 1_000) },
    ...(pair === undefined
      ? {}
      : {
          pair_key: [pair.source, pair.target].sort().join('-'),
          source: isSource
            ? { provider: pair.target, instance: pair.target_instance }
            : { provider: pair.source, instance: pair.source_instance },
        }),
  }
  return [
    ...(open.failures > 0 ? [{ ...base, type: 'write_failed', severity: 'error' } as const] : []),
    { ...base, type: 'unresolved_recorded', severity: 'warn' },
    ...(open.quarantined ? [{ ...base, type: 'blackbox_promoted', severity: 'warn' } as const] : []),
  ]
}
