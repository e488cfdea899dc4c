// The actions of a pair: run, preview, turn on or off, delete.
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { api, type Answer } from '../../api/client.ts'
import { isApiError } from '../../api/error.ts'
import { confirm } from '../../parts/dialogs/confirm.ts'
import { useFeatureNames, useSideNames } from '../../parts/values/names.ts'
import { notifyDone, notifyFailure } from '../../parts/dialogs/notify.ts'
import type { PairStatus } from '../../parts/runs/pair-status.ts'
import { pairs as texts } from '../../texts/en/pairs.ts'
import { plan as planTexts } from '../../texts/en/plan.ts'
import { say } from '../../texts/say.ts'

export type PairSides = Pick<PairStatus, 'source' | 'source_instance' | 'target' | 'target_instance' | 'mode'>

export function useSidesText(): (pair: PairSides) => string {
  const nameOf = useSideNames()
  return (pair) =>
    say(texts.sides[pair.mode], {
      source: nameOf(pair.source, pair.source_instance),
      target: nameOf(pair.target, pair.target_instance),
    })
}

export function usePairActions(pair: PairStatus) {
  const client = useQueryClient()
  const [, navigate] = useLocation()
  const sidesText = useSidesText()
  const featureName = useFeatureNames()
  const [started, setStarted] = useState<{ readonly runId: string; readonly isPreview: boolean } | null>(null)

  async function tryTo(work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      notifyFailure(isApiError(error) && error.code === 'already_running' ? new Error(planTexts.follow.busy) : error)
    }
  }

  const start = (isPreview: boolean) =>
    tryTo(async () => {
      const { run_id: runId } = await api('POST /api/run', {
        body: { pair_id: pair.id, dry_run: isPreview, source: 'ui' },
      })
      if (runId !== undefined) setStarted({ runId, isPreview })
    })

  return {
    runId: started?.runId ?? null,
    run: () => start(false),
    preview: () => start(true),
    /** Opens the first plan after a preview. */
    ended: (runId: string) =>
      tryTo(async () => {
        if (started?.isPreview !== true) return
        const { plans } = await api('GET /api/plans', { query: { run_id: runId, pair_id: pair.id } })
        const [first] = plans.toSorted((a, b) => weight(b) - weight(a))
        setStarted(null)
        if (first !== undefined) return navigate(`/plans/${encodeURIComponent(first.plan_id)}`)
        const { run } = await api('GET /api/runs/{run_id}', { params: { run_id: runId } })
        notifyDone(run.open > 0 ? say(texts.nothingNow, { n: run.open }) : texts.nothingToDo)
      }),
    toggle: (enabled: boolean) =>
      tryTo(async () => {
        await api('PUT /api/pairs/{pair_id}', { params: { pair_id: pair.id }, body: { enabled } })
        await client.invalidateQueries({ queryKey: ['pairs'] })
        notifyDone(say(enabled ? texts.turnedOn : texts.turnedOff, { name: pair.name }))
      }),
    remove: () =>
      tryTo(async () => {
        const { title, text, memory, features, action, done } = texts.delete
        const names = pair.features.map(({ feature }) => featureName(feature)).join(', ')
        const touches = [
          say(memory, { sides: sidesText(pair) }),
          ...(names === '' ? [] : [say(features, { features: names })]),
        ]
        if (!(await confirm({ title: say(title, { name: pair.name }), text, touches, action }))) return
        await api('DELETE /api/pairs/{pair_id}', { params: { pair_id: pair.id } })
        notifyDone(say(done, { name: pair.name }))
        navigate('/pairs')
        await client.invalidateQueries({ queryKey: ['pairs'] })
      }),
  }
}

/** Plans with removals to approve come first. */
function weight({ sides: { a, b } }: Answer<'GET /api/plans'>['plans'][number]): number {
  return (a.held + b.held > 0 ? 1e9 : 0) + a.add + b.add + a.update + b.update + a.remove + b.remove
}
