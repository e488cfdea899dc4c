// A slow rule that yields in between.
import { defineAnalyzer } from '@playhead/sdk/analyzer'

const problem = { type: 'slow', severity: 'warn', category: 'ids', meaning: 'Something.' } as const

export default defineAnalyzer({
  label: 'Slow',
  problems: [problem],
  needs: { features: ['watchlist'] },
  *inspect({ rows }) {
    for (;;) {
      const startedMs = performance.now()
      while (performance.now() - startedMs < 5);
      yield { type: 'slow', key: rows[0]!.key }
    }
  },
})
