// The main thread's side of `library.plan`, `apply` and `undo`: refuses while a run of the replaced generation holds
// accounts, and records each change.
import { type EventRecord, type LibraryService, type Logger, PlayheadError, type RunStart } from '@playhead/sdk'
import type { SyncSettings } from '../contract.ts'
import type { SyncEngine } from './engine.ts'
import { changeRecords } from '../record/recording.ts'
import type { Runs } from './runs.ts'
import type { PlanHeader, PlanItem } from '../store/plans.ts'

export interface ChangesOptions {
  readonly runs: Pick<Runs, 'inherited' | 'ready'>
  readonly engine: SyncEngine['changes']
  readonly settings: () => SyncSettings
  readonly plan: (planId: string) => Promise<PlanHeader | undefined>
  readonly items: (planId: string) => AsyncIterable<readonly PlanItem[]>
  readonly record: (events: readonly EventRecord[]) => Promise<unknown>
  readonly undo: (planId: string) => Promise<RunStart>
  readonly log: Logger
}

export function createChanges({
  runs,
  engine,
  settings,
  plan,
  items,
  record,
  undo,
  log,
}: ChangesOptions): Pick<LibraryService, 'plan' | 'apply' | 'undo'> {
  async function recordAll(planId: string): Promise<void> {
    const header = await plan(planId)
    if (header === undefined) return
    for await (const page of items(planId)) await record(changeRecords(header, page))
  }

  return {
    plan: (changes) => engine.plan(changes, settings()),
    async apply(planId, { approved = false } = {}) {
      // Locks of the replaced generation are not visible here.
      if ((await runs.inherited()) !== undefined)
        throw new PlayheadError('PLH_CONFLICT', 'A run is using this account. Try again when it has ended.', {
          wire: 'busy',
        })
      await runs.ready()
      const outcomes = await engine.apply({ planId, approved }, settings())
      await recordAll(planId).catch((error: unknown) =>
        log.warn({ err: error, plan: planId }, 'changes to an account could not be recorded'),
      )
      return outcomes
    },
    undo,
  }
}
