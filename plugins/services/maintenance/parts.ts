import {
  ACCOUNTS,
  type DataDirectory,
  type JobHandle,
  type PluginContext,
  SYNC,
  TRACKER_STORE,
  type TrackerStore,
  type Remote,
  type SyncService,
} from '@playhead/sdk'
import { createIntegrity, type Integrity } from './integrity/integrity.ts'
import { createWeekly, type Weekly } from './integrity/weekly.ts'
import { createPerformer, type Performer } from './run/perform.ts'
import { createRunStates, type RunStates } from './run/states.ts'
import type { Settings } from './settings.ts'

export interface Parts {
  readonly ctx: PluginContext
  readonly data: DataDirectory
  readonly states: RunStates
  readonly performer: Performer
  readonly integrity: Integrity
  readonly weekly: Weekly
  setJob(job: JobHandle): void
  tracker(): Remote<TrackerStore> | undefined
  sync(): Remote<SyncService> | undefined
  /** Whether the profile currently exists. */
  isKnownAccount(provider: string, instance: string): Promise<boolean>
}

export function createParts(ctx: PluginContext<Settings>): Parts {
  const states = createRunStates(Date.now)
  const data = ctx.data()
  const integrity = createIntegrity(ctx, data, Date.now)
  let job: JobHandle | undefined
  return {
    ctx,
    data,
    states,
    performer: createPerformer(ctx, states),
    integrity,
    weekly: createWeekly({
      job: () => job as JobHandle,
      settings: () => ctx.config,
      store: ctx.store,
      integrity,
      startedAtMs: ctx.host.startedAtMs,
      now: Date.now,
    }),
    setJob(made) {
      job = made
    },
    tracker: () => ctx.tryUse(TRACKER_STORE),
    sync: () => ctx.tryUse(SYNC),
    isKnownAccount: async (provider, instance) =>
      ((await ctx.tryUse(ACCOUNTS)?.list()) ?? []).some(
        (one) => one.provider === provider && one.instance === instance,
      ),
  }
}
