// Trakt for the conformance kit.
import { traktStand } from '../../stands/trakt.ts'
import { adapterOf, KINDS } from './kit.ts'

const UNSEEN = 'clients see nothing of a code but that it was accepted'

export default adapterOf({
  leaveOut: { 'sign-in.flow-cancelled': UNSEEN },
  start: (options) => traktStand({ ...options, nowMs: Date.now }),
  kinds: { watchlist: KINDS.all, ratings: KINDS.all },
})
