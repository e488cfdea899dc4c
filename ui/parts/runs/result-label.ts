// The result of a run as a label.
import type { Answer } from '../../api/client.ts'
import { runs } from '../../texts/en/runs.ts'
import { outcomeLabel, type StatusLabel } from './pair-status.ts'

export type Run = Answer<'GET /api/runs'>['runs'][number]

export function resultLabel({ running, outcome, open }: Pick<Run, 'running' | 'outcome' | 'open'>): StatusLabel {
  if (running) return { tone: 'busy', label: runs.results.running }
  return outcome === null ? { tone: 'idle', label: runs.results.unknown } : outcomeLabel(outcome, open)
}
