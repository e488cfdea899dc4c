// Starts runs from a plan and keeps the id of the last one.
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, type Body } from '../../api/client.ts'
import { isApiError } from '../../api/error.ts'
import { plan as texts } from '../../texts/en/plan.ts'
import { notifyFailure } from '../dialogs/notify.ts'

export type RunOrder = Body<'POST /api/run'>

export function useStartRun(onStarted?: () => void) {
  const client = useQueryClient()
  const [runId, setRunId] = useState<string | null>(null)
  const [isStarting, setStarting] = useState(false)

  async function start(order: RunOrder): Promise<void> {
    setStarting(true)
    try {
      const { run_id: id, skipped } = await api('POST /api/run', { body: { ...order, source: 'ui' } })
      if (id === undefined) throw new Error(skipped ?? texts.follow.ends.skipped)
      setRunId(id)
      void client.invalidateQueries({ queryKey: ['runs'] })
      onStarted?.()
    } catch (error) {
      notifyFailure(isApiError(error) && error.code === 'already_running' ? new Error(texts.follow.busy) : error)
    } finally {
      setStarting(false)
    }
  }

  return { start, runId, isStarting }
}
