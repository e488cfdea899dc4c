// Lists a restore that happened at the start of the service among the runs.
import { isPlayheadError, LIBRARY, onceProvided, type PluginContext } from '@playhead/sdk'

const LISTED_MS = 7 * 86_400_000

/** Repeated at each start for a week: the id is the same, so it is listed once. */
export async function recordLastRestore(ctx: PluginContext, now: () => number = Date.now): Promise<void> {
  const last = ctx.data().lastRestore()
  // Repairs and resets use the same mechanism, but only a restored backup has a file.
  if (last === null || !last.label.endsWith('.zip') || now() - last.atMs > LISTED_MS) return
  try {
    await onceProvided(
      () =>
        ctx
          .use(LIBRARY)
          .recordRun({
            id: `backup-${last.stagedAtMs}`,
            source: 'backup',
            account: null,
            features: [],
            startedAtMs: last.stagedAtMs,
            finishedAtMs: last.atMs,
            ...(last.outcome === 'restored' ? { result: 'ok' } : { result: 'failed', reason: 'rolled_back' }),
          }),
      ctx.signal,
    )
  } catch (error) {
    // Without the sync there are no runs.
    if (!isPlayheadError(error, 'PLH_CAPABILITY_GONE') && !ctx.signal.aborted)
      ctx.log.warn({ err: error }, 'the restore of a backup could not be listed among the runs')
  }
}
