// Finds titles without a year. Save the file while Playhead runs; its problems are listed at /api/analyzer/problems.
import { defineAnalyzer } from '@playhead/sdk/analyzer'

export default defineAnalyzer({
  label: 'Acme',
  // The reported problems and their meaning for people.
  problems: [
    {
      type: 'acmeToken_missing_year',
      severity: 'info',
      category: 'ids',
      meaning: 'The title has no year, and may be mistaken for another of the same name.',
    },
  ],
  // The rows that the rule reads. `peers: true` adds the matching rows of the other accounts of the pairs.
  needs: { features: ['watchlist', 'ratings'] },
  // Called with pages of one account and feature, on a thread. Rules with state have `begin` instead, once per pass.
  *inspect({ rows }) {
    for (const { key, item } of rows) {
      const isWork = item.type === 'movie' || item.type === 'show'
      if (isWork && item.year == null) yield { type: 'acmeToken_missing_year', key }
    }
  },
})
