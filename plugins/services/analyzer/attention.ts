// The analyzer's row of `GET /api/attention`: the number of problems in the last pass. A pass runs every six hours and when a
// person opens the problems, never because of this row.
import { type Attention, ATTENTION_SEVERITY, type KeyValueStore } from '@playhead/sdk'
import type { Summary } from './pass/findings.ts'

export interface ProblemAttention {
  items(): Promise<readonly Attention[]>
  /** Stores the result of a pass over all pairs. */
  note(summary: Summary): Promise<void>
}

interface Kept {
  readonly errors: number
  readonly warnings: number
  readonly types: readonly (readonly [type: string, count: number])[]
  readonly sinceMs: number
}

const KEY = 'attention'
const SHOWN_TYPES = 3

export function createAttention(store: KeyValueStore): ProblemAttention {
  return {
    async items() {
      const kept = await store.get<Kept>(KEY)
      const count = (kept?.errors ?? 0) + (kept?.warnings ?? 0)
      if (kept === undefined || count === 0) return []
      return [
        {
          id: 'problems',
          kind: 'analyzer_problems',
          severity: ATTENTION_SEVERITY[kept.errors > 0 ? 'error' : 'warn'],
          title: `${count} ${count === 1 ? 'problem' : 'problems'} in what your accounts hold`,
          detail: `${kept.types.map(([type, number]) => `${type.replaceAll('_', ' ')}: ${number}`).join(', ')}.`,
          since: Math.floor(kept.sinceMs / 1_000),
          action: { label: 'Show findings', path: '/analyzer' },
        },
      ]
    },
    async note({ by_severity: { error, warn }, by_type: types }) {
      const before = await store.get<Kept>(KEY)
      const next = {
        errors: error,
        warnings: warn,
        types: Object.entries(types)
          .sort(([, a], [, b]) => b - a)
          .slice(0, SHOWN_TYPES),
      }
      if (
        before?.errors === error &&
        before.warnings === warn &&
        JSON.stringify(before.types) === JSON.stringify(next.types)
      )
        return
      await store.set(KEY, { ...next, sinceMs: Date.now() } satisfies Kept)
    },
  }
}
