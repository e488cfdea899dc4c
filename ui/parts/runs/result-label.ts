// The result of a run as a label.
import type { Answer } from '../../api/client.ts'
import { runs } from '../../texts/en/runs.ts'
import type { StatusLabel } from './pair-status.ts'

export type Run = Answer<'GET /api/runs'>['runs'][number]

export function resultLabel({ running, result }: Pick<Run, 'running' | 'result'>): StatusLabel {
  if (running) return { tone: 'busy', label: runs.results.running }
  if (result === '') return { tone: 'idle', label: runs.results.unknown }
  const tones = { ok: 'good', partial: 'warn', failed: 'bad', cancelled: 'idle', skipped: 'idle' } as const
  return { tone: tones[result], label: runs.results[result] }
}
