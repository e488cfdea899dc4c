// Puts the parts together for one generation of the plugin.
import {
  ACTIVITY,
  type ActivityLog,
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
import { createViews, type Views } from './kept.ts'
import { createSources, dependenciesOf, type SourceDependencies } from './sources.ts'
import { createStatistics, type Statistics } from './statistics.ts'
import { createWall, type Wall } from './wall.ts'

export interface Parts {
  readonly ctx: PluginContext
  readonly views: Views
  readonly statistics: Statistics
  readonly wall: Wall
  readonly accounts: SourceDependencies['accounts']
  readonly has: SourceDependencies['has']
  /** Undefined while nobody provides it. */
  sync(): Remote<SyncService> | undefined
  activity(): Remote<ActivityLog> | undefined
  metadata(): Remote<Metadata> | undefined
  tracker(): Remote<TrackerStore> | undefined
  watchlist(): Remote<Watchlist> | undefined
  now(): number
}

export function createParts(ctx: PluginContext, now: () => number = Date.now): Parts {
  const dependencies = dependenciesOf(ctx)
  const { accounts, has } = dependencies
  const views = createViews(createSources(dependencies), ctx.signal)
  const lookUp = <Capability extends object>(token: string) => {
    const remote = ctx.use<Capability>(token)
    return () => (has(token) ? remote : undefined)
  }
  const watchlist = lookUp<Watchlist>(WATCHLIST)
  return {
    ctx,
    views,
    accounts,
    has,
    now,
    watchlist,
    statistics: createStatistics(ctx.db, views, now),
    wall: createWall({ watchlist, accounts }),
    sync: lookUp<SyncService>('sync'),
    activity: lookUp<ActivityLog>(ACTIVITY),
    metadata: lookUp<Metadata>(METADATA),
    tracker: lookUp<TrackerStore>(TRACKER_STORE),
  }
}
