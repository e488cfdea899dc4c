// Items that an account of a pair has and another lacks. The comparison is the analyzer's: by ids first, then by an equal
// title and year that no id contradicts.
import { type AnalyzerRow, defineAnalyzer, type Finding, type Peer, type Severity } from '@playhead/sdk'

const TYPE = 'missing_peer'
const FROM_TRACKER = 'tracker_to_media_server'

export default defineAnalyzer({
  label: 'Missing at a peer',
  problems: [
    {
      type: TYPE,
      severity: 'warn',
      category: 'peer',
      meaning: 'The other account of the pair does not have the item.',
      fix: 'Ids that other accounts know of the same title and year are added to the item.',
    },
  ],
  needs: { features: ['history', 'progress', 'ratings', 'watchlist'], peers: true },
  *inspect({ account, rows }) {
    for (const row of rows) {
      const missing = row.peers.filter(({ state }) => state === 'missing')
      if (missing.length > 0) yield findingOf(row, missing, account.group === 'tracker')
    }
  },
})

function findingOf(row: AnalyzerRow, missing: readonly Peer[], isTracker: boolean): Finding {
  const server = isTracker ? missing.find(({ route }) => route.target.group === 'media_server') : undefined
  const targets = [...new Set(missing.map(({ route }) => route.target.name))]
  const severity: Severity = server === undefined ? 'warn' : 'info'
  return {
    type: TYPE,
    key: row.key,
    severity,
    fields: { targets, ...(server === undefined ? {} : { sync_context: FROM_TRACKER }) },
    ...(server === undefined
      ? {}
      : { message: `${server.route.target.label} does not have it; it can only have what is in its libraries.` }),
  }
}
