// MDBList for the conformance kit.
import { mdblistStand } from '../../stands/mdblist.ts'
import { adapterOf, KINDS } from './kit.ts'

export default adapterOf({
  start: (options) => mdblistStand({ ...options, by: 'tokens', notFound: 'echoes', nowMs: Date.now }),
  kinds: { watchlist: KINDS.works, ratings: KINDS.all },
  // Positions are named by imdb ids.
  has: ({ ids, show_ids: showIds = ids }) => showIds.imdb !== undefined,
  wrong: () => ({ auth_method: 'api_key', api_key: 'nobodys-key' }),
})
