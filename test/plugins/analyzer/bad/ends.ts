// A rule that ends its thread.
import { defineAnalyzer } from '@playhead/sdk/analyzer'

const problem = { type: 'ends', severity: 'warn', category: 'ids', meaning: 'Something.' } as const

export default defineAnalyzer({
  label: 'Ends',
  problems: [problem],
  needs: { features: ['watchlist'] },
  inspect() {
    process.exit(1)
  },
})
