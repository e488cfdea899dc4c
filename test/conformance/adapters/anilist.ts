// AniList for the conformance kit. Its works are known by ids of its own, and of one other service.
import { anilistStand } from '../../stands/anilist.ts'
import { adapterOf, freshItem, KINDS } from './kit.ts'

export default adapterOf({
  start: (options) => anilistStand({ ...options, nowMs: Date.now }),
  kinds: { watchlist: KINDS.works, ratings: KINDS.works },
  withoutRows: true,
  more: (_stand, { accounts, take, itemOf, fresh }) => ({
    fresh: (feature, count) =>
      take(feature, count).map((work) => {
        // Only what is on a list can be rated.
        if (feature === 'ratings') for (const account of accounts) void account.put('ratings', { work, rating: 0 })
        return fresh(feature, work)
      }),
    // A list of one's own takes what is in the account.
    listItems: (person, _kind, count) =>
      take('watchlist', count).map((work) => {
        void accounts[person].put('watchlist', { work })
        return itemOf(work)
      }),
    unknown: (feature) =>
      freshItem(feature, { type: 'anime', film: true, title: 'Never made', ids: { anilist: '999000001' } }),
  }),
})
