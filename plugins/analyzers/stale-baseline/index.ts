// Finds accounts of enabled pairs whose rows are older than a week, so that findings of other rules may be outdated.
import { defineAnalyzer } from '@playhead/sdk/analyzer'

const DAY_MS = 86_400_000
const STALE_MS = 7 * DAY_MS

export default defineAnalyzer({
  label: 'Out-of-date accounts',
  problems: [
    {
      type: 'stale_baseline',
      severity: 'warn',
      category: 'orchestrator',
      meaning: 'An account of a pair was not read for a week.',
    },
  ],
  begin: ({ nowMs, routes, holdings }) => ({
    *end() {
      for (const { account, feature, readAtMs } of holdings) {
        const own = routes.filter(
          (route) => route.feature === feature && [route.source.name, route.target.name].includes(account.name),
        )
        if (own.length === 0 || readAtMs === null || nowMs - readAtMs <= STALE_MS) continue
        const days = Math.floor((nowMs - readAtMs) / DAY_MS)
        yield {
          type: 'stale_baseline',
          account,
          feature,
          message: `${account.label} was last read ${days} days ago. Run its pairs, or look why they do not run.`,
          fields: { days, read_at: Math.floor(readAtMs / 1_000), pairs: [...new Set(own.map(({ pairId }) => pairId))] },
        }
      }
    },
  }),
})
