// SIMKL for the conformance kit. One entry per work: what is rated or half watched comes into the library with it.
import { simklStand } from '../../stands/simkl.ts'
import { adapterOf, KINDS } from './kit.ts'

/** Times of changes are in seconds, so only a slightly older change is certain. */
const BEHIND_MS = 600_000
const BETWEEN_CHANGES_MS = 2_000

export default adapterOf({
  leaveOut: { 'damage.timeout': 'the whole library comes in one answer, which may take three minutes' },
  async start(options) {
    const stand = await simklStand({ ...options, suspends: false, nowMs: () => Date.now() - BEHIND_MS })
    stand.server.onAnswer(({ request }) => {
      if (stand.isWrite(request)) stand.server.advance(BETWEEN_CHANGES_MS)
    })
    return stand
  },
  kinds: { watchlist: KINDS.works, ratings: KINDS.works },
  apart: true,
  single: ['progress'],
  between: (simkl) => simkl.advance(BETWEEN_CHANGES_MS),
})
