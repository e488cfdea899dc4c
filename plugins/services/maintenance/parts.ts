// Creates the parts of the plugin.
import {
  ACCOUNTS,
  type DataDirectory,
  type PluginContext,
  SYNC,
  TRACKER_STORE,
  type TrackerStore,
  type Remote,
  type SyncService,
} from '@playhead/sdk'
import { createIntegrity, type Integrity } from './integrity/integrity.ts'
import { createPerformer, type Performer } from './run/perform.ts'
import { createRunStates, type RunStates } from './run/states.ts'

export interface Parts {
  readonly ctx: PluginContext
  readonly data: DataDirectory
  readonly states: RunStates
  readonly performer: Performer
  readonly integrity: Integrity
  tracker(): Remote<TrackerStore> | undefined
  sync(): Remote<SyncService> | undefined
  /** There is such a profile now. */
  isKnownAccount(provider: string, instance: string): Promise<boolean>
}

export function createParts(ctx: PluginContext): Parts {
  const states = createRunStates(Date.now)
  const data = ctx.data()
  return {
    ctx,
    data,
    states,
    performer: createPerformer(ctx, states),
    integrity: createIntegrity(ctx, data, Date.now),
    tracker: () => ctx.tryUse(TRACKER_STORE),
    sync: () => ctx.tryUse(SYNC),
    isKnownAccount: async (provider, instance) =>
      ((await ctx.tryUse(ACCOUNTS)?.list()) ?? []).some(
        (one) => one.provider === provider && one.instance === instance,
      ),
  }
}
