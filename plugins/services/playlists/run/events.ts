// Reports of runs to other plugins and to the event archive.
import { defined, EVENT_ARCHIVE, type EventRecord, isPlayheadError, type Item } from '@playhead/sdk'
import type { Parts } from '../parts.ts'
import type { Planned } from './planner.ts'
import type { Sent } from './plan-view.ts'
import type { Result } from '../contract.ts'

/** Records the items that the list confirmed. */
export async function recordSent(
  { ctx, now }: Parts,
  { mapping, source, targets }: Planned,
  { list, plan, outcomes }: Pick<Sent, 'list' | 'plan' | 'outcomes'>,
  runId?: string,
): Promise<void> {
  const archive = ctx.tryUse(EVENT_ARCHIVE)
  if (archive === undefined) return
  const isSource = source.endpoint.id === list
  const target = targets.find(({ endpoint }) => endpoint.id === list) ?? targets[0]!
  const [from, to] = isSource ? [targets[0]!.endpoint, source.endpoint] : [source.endpoint, target.endpoint]
  const atMs = now()
  const items = new Map<string, Item>(
    [...plan.adds.map((one) => ['add', one] as const), ...plan.removes.map((one) => ['remove', one] as const)].map(
      ([op, { key, item }]) => [`${op} ${key}`, item] as const,
    ),
  )
  const records = outcomes.flatMap(({ op, key, outcome }): EventRecord[] => {
    const item = items.get(`${op} ${key}`)
    if (outcome !== 'applied' || item === undefined || op === 'update') return []
    return [
      {
        type: `playlist_${op}`,
        domain: 'sync',
        atMs,
        feature: 'playlists',
        operation: op,
        pair_key: mapping.id,
        direction: isSource ? 'b_to_a' : 'a_to_b',
        source: { provider: from.provider, instance: from.instance },
        destination: { provider: to.provider, instance: to.instance },
        item: { key, ...named(item) },
        detail: { target_playlist: to.playlist_name, mapping: mapping.id },
        ...defined({ run_id: runId }),
      },
    ]
  })
  if (records.length > 0) await archive.record(records)
}

function named({ type, title, series_title: series, year, season, episode }: Item) {
  return {
    title: series ?? title ?? null,
    year: year ?? null,
    media_type: type,
    season: season ?? null,
    episode: episode ?? null,
  }
}

/** Reports the end of a mapping's run to listeners and the log. */
export function announce({ ctx, log }: Parts, name: string, result: Result): void {
  const { mapping_id: mapping, added, removed, reordered, unresolved_count: unresolved = 0, error, warnings } = result
  const facts = { mapping_id: mapping, added, removed, reordered, unresolved, ...defined({ error }) }
  const blocked = result.blocked_removals ?? 0
  if (result.dry_run) ctx.events.emit('playlist.dry_run', facts)
  else if (error !== undefined) ctx.events.emit('playlist.mapping_error', facts)
  else ctx.events.emit('playlist.done', facts)
  if (error === 'capacity_exceeded')
    ctx.events.emit('playlist.capacity', { mapping_id: mapping, overflow: result['overflow_count'] ?? 0 })
  if (warnings?.includes('mass_delete_blocked') === true)
    ctx.events.emit('playlist.mass_delete_blocked', { mapping_id: mapping, attempted: blocked })
  const line = { mapping, name, ...facts, ...(blocked > 0 ? { blocked } : {}), dry_run: result.dry_run }
  if (error !== undefined) log.warn(line, 'a mapping of playlists could not run')
  else if (result.partial) log.warn(line, 'a mapping of playlists ran, and something is left')
  else if (added + removed + reordered > 0) log.info(line, 'a mapping of playlists ran')
  else log.debug(line, 'a mapping of playlists had nothing to do')
}

/** An error text for people, without text of the service. */
export function messageOf(error: unknown): string {
  return isPlayheadError(error) ? error.message : 'Something unexpected happened; the log has more.'
}
