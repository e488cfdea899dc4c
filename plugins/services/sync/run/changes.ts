// The main-thread part of the changes of `library`: rejects changes while a run of the replaced generation holds accounts,
// and records each change.
import {
  defined,
  type EventRecord,
  type LibraryService,
  type Logger,
  pause,
  type RunStart,
  type WorkRegistry,
} from '@playhead/sdk'
import type { SyncSettings } from '../contract.ts'
import type { SyncEngine } from './engine.ts'
import { changeRecords } from '../record/recording.ts'
import { busyWithRun, type Runs } from './runs.ts'
import type { PlanHeader, PlanItem } from '../store/plans.ts'

interface ChangesOptions {
  readonly runs: Pick<Runs, 'inherited' | 'ready'>
  readonly engine: SyncEngine['changes']
  readonly settings: () => SyncSettings
  readonly plan: (planId: string) => Promise<PlanHeader | undefined>
  readonly items: (planId: string) => AsyncIterable<readonly PlanItem[]>
  readonly record: (events: readonly EventRecord[]) => Promise<unknown>
  readonly undo: (planId: string) => Promise<RunStart>
  readonly work: Pick<WorkRegistry, 'current'>
  readonly log: Logger
}

const NEVER = new AbortController().signal

interface LibraryChanges
  extends Pick<
    LibraryService,
    | 'tally'
    | 'beginTarget'
    | 'addToTarget'
    | 'planTarget'
    | 'dropTarget'
    | 'forget'
    | 'plan'
    | 'apply'
    | 'applyWhenFree'
    | 'outcomes'
    | 'undo'
  > {
  /** Continues changes that were waiting for accounts before the start. */
  resume(): Promise<void>
  /** Another generation takes over. Resolves when this generation applies no more changes. */
  retire(): Promise<void>
}

export function createChanges({
  runs,
  engine,
  settings,
  plan,
  items,
  record,
  undo,
  work,
  log,
}: ChangesOptions): LibraryChanges {
  const recorded = new Set<string>()

  async function recordAll(planId: string): Promise<void> {
    if (recorded.has(planId)) return
    recorded.add(planId)
    try {
      const header = await plan(planId)
      if (header === undefined) return
      for await (const page of items(planId)) await record(changeRecords(header, page))
    } catch (error) {
      log.warn({ err: error, plan: planId }, 'changes to an account could not be recorded')
    }
  }

  let following: Promise<void> | undefined

  /** Records each plan that stopped waiting. While it asks, the engine's thread does not end. */
  async function follow(): Promise<void> {
    try {
      for (;;) {
        const ended = await engine.waiting.nextEnded()
        if (ended.length === 0) return
        for (const planId of ended) await recordAll(planId)
      }
    } catch (error) {
      log.warn({ err: error }, 'waiting changes could not be tracked')
    } finally {
      following = undefined
    }
  }

  async function isReady(withinMs: number): Promise<boolean> {
    // Locks of the replaced generation are not visible here.
    if ((await runs.inherited()) === undefined) {
      await runs.ready()
      return true
    }
    const limit = new AbortController()
    return Promise.race([runs.ready().then(() => true), pause(withinMs, limit.signal).then(() => false)]).finally(() =>
      limit.abort(),
    )
  }

  return {
    plan: (changes) => engine.plan(changes, settings()),
    tally: engine.tally,
    beginTarget: engine.targets.begin,
    addToTarget: engine.targets.add,
    planTarget: (id, options, signal = NEVER) => engine.targets.plan(id, options, settings(), signal),
    dropTarget: engine.targets.drop,
    forget: engine.forget,
    async apply(planId, { approved = false, within, long: isLong = false } = {}, signal) {
      if ((await runs.inherited()) !== undefined) throw busyWithRun(work)
      await runs.ready()
      const request = { planId, approved, isLong, ...defined({ within }) }
      const outcomes = await engine.apply(request, settings(), signal)
      await recordAll(planId)
      return outcomes
    },
    async applyWhenFree(planId, { approved = false, waitMs }) {
      const startedMs = performance.now()
      await engine.waiting.queue({ planId, approved })
      // Otherwise resume() continues with it.
      if (!(await isReady(waitMs))) return null
      const leftMs = Math.max(0, waitMs - (performance.now() - startedMs))
      const outcomes = await engine.waiting.apply(planId, leftMs, settings())
      if (outcomes === null) following ??= follow()
      else await recordAll(planId)
      return outcomes
    },
    async outcomes(planId) {
      // The outcomes of an interrupted process are known only after recovery.
      if ((await runs.inherited()) === undefined) await runs.ready()
      return engine.outcomes(planId)
    },
    undo,
    async retire() {
      try {
        await engine.waiting.retire()
        await following
      } catch (error) {
        log.warn({ err: error }, 'waiting changes could not be handed over')
      }
    },
    async resume() {
      await runs.ready()
      await engine.waiting.resume(settings())
      following ??= follow()
    },
  }
}
