// Recovery after a start: deletes half bundles of an earlier process and completes deletions.
import { createOnce, onceProvided, type Attention, type RecordedRun } from '@playhead/sdk'
import type { Parts } from '../parts.ts'
import { record } from './recorded.ts'

const WEEK_MS = 7 * 86_400_000

export function createRecovery(parts: Omit<Parts, 'ready'>, signal: AbortSignal): () => Promise<void> {
  return createOnce(() => settle(parts, signal))
}

async function settle(parts: Omit<Parts, 'ready'>, signal: AbortSignal): Promise<void> {
  const { catalogue, jobs, log } = parts
  await catalogue.recover()
  const cut = await jobs.recover()
  void settleAccounts(parts, cut, signal)
  for (const { progress, left } of cut) {
    const { id, operation, provider, instance } = progress
    const { files = [] } = left
    log.warn({ job: id, operation, provider, instance }, 'the service stopped before it ended')
    if (files.length === 0) continue
    const known = new Set((await catalogue.list()).map(({ path }) => path))
    // The bundle is written last, so if it exists it is complete.
    const bundle = files.at(-1)!
    if (!known.has(bundle)) await catalogue.remove(files.filter((path) => known.has(path)))
  }
}

async function settleAccounts(
  { library, log, now }: Omit<Parts, 'ready'>,
  cut: Awaited<ReturnType<Parts['jobs']['recover']>>,
  signal: AbortSignal,
): Promise<void> {
  for (const { progress, left } of cut) {
    const { id, operation, provider, instance } = progress
    const { features = [], changes = [] } = left
    // Removals of an interrupted clear are not removals by a person either.
    for (const feature of features)
      await onceProvided(() => library.forget({ provider, instance }, feature), signal).catch((error: unknown) =>
        log.warn({ err: error, provider, instance, feature }, 'pairs still know the account'),
      )
    const kind = operation === 'restore' ? 'restore' : 'clear'
    const end = { startedAtMs: progress.started_at * 1_000, result: 'failed', reason: 'interrupted' } as const
    const patient = { recordRun: (run: RecordedRun) => onceProvided(() => library.recordRun(run), signal) }
    if (changes.length > 0)
      await record(
        { library: patient, log, now },
        { kind, account: { provider, instance }, features: changes },
        id,
        end,
      )
  }
}

export const recover = (parts: Parts): Promise<void> => parts.ready()

/** Failed restores and clears are shown for a week, or until one succeeds. */
export async function attentionOf({ jobs, now }: Parts): Promise<readonly Attention[]> {
  return (await jobs.failed(now() - WEEK_MS))
    .filter(({ operation, error }) => operation !== 'capture' && error === 'interrupted')
    .map(({ id, operation, provider, instance, started_at: since }) => ({
      id: `interrupted:${id}`,
      kind: 'interrupted_restore',
      severity: 'warning',
      title: operation === 'restore' ? 'A restore was interrupted' : 'Clearing an account was interrupted',
      detail:
        'The service stopped while it changed the account. The capture made before it is in the list; start it again, or restore that capture.',
      since,
      provider,
      instance,
      action: { label: 'Look at the captures', path: '/captures' },
    }))
}
