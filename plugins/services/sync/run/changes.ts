// The main-thread part of the changes of `library`: rejects changes while a run of the replaced generation holds accounts,
// and records each change.
import {
  defined,
  type EventRecord,
  type LibraryService,
  type Logger,
  pause,
  type Remote,
  type RunStart,
  type Tables,
} from '@playhead/sdk'
import type { SyncSettings } from '../contract.ts'
import { changeRecords } from '../record/recording.ts'
import type { MainSide } from './main-side.ts'
import type { Runs } from './runs.ts'
import type { EngineWork } from './thread.ts'
import { getPlan, planPages } from '../store/plans.ts'

interface ChangesOptions {
  readonly db: Tables
  readonly runs: Runs
  readonly engine: Remote<EngineWork>
  readonly main: MainSide
  readonly settings: () => SyncSettings
  readonly record: (events: readonly EventRecord[]) => Promise<unknown>
  readonly undo: (planId: string) => Promise<RunStart>
  readonly log: Logger
}

const NEVER = new AbortController().signal

export function createChanges({ db, runs, engine, main, settings, record, undo, log }: ChangesOptions) {
  const recorded = new Set<string>()

  async function recordAll(planId: string): Promise<void> {
    if (recorded.has(planId)) return
    recorded.add(planId)
    try {
      const header = await getPlan(db, planId)
      if (header === undefined) return
      for await (const page of planPages(db, planId)) await record(changeRecords(header, page))
    } catch (error) {
      log.warn({ err: error, plan: planId }, 'changes to an account could not be recorded')
    }
  }

  let following: Promise<void> | undefined

  /** Records each plan that stopped waiting. The engine's thread stays alive while this waits. */
  async function follow(): Promise<void> {
    try {
      for (;;) {
        const ended = await engine.nextEnded()
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
    if ((await runs.readyUnlessInherited()) === undefined) return true
    const limit = new AbortController()
    return Promise.race([runs.ready().then(() => true), pause(withinMs, limit.signal).then(() => false)]).finally(() =>
      limit.abort(),
    )
  }

  const library = {
    plan: (changes) => engine.planChanges(changes, settings()),
    tally: main.tally,
    planTarget: (id, options, signal = NEVER) => engine.planTarget(id, options, settings(), signal),
    forget: main.forget,
    async apply(planId, { approved = false, within, long: isLong = false } = {}, signal) {
      await runs.readyForChanges()
      const request = { planId, approved, isLong, ...defined({ within }) }
      const outcomes = await engine.applyChanges(request, settings(), signal)
      await recordAll(planId)
      return outcomes
    },
    async applyWhenFree(planId, { approved = false, waitMs }) {
      const startedMs = performance.now()
      await main.queueChange({ planId, approved })
      // Otherwise resume() continues with it.
      if (!(await isReady(waitMs))) return null
      const leftMs = Math.max(0, waitMs - (performance.now() - startedMs))
      const outcomes = await engine.applyWaiting(planId, leftMs, settings())
      if (outcomes === null) following ??= follow()
      else await recordAll(planId)
      return outcomes
    },
    async outcomes(planId) {
      // The outcomes of an interrupted process are known only after recovery.
      await runs.readyUnlessInherited()
      return main.outcomes(planId)
    },
    undo,
  } satisfies Partial<LibraryService>

  return {
    library,
    /** Continues changes that were waiting for accounts before the start. */
    async resume(): Promise<void> {
      await runs.ready()
      await engine.resumeWaiting(settings())
      following ??= follow()
    },
    /** Another generation takes over. Resolves when this generation applies no more changes. */
    async retire(): Promise<void> {
      try {
        await engine.retireWaiting()
        await following
      } catch (error) {
        log.warn({ err: error }, 'waiting changes could not be handed over')
      }
    },
  }
}
