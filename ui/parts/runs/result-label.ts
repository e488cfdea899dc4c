// The result of a run as a label.
import type { Answer } from '../../api/client.ts'
import { runs } from '../../texts/en/runs.ts'
import { outcomeLabel, type StatusLabel } from './pair-status.ts'

export type Run = Answer<'GET /api/runs'>['runs'][number]

const WORK: readonly string[] = ['undo', 'restore', 'clear', 'backup']

/** Runs that undo, restore or clear are no sync. */
export function isSync({ source }: Pick<Run, 'source'>): boolean {
  return !WORK.includes(source)
}

/** Whether an undo reverted the changes of the run. */
export function undoneText({ undone }: Pick<Run, 'undone'>): string | null {
  return undone === null ? null : undone === 'all' ? runs.undo.done : runs.undo.inPart
}

export function resultLabel(run: Pick<Run, 'running' | 'outcome' | 'open' | 'source'>): StatusLabel {
  const { running, outcome, open } = run
  if (running) return { tone: 'busy', label: runs.results.running }
  if (outcome === null) return { tone: 'idle', label: runs.results.unknown }
  const { tone, label } = outcomeLabel(outcome, open)
  const isOther = !isSync(run) && (outcome === 'synced' || (outcome === 'partly' && open === 0))
  return { tone, label: isOther ? runs.workResults[outcome] : label }
}
