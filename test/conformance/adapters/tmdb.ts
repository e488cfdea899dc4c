// TMDB for the conformance kit.
import { tmdbStand } from '../../stands/tmdb.ts'
import { adapterOf, KINDS } from './kit.ts'

export default adapterOf({
  start: tmdbStand,
  kinds: { watchlist: KINDS.works, ratings: [...KINDS.works, 'episode'] },
  single: ['watchlist'],
  withoutRows: true,
  wrong: () => ({ api_key: '0'.repeat(32), session_id: 'no' }),
})
