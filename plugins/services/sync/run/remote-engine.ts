// Starts the engine's thread. The listeners of runs stay here.
import type { PluginContext } from '@playhead/sdk'
import type { RunListener, RunOrder } from '../contract.ts'
import type { EngineParts } from '../feature-run.ts'
import type { RunHooks } from './tapped.ts'
import { type EngineWork, HOOKS, type NotificationReceiver, READING, RUN_NOTIFICATIONS } from './thread.ts'

export function startEngine(
  ctx: Pick<PluginContext, 'startThread'>,
  { reading, hooks }: Pick<EngineParts, 'reading'> & { readonly hooks: RunHooks },
) {
  const listeners = new Map<string, RunListener>()
  const receiver: NotificationReceiver = {
    async receive(runId, batch) {
      const listener = listeners.get(runId)
      if (listener === undefined) return
      for (const fact of batch) listener.event(fact)
      await listener.flush?.()
    },
  }
  const { work } = ctx.startThread<EngineWork>('run/thread.ts', {
    offers: { [RUN_NOTIFICATIONS.token]: receiver, [READING.token]: reading, [HOOKS.token]: hooks },
  })

  function listening<Report, More extends unknown[]>(
    run: (order: RunOrder, signal: AbortSignal, ...more: More) => Promise<Report>,
  ) {
    return async (order: RunOrder, listener: RunListener, signal: AbortSignal, ...more: More): Promise<Report> => {
      listeners.set(order.runId, listener)
      try {
        return await run(order, signal, ...more)
      } finally {
        listeners.delete(order.runId)
      }
    }
  }
  return { work, run: listening(work.run), undo: listening(work.undo), runAccountPlan: listening(work.runAccountPlan) }
}
