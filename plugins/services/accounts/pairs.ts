// The pairs of the sync engine, where there is one.
import { type PairState, type PluginContext, SYNC } from '@playhead/sdk'

/** Throws what the engine throws; without an engine there are no pairs. */
export type Pairs = () => Promise<readonly PairState[]>

export function createPairs(ctx: Pick<PluginContext, 'tryUse'>): Pairs {
  return async () => (await ctx.tryUse(SYNC)?.pairs()) ?? []
}
