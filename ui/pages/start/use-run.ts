// A run of the first steps: live while it goes on, its report when it has ended.
import { useEffect } from 'react'
import { useRead } from '../../api/query.ts'
import { useLiveRun } from '../../parts/run-live/use-live-run.ts'

export function useRun(runId: string) {
  const query = useRead(['runs', runId], 'GET /api/runs/{run_id}', { params: { run_id: runId } })
  const live = useLiveRun()
  const isThis = live.summary?.run_id === runId
  const { data, refetch } = query
  const hasEnded = isThis && live.summary?.running === false
  // The end may have come between the first look and the stream.
  useEffect(() => {
    if (hasEnded && data?.run.running === true) void refetch()
  }, [hasEnded, data?.run.running, refetch])
  return { query, live, isThis }
}
