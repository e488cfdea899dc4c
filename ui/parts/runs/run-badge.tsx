// The result of a run: its status, or for runs that sync nothing how they ended.
import type { Answer } from '../../api/client.ts'
import { runs } from '../../texts/en/runs.ts'
import type { Names } from '../values/names.ts'
import { StatusBadge, type Tone } from '../values/status-badge.tsx'
import { statusLabel, SyncBadge } from './sync-badge.tsx'

export type Run = Answer<'GET /api/runs'>['runs'][number]
/** A run, or its part of a pair or feature. */
type Ended = Pick<Run, 'sync_status' | 'outcome'> & { readonly running?: boolean }

const WORK: readonly string[] = ['undo', 'restore', 'clear', 'backup']
const TONES: Readonly<Record<keyof typeof runs.workResults, Tone>> = {
  synced: 'good',
  partly: 'warn',
  skipped: 'warn',
  failed: 'bad',
  cancelled: 'idle',
  running: 'busy',
}

/** Runs that undo, restore or clear are not syncs. */
export function isSync({ source }: Pick<Run, 'source'>): boolean {
  return !WORK.includes(source)
}

/** Whether an undo reverted the changes of the run. */
export function undoneText({ undone }: Pick<Run, 'undone'>): string | null {
  return undone === null ? null : undone === 'all' ? runs.undo.done : runs.undo.inPart
}

export function RunBadge({ run }: { readonly run: Ended }) {
  return run.sync_status === null ? <WorkBadge of={run} /> : <SyncBadge status={run.sync_status} />
}

function WorkBadge({ of }: { readonly of: Ended }) {
  const result = workResult(of)
  return <StatusBadge tone={TONES[result]} label={runs.workResults[result]} />
}

export function resultText(run: Ended, names: Names): string {
  return run.sync_status === null ? runs.workResults[workResult(run)] : statusLabel(run.sync_status, names)
}

function workResult({ running, outcome }: Ended): keyof typeof runs.workResults {
  return running === true ? 'running' : (outcome ?? 'skipped')
}
