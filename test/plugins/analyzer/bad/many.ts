// A rule that reports each row many times.
import { defineAnalyzer } from '@playhead/sdk/analyzer'

const problem = { type: 'many', severity: 'warn', category: 'ids', meaning: 'Something.' } as const

export default defineAnalyzer({
  label: 'Many',
  problems: [problem],
  needs: { features: ['watchlist'] },
  *inspect({ rows }) {
    for (let count = 0; count < 1_000_000; count += 1) yield { type: 'many', key: rows[0]!.key }
  },
})
