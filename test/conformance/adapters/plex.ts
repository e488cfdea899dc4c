// Plex for the conformance kit: the cloud with the watchlists, and the media server with everything else.
import { plexNames, plexStand } from '../../stands/plex.ts'
import { partsOf } from '../../stands/works.ts'
import { adapterOf, KINDS } from './kit.ts'

export default adapterOf({
  start: (options) => plexStand({ ...options, household: true }),
  kinds: { watchlist: KINDS.works, ratings: KINDS.all },
  has: ({ type, ids, show_ids: showIds = {} }) => Object.keys(type === 'season' ? showIds : ids).length > 0,
  config: { max_retries: 2, timeout: 12, watchlist_page_size: 30 },
  more: ({ server }, { take, itemOf }) => ({
    play(person) {
      const [work] = take('history', 1) as readonly [string]
      const positionMs = Math.floor(partsOf(work).runtimeMs / 3)
      const [ratingKey] = [...plexNames(server)].find(([, name]) => name === work)!
      const key = server.actions.startPlaying(person === 0 ? 'owner' : 'managed', ratingKey, positionMs)
      return { item: itemOf(work), positionMs, stop: () => server.actions.stopPlaying(key) }
    },
    secrets: () => [...server.state.tokens.keys()],
  }),
})
