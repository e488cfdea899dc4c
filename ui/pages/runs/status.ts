// Labels for results, outcomes and sources of runs.
import type { Answer } from '../../api/client.ts'
import type { StatusLabel } from '../../parts/runs/pair-status.ts'
import type { Tone } from '../../parts/values/status-badge.tsx'
import { runs } from '../../texts/en/runs.ts'

export type RunDetail = Answer<'GET /api/runs/{run_id}'>
export type FeatureReport = RunDetail['pairs'][number]['features'][number]
export type RunItem = Answer<'GET /api/runs/{run_id}/items'>['items'][number]

const OUTCOME_TONES: Readonly<Record<string, Tone>> = {
  applied: 'good',
  already: 'good',
  held: 'warn',
  not_found: 'warn',
  unsupported: 'warn',
  unknown: 'warn',
  rejected: 'bad',
  failed: 'bad',
}

export function outcomeLabel(outcome: string): StatusLabel {
  return {
    tone: OUTCOME_TONES[outcome] ?? 'idle',
    label: (runs.outcomes as Readonly<Record<string, string>>)[outcome] ?? outcome,
  }
}

export function sourceText(source: string): string {
  return (runs.sources as Readonly<Record<string, string>>)[source] ?? source
}
