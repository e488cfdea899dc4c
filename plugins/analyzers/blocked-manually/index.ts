// Items that a target lacks because a person blocked them there.
import { defineAnalyzer } from '@playhead/sdk/analyzer'

export default defineAnalyzer({
  label: 'Blocked manually',
  problems: [
    {
      type: 'blocked_manual',
      severity: 'info',
      category: 'peer',
      meaning: 'The item is missing on the other account of the pair because you blocked it.',
    },
  ],
  needs: { features: ['history', 'progress', 'ratings', 'watchlist'], peers: true },
  *inspect({ rows }) {
    for (const { key, peers } of rows) {
      const blocked = peers.filter(({ state }) => state === 'blocked')
      if (blocked.length === 0) continue
      const targets = [...new Set(blocked.map(({ route }) => route.target.name))]
      yield { type: 'blocked_manual', key, fields: { targets, manual_ref: targets[0] } }
    }
  },
})
