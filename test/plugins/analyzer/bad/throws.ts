// A rule that throws in the middle of a page.
import { defineAnalyzer } from '@playhead/sdk/analyzer'

const problem = { type: 'throws', severity: 'warn', category: 'ids', meaning: 'Something.' } as const

export default defineAnalyzer({
  label: 'Throws',
  problems: [problem],
  needs: { features: ['watchlist'] },
  *inspect({ rows }) {
    yield { type: 'throws', key: rows[0]!.key }
    throw new Error('no such thing')
  },
})
