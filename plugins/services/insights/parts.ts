// Creates the parts of the plugin.
import {
  type Accounts,
  ACTIVITY,
  type ActivityLog,
  LIBRARY,
  type Metadata,
  METADATA,
  type PluginContext,
  type Remote,
  SYNC,
  type SyncService,
  TRACKER_STORE,
  type TrackerStore,
  WATCHLIST,
  type Watchlist,
  ACCOUNTS,
} from '@playhead/sdk'
import { createNumbers, type Numbers } from './numbers.ts'
import { createStatistics, type Statistics } from './statistics.ts'
import { createWall, type Wall } from './wall.ts'

export interface Parts {
  readonly ctx: PluginContext
  readonly numbers: Numbers
  readonly statistics: Statistics
  readonly wall: Wall
  readonly accounts: Remote<Accounts>
  /** Undefined without a sync service. */
  sync(): Remote<SyncService> | undefined
  activity(): Remote<ActivityLog> | undefined
  metadata(): Remote<Metadata> | undefined
  tracker(): Remote<TrackerStore> | undefined
  watchlist(): Remote<Watchlist> | undefined
  now(): number
}

export function createParts(ctx: PluginContext, now: () => number = Date.now): Parts {
  const accounts = ctx.use(ACCOUNTS)
  const watchlist = () => ctx.tryUse(WATCHLIST)
  const numbers = createNumbers(() => ctx.tryUse(LIBRARY))
  return {
    ctx,
    numbers,
    accounts,
    now,
    watchlist,
    statistics: createStatistics(ctx.db, numbers, now),
    wall: createWall({ watchlist, accounts }),
    sync: () => ctx.tryUse(SYNC),
    activity: () => ctx.tryUse(ACTIVITY),
    metadata: () => ctx.tryUse(METADATA),
    tracker: () => ctx.tryUse(TRACKER_STORE),
  }
}
