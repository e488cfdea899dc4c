// SIMKL for the conformance kit. One entry per work: what is rated or half watched comes into the library with it.
import { simklStand } from '../../stands/simkl.ts'
import { adapterOf, KINDS } from './kit.ts'

/** Times of changes are told in seconds: only what is a little older is sure. */
const BEHIND_MS = 600_000
const BETWEEN_CHANGES_MS = 2_000

export default adapterOf({
  leaveOut: { 'damage.timeout': 'the whole library comes in one answer, which may take three minutes' },
  async start(options) {
    const stand = await simklStand({ ...options, suspends: false, nowMs: () => Date.now() - BEHIND_MS })
    const between = () => stand.server.advance(BETWEEN_CHANGES_MS)
    stand.server.onAnswer(({ request }) => {
      if (stand.isWrite(request)) between()
    })
    return {
      ...stand,
      async account() {
        const account = await stand.account()
        return {
          ...account,
          async put(feature, mark) {
            await account.put(feature, mark)
            between()
          },
          async remove(feature, work) {
            await account.remove?.(feature, work)
            between()
          },
          drop(show, isDropped) {
            account.drop?.(show, isDropped)
            between()
          },
        }
      },
    }
  },
  kinds: { watchlist: KINDS.works, ratings: KINDS.works },
  apart: true,
  single: ['progress'],
})
