// The status of a group of events. A run has the status of its own page, which the archive does not store.
import { useRead } from '../../api/query.ts'
import { RunBadge } from '../../parts/runs/run-badge.tsx'
import { type EventGroup, statusText, toneOf } from '../../parts/values/event-text.ts'
import { StatusBadge } from '../../parts/values/status-badge.tsx'

const RECENT = { query: { dry_run: false, limit: 200 } } as const

export function GroupBadge({ group }: { readonly group: EventGroup }) {
  const isRun = group.summary_parts['kind'] === 'run' && group.run_id !== null
  const { data } = useRead(['runs', 'recent'], 'GET /api/runs', RECENT, { enabled: isRun })
  const run = data?.runs.find(({ run_id: id }) => id === group.run_id)
  return run === undefined ? (
    <StatusBadge tone={toneOf(group.status)} label={statusText(group)} />
  ) : (
    <RunBadge run={run} />
  )
}
