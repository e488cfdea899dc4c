// A backup that was restored with a start is listed among the runs.
import { isPlayheadError, LIBRARY, onceProvided, type PluginContext } from '@playhead/sdk'

const LISTED_MS = 7 * 86_400_000

/** Told again with each start of a week: the id is the same, so it is listed once. */
export async function recordLastRestore(ctx: PluginContext, now: () => number = Date.now): Promise<void> {
  const last = ctx.data().lastRestore()
  // Repairs and resets take the same way; only a backup has a file.
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
