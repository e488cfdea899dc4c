// The engine as the main thread uses it: long work, and work that holds accounts, runs on the engine's thread. All other
// functions only need the database.
import { randomUUID } from 'node:crypto'
import type { PluginContext } from '@playhead/sdk'
import type { RunListener } from '../contract.ts'
import { createEngine, type SyncEngine } from './engine.ts'
import { createReading } from '../library/reading.ts'
import type { EngineDeps } from '../feature-run.ts'
import type { RunHooks } from './tapped.ts'
import { type EngineWork, HOOKS, LISTENER, type NotificationReceiver, READING, RUN_NOTIFICATIONS } from './thread.ts'

type PathOf<Part> = {
  [Name in keyof Part & string]: Part[Name] extends (...given: never[]) => unknown
    ? Name
    : `${Name}.${PathOf<Part[Name]>}`
}[keyof Part & string]

const ON_THREAD: readonly string[] = [
  'run',
  'undo.run',
  'refresh',
  'holdings',
  'forgetRows',
  'lists.all',
  'lists.read',
  'lists.create',
  'lists.plan',
  'comparisons.begin',
  'comparisons.add',
  'comparisons.compare',
  'comparisons.drop',
  'changes.plan',
  'changes.apply',
  'changes.run',
  'changes.targets.begin',
  'changes.targets.add',
  'changes.targets.plan',
  'changes.targets.drop',
  'changes.waiting.apply',
  'changes.waiting.resume',
  'changes.waiting.nextEnded',
  'changes.waiting.retire',
] satisfies readonly PathOf<SyncEngine>[]

type Area = Readonly<Record<string, unknown>>

export function createRemoteEngine(
  ctx: Pick<PluginContext, 'startThread'>,
  deps: EngineDeps & { readonly hooks: RunHooks },
): SyncEngine {
  const listeners = new Map<string, RunListener>()
  const receiver: NotificationReceiver = {
    async receive(id, batch) {
      const listener = listeners.get(id)
      if (listener === undefined) return
      for (const fact of batch) listener.event(fact)
      await listener.flush?.()
    },
  }
  const { work } = ctx.startThread<EngineWork>('run/thread.ts', {
    offers: { [RUN_NOTIFICATIONS.token]: receiver, [READING.token]: createReading(deps), [HOOKS.token]: deps.hooks },
  })

  /** A listener stays here; the thread gets its id. */
  async function call(path: string, given: readonly unknown[]): Promise<unknown> {
    const id = randomUUID()
    const sent = given.map((one) => {
      if (!isListener(one)) return one
      listeners.set(id, one)
      return { [LISTENER]: id }
    })
    try {
      return await work.call(path, ...sent)
    } finally {
      listeners.delete(id)
    }
  }

  function remote(local: Area, within: string): Area {
    const parts = Object.entries(local).map(([name, part]) => {
      const path = within + name
      if (ON_THREAD.includes(path)) return [name, (...given: readonly unknown[]) => call(path, given)]
      return [name, typeof part === 'function' ? part : remote(part as Area, `${path}.`)]
    })
    return Object.fromEntries(parts) as Area
  }

  return remote(createEngine(deps), '') as SyncEngine
}

function isListener(value: unknown): value is RunListener {
  return typeof (value as Partial<RunListener> | null | undefined)?.event === 'function'
}
