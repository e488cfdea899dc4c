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
  readonly sinceMs: number
}

const KEY = 'attention'

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
          title: `${count} ${count === 1 ? 'problem' : 'problems'} in the data of your accounts`,
          detail: 'The analyzer lists them by kind.',
          since: Math.floor(kept.sinceMs / 1_000),
          action: { label: 'Show results', path: '/analyzer' },
        },
      ]
    },
    async note({ by_severity: { error, warn } }) {
      const before = await store.get<Kept>(KEY)
      if (before?.errors === error && before.warnings === warn) return
      await store.set(KEY, { errors: error, warnings: warn, sinceMs: Date.now() } satisfies Kept)
    },
  }
}
