// A rule that never returns.
import { defineAnalyzer } from '@playhead/sdk/analyzer'

const problem = { type: 'endless', severity: 'warn', category: 'ids', meaning: 'Something.' } as const

export default defineAnalyzer({
  label: 'Endless',
  problems: [problem],
  needs: { features: ['watchlist'] },
  inspect() {
    for (;;);
  },
})
