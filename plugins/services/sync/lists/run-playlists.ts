// Runs the playlists of a pair through the playlists service.
import { failureCode, type Feature, isPlayheadError, PAIR_LISTS } from '@playhead/sdk'
import { type FeatureReport, isDryRun } from '../contract.ts'
import { unusableReason } from '../plan/emit.ts'
import { type FeatureInput, reportOf } from '../run/run-feature.ts'

const feature: Feature = 'playlists'

/** Reports failures of providers instead of throwing. The caller holds no locks. */
export async function runPlaylists(input: Omit<FeatureInput, 'feature' | 'options'>): Promise<FeatureReport> {
  const { engine, order, pair, accounts, listener, signal } = input
  const about = { src: pair.source, dst: pair.target, feature }
  if (signal.aborted) return reportOf(feature, 'cancelled', { reason: 'cancelled' })
  const unusable = unusableReason(accounts)
  if (unusable !== undefined) return reportOf(feature, 'skipped', { reason: unusable })
  listener.event({ type: 'feature:start', ...about })
  try {
    const dryRun = isDryRun(order)
    const approved = order.request.allow_mass_delete === true
    const { status, mappings, ...counts } = await engine
      .use(PAIR_LISTS)
      .run({ pairId: pair.id, runId: order.runId, dryRun, approved }, signal)
    const { added, removed, updated, unresolved, errors } = counts
    const { src, dst } = about
    const written = { added, removed, reordered: updated }
    listener.event({ type: 'playlist:pair', src, dst, dry_run: dryRun, mappings, ...written, unresolved, errors })
    listener.event({ type: 'feature:done', ...about })
    return reportOf(feature, status, { ...counts, applied: added + removed + updated })
  } catch (error) {
    if (signal.aborted) {
      listener.event({ type: 'feature:cancelled', ...about })
      return reportOf(feature, 'cancelled', { reason: 'cancelled' })
    }
    // The playlists service is not installed.
    if (isPlayheadError(error, 'PLH_CAPABILITY_GONE')) return reportOf(feature, 'skipped', { reason: 'unsupported' })
    const reason = failureCode(error)
    engine.log[isPlayheadError(error) ? 'warn' : 'error']({ pair: pair.id, error }, 'the playlists of a pair failed')
    listener.event({ type: 'feature:error', ...about, error: reason })
    return reportOf(feature, 'failed', { reason, errors: 1 })
  }
}
