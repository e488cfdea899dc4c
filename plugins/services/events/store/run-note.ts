// Summarizes a run in one line, for people and for the search.
import type { EventRecord } from '@playhead/sdk'

/** Null for facts that say nothing about the result of the run. */
export function runNote({ type, detail = {} }: Pick<EventRecord, 'type' | 'detail'>): string | null {
  if (type === 'sync_run_started') return detail['dry_run'] === true ? 'Dry run started' : 'Run started'
  if (type !== 'sync_run_finished') return null
  const count = (name: string) => Number(detail[name] ?? 0)
  const name = detail['dry_run'] === true ? 'Dry run' : 'Run'
  const { result } = detail
  const open = Math.max(0, count('unresolved') - count('not_in_library'))
  const how =
    result === 'crashed'
      ? 'was cut off'
      : detail['cancelled'] === true
        ? 'was cancelled'
        : result === 'failed'
          ? 'failed'
          : count('errors') > 0
            ? 'completed with errors'
            : result === 'partial' || open + count('held') > 0
              ? 'completed with issues'
              : result === 'skipped'
                ? 'had nothing to run'
                : 'completed successfully'
  const counts = (['added', 'removed', 'updated', 'errors', 'unresolved', 'held'] as const)
    .map((field) => [field, field === 'unresolved' ? open : count(field)] as const)
    .filter(([, n]) => n > 0)
    .map(([field, n]) => `${n} ${field}`)
  const left = Object.values((detail['not_undone'] ?? {}) as Readonly<Record<string, number>>)
  if (left.length > 0) counts.push(`${left.reduce((all, n) => all + n, 0)} not undone`)
  return [`${name} ${how}`, ...(counts.length === 0 ? [] : [counts.join(', ')])].join(': ')
}
