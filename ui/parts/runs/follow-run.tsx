// Progress and result of a run that was started from this page. Invalidates related queries at its end.
import { Alert, Anchor, Group, Paper } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { IconAlertTriangle, IconCheck } from '@tabler/icons-react'
import { useEffect, useState } from 'react'
import { Link } from 'wouter'
import { useRead } from '../../api/query.ts'
import { plan as texts } from '../../texts/en/plan.ts'
import { say } from '../../texts/say.ts'
import { useNames } from '../values/names.ts'
import { resultText } from './run-badge.tsx'
import { RunProgress } from './run-progress.tsx'
import { StopRun } from './stop-run.tsx'

const POLL_MS = 700
const TOUCHED = [['plans'], ['pairs'], ['held'], ['runs'], ['attention'], ['problems']]
const FAILED: readonly string[] = ['failed', 'cancelled']

/** @param onEnd called once with the run id */
export function FollowRun({
  runId,
  onEnd,
}: {
  readonly runId: string | null
  readonly onEnd?: (runId: string) => void
}) {
  return runId === null ? null : <Following key={runId} runId={runId} onEnd={onEnd} />
}

function Following({ runId, onEnd }: { readonly runId: string; readonly onEnd?: (runId: string) => void }) {
  const names = useNames()
  const client = useQueryClient()
  const [isReported, setReported] = useState(false)
  const { data: summary } = useRead(['run-summary', runId], 'GET /api/run/summary', undefined, {
    refetchInterval: isReported ? false : POLL_MS,
  })
  const mine = summary?.['run_id'] === runId ? summary : undefined
  const isOver = summary !== undefined && (summary['run_id'] !== runId || summary.running === false)
  const { data: detail } = useRead(
    ['runs', runId],
    'GET /api/runs/{run_id}',
    { params: { run_id: runId } },
    { enabled: isOver, refetchInterval: isReported ? false : POLL_MS },
  )
  const run = detail?.run

  useEffect(() => {
    if (run === undefined || run.running || isReported) return
    setReported(true)
    for (const queryKey of TOUCHED) void client.invalidateQueries({ queryKey })
    onEnd?.(runId)
  }, [run, client, onEnd, runId, isReported])

  if (run === undefined || run.running) {
    const { label, done, total } = stepOf(mine)
    return (
      <Paper withBorder p="md" role="status">
        <Group align="flex-end" wrap="nowrap">
          <div className="grow">
            <RunProgress label={label} done={done} total={total} />
          </div>
          {mine?.running === true ? <StopRun isAsked={mine['cancel_requested'] === true} /> : null}
        </Group>
      </Paper>
    )
  }
  if (run.dry_run && !FAILED.includes(run.result)) return null
  const isGood = run.outcome === 'synced' || run.outcome === 'skipped'
  const Icon = isGood ? IconCheck : IconAlertTriangle
  const text = texts.follow.ends[run.outcome ?? 'synced']
  return (
    <Alert role="status" color={isGood ? 'green' : 'orange'} icon={<Icon aria-hidden />}>
      {say(text, { state: resultText(run, names), added: run.added, updated: run.updated, removed: run.removed })}{' '}
      <Anchor component={Link} href={`/runs/${encodeURIComponent(runId)}`} inherit underline="always">
        {texts.follow.open}
      </Anchor>
    </Alert>
  )
}

interface Phases {
  readonly snapshot?: { readonly done: number; readonly total: number; readonly final: boolean }
  readonly apply?: { readonly done: number; readonly total: number }
}

function stepOf(summary: Readonly<Record<string, unknown>> | undefined): {
  label: string
  done: number
  total: number | null
} {
  const { snapshot, apply } = (summary?.['_phase'] ?? {}) as Phases
  if (apply !== undefined && apply.total > 0 && summary?.['dry_run'] !== true)
    return { label: texts.follow.writing, done: apply.done, total: apply.total }
  if (snapshot !== undefined && snapshot.done > 0)
    return { label: texts.follow.reading, done: snapshot.done, total: snapshot.total > 0 ? snapshot.total : null }
  return { label: texts.follow.starting, done: 0, total: null }
}
