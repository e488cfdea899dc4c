// Puts the parts together for one generation of the plugin.
import {
  type Accounts,
  ACTIVITY,
  type ActivityLog,
  LIBRARY,
  type LibraryService,
  type Metadata,
  METADATA,
  type PluginContext,
  type Remote,
  type SyncService,
  TRACKER_STORE,
  type TrackerStore,
  WATCHLIST,
  type Watchlist,
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
  /** Whether the capability is provided. */
  readonly has: (token: string) => boolean
  /** Undefined while nobody provides it. */
  sync(): Remote<SyncService> | undefined
  activity(): Remote<ActivityLog> | undefined
  metadata(): Remote<Metadata> | undefined
  tracker(): Remote<TrackerStore> | undefined
  watchlist(): Remote<Watchlist> | undefined
  now(): number
}

export function createParts(ctx: PluginContext, now: () => number = Date.now): Parts {
  const accounts = ctx.use<Accounts>('accounts')
  const has = (token: string) => ctx.capabilities(token).includes(token)
  const lookUp = <Capability extends object>(token: string) => {
    const remote = ctx.use<Capability>(token)
    return () => (has(token) ? remote : undefined)
  }
  const watchlist = lookUp<Watchlist>(WATCHLIST)
  const numbers = createNumbers(lookUp<LibraryService>(LIBRARY))
  return {
    ctx,
    numbers,
    accounts,
    has,
    now,
    watchlist,
    statistics: createStatistics(ctx.db, numbers, now),
    wall: createWall({ watchlist, accounts }),
    sync: lookUp<SyncService>('sync'),
    activity: lookUp<ActivityLog>(ACTIVITY),
    metadata: lookUp<Metadata>(METADATA),
    tracker: lookUp<TrackerStore>(TRACKER_STORE),
  }
}
