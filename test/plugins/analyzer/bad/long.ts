// A rule whose findings have fields of maximum length.
import { defineAnalyzer } from '@playhead/sdk/analyzer'

const problem = { type: 'long', severity: 'warn', category: 'ids', meaning: 'Something.' } as const

export default defineAnalyzer({
  label: 'Long',
  problems: [problem],
  needs: { features: ['watchlist'] },
  *inspect({ rows }) {
    for (let count = 0; count < 100_000; count += 1)
      yield {
        type: 'long',
        key: rows[0]!.key,
        message: 'y'.repeat(500),
        fields: { text: `${count} ${'x'.repeat(4_000)}` },
      }
  },
})
