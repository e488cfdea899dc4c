// Finds titles without a year. Save it while Playhead runs, and its problems are at /api/analyzer/problems.
import { defineAnalyzer } from '@playhead/sdk'

export default defineAnalyzer({
  label: 'Acme',
  // What it reports, and what that means to people.
  problems: [
    {
      type: 'acmeToken_missing_year',
      severity: 'info',
      category: 'ids',
      meaning: 'The title has no year, and may be mistaken for another of the same name.',
    },
  ],
  // Which rows it is shown. `peers: true` adds what the other accounts of the pairs have of each row.
  needs: { features: ['watchlist', 'ratings'] },
  // Called with pages of one account and feature, on a thread. Rules with memory have `begin` instead, once per pass.
  *inspect({ rows }) {
    for (const { key, item } of rows) {
      const isWork = item.type === 'movie' || item.type === 'show'
      if (isWork && item.year == null) yield { type: 'acmeToken_missing_year', key }
    }
  },
})
