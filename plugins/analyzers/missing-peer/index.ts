// Finds items that one account of a pair has and another lacks. The analyzer compares: by ids first, then by an equal title and
// year unless ids contradict.
import { PlayheadError } from '@playhead/sdk'
import {
  type AnalyzerRow,
  defineAnalyzer,
  type Finding,
  type Peer,
  type Severity,
  withPeerIds,
} from '@playhead/sdk/analyzer'

const TYPE = 'missing_peer'
const FROM_TRACKER = 'tracker_to_media_server'

export default defineAnalyzer({
  label: 'Missing on the other account',
  problems: [
    {
      type: TYPE,
      severity: 'warn',
      category: 'peer',
      meaning: 'The other account of the pair does not have the item.',
      fix: 'IDs of the same title and year on other accounts are added to the item.',
    },
  ],
  needs: { features: ['history', 'progress', 'ratings', 'watchlist'], peers: true },
  *inspect({ account, rows }) {
    for (const row of rows) {
      const missing = row.peers.filter(({ state }) => state === 'missing')
      if (missing.length > 0) yield findingOf(row, missing, account.group !== 'media_server')
    }
  },
  fix(request) {
    const { item, changes, conflicts } = withPeerIds(request)
    if (changes.length > 0) return { changes, correct: item }
    throw new PlayheadError(
      'PLH_INVALID',
      conflicts.length > 0
        ? `Other rows of this title disagree about ${conflicts.join(', ')}: they may be other works.`
        : 'No other account has more IDs of this title.',
      { wire: 'nothing_to_merge' },
    )
  },
})

/** A media server can only have the titles of its libraries; every other service, including the tracker, can have any title. */
function findingOf(row: AnalyzerRow, missing: readonly Peer[], hasAnyTitle: boolean): Finding {
  const server = hasAnyTitle ? missing.find(({ route }) => route.target.group === 'media_server') : undefined
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
