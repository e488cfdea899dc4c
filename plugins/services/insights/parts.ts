import {
  ACCOUNTS,
  ACTIVITY,
  type Accounts,
  type ActivityLog,
  CATALOG,
  type Catalog,
  METADATA,
  type Metadata,
  type PluginContext,
  type Remote,
  SYNC,
  type SyncService,
  TRACKER_STORE,
  type TrackerStore,
  WATCHLIST,
  type Watchlist,
} from '@playhead/sdk'
import { type Numbers, createNumbers } from './numbers.ts'
import { type Statistics, createStatistics } from './statistics.ts'
import { type Wall, createWall } from './wall.ts'

export interface Parts {
  readonly ctx: PluginContext
  readonly numbers: Numbers
  readonly statistics: Statistics
  readonly wall: Wall
  readonly accounts: Remote<Accounts>
  /** Undefined without a sync service. */
  sync(): Remote<SyncService> | undefined
  activity(): Remote<ActivityLog> | undefined
  catalog(): Remote<Catalog> | undefined
  metadata(): Remote<Metadata> | undefined
  tracker(): Remote<TrackerStore> | undefined
  watchlist(): Remote<Watchlist> | undefined
  now(): number
}

export function createParts(ctx: PluginContext, now: () => number = Date.now): Parts {
  const accounts = ctx.use(ACCOUNTS)
  const watchlist = () => ctx.tryUse(WATCHLIST)
  const numbers = createNumbers(() => ctx.tryUse(CATALOG))
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
    catalog: () => ctx.tryUse(CATALOG),
    metadata: () => ctx.tryUse(METADATA),
    tracker: () => ctx.tryUse(TRACKER_STORE),
  }
}
