// The main-thread facade of the engine: runs, undos and changes go to the engine's thread; lookups and maintenance use the
// database directly.
import type { OwnThread, PluginContext } from '@playhead/sdk'
import type { RunListener } from '../contract.ts'
import { createEngine, type SyncEngine } from './engine.ts'
import { createReading } from '../library/reading.ts'
import type { EngineDeps } from '../feature-run.ts'
import type { RunHooks } from './tapped.ts'
import {
  type EngineWork,
  type RunNotification,
  type NotificationReceiver,
  RUN_NOTIFICATIONS,
  READING,
  HOOKS,
} from './thread.ts'

const MODULE = 'run/thread.ts'

export function createRemoteEngine(
  ctx: Pick<PluginContext, 'startThread'>,
  deps: EngineDeps & { code(): string; readonly hooks: RunHooks },
): SyncEngine {
  const listeners = new Map<string, RunListener>()
  const receiver: NotificationReceiver = {
    async receive(runId, batch) {
      const listener = listeners.get(runId)
      if (listener === undefined) return
      for (const one of batch) notify(listener, one)
      await listener.flush?.()
    },
  }
  const { work }: OwnThread<EngineWork> = ctx.startThread<EngineWork>(MODULE, {
    offers: { [RUN_NOTIFICATIONS.token]: receiver, [READING.token]: createReading(deps), [HOOKS.token]: deps.hooks },
  })
  const local = createEngine(deps)

  async function withListener<Result>(
    runId: string,
    listener: RunListener,
    run: () => Promise<Result>,
  ): Promise<Result> {
    listeners.set(runId, listener)
    try {
      return await run()
    } finally {
      listeners.delete(runId)
    }
  }

  return {
    ...local,
    run: (order, listener, signal) => withListener(order.runId, listener, () => work.run(order, deps.code(), signal)),
    undo: {
      ...local.undo,
      run: (runId, order, listener, signal) =>
        withListener(order.runId, listener, () => work.undo(runId, order, signal)),
    },
    refresh: work.refresh,
    holdings: work.holdings,
    forgetRows: work.forgetRows,
    lists: { ...local.lists, all: work.listsOf, read: work.readList, create: work.createList, plan: work.planList },
    changes: {
      plan: work.plan,
      apply: work.apply,
      tally: local.changes.tally,
      forget: local.changes.forget,
      targets: { begin: work.beginTarget, add: work.addToTarget, plan: work.planTarget, drop: work.dropTarget },
      outcomes: local.changes.outcomes,
      assertRunnable: local.changes.assertRunnable,
      run: (order, listener, signal) => withListener(order.runId, listener, () => work.runPlan(order, signal)),
      waiting: {
        queue: local.changes.waiting.queue,
        apply: work.applyWaiting,
        resume: work.resumeWaiting,
        nextEnded: work.nextEnded,
        retire: work.retireWaiting,
      },
    },
  }
}

function notify(listener: RunListener, [name, ...given]: RunNotification): void {
  ;(listener[name] as ((...given: readonly unknown[]) => void) | undefined)?.(...given)
}
