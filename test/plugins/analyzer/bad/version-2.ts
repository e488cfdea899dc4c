import { defineAnalyzer } from '@playhead/sdk/analyzer'

export default defineAnalyzer({
  label: 'Version',
  problems: [{ type: 'version', severity: 'warn', category: 'ids', meaning: 'Version 2.' }],
  needs: { features: ['watchlist'] },
  *inspect({ rows }) {
    for (const { key } of rows) yield { type: 'version', key }
  },
})
