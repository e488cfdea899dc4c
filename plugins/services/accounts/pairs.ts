// The pairs of the sync engine, where there is one.
import type { PairState, PluginContext, SyncService } from '@playhead/sdk'

/** Throws what the engine throws; without an engine there are no pairs. */
export type Pairs = () => Promise<readonly PairState[]>

export function createPairs(ctx: Pick<PluginContext, 'capabilities' | 'use'>): Pairs {
  const sync = ctx.use<SyncService>('sync')
  return async () => (ctx.capabilities('sync').includes('sync') ? await sync.pairs() : [])
}
