// Services that count episodes: a count becomes rows, and episodes become a count.
import fc from '../../fast-check.ts'
import t from 'tap'
import { countAfter, countedEpisodes } from '@playhead/sdk/provider'

t.test('a count is the rows of the episodes up to it, without times', async (t) => {
  const show = { show_ids: { mal: '1' }, series_title: 'Bebop', series_year: 1998 }
  t.strictSame(
    countedEpisodes({ ids: { mal: '1' }, title: 'Bebop', year: 1998, count: 2, native: '77' }),
    [1, 2].map((episode) => ({
      item: {
        ...{ type: 'episode', ids: {}, ...show, season: 1, episode, watched: true },
        native: { item_id: `77/${episode}` },
      },
    })),
  )
  t.same(countedEpisodes({ ids: { mal: '1' }, count: 0, native: '77' }), [])
})

t.test('a count that no series can have is one row that cannot be read', async (t) => {
  const rows = countedEpisodes({ ids: { mal: '1' }, title: 'Bebop', count: 4_000_000_000, native: '77' })
  t.strictSame(rows, [{ unreadable: { reason: 'not_understood', title: 'Bebop' } }])
})

t.test('a count grows and shrinks by the episodes that were asked for, and by no other', async (t) => {
  const words = (write: Parameters<typeof countAfter>[0]) => {
    const { count, outcomes } = countAfter(write)
    return [count, ...write.episodes.map((one) => outcomes.get(one)?.reason ?? outcomes.get(one)?.outcome)]
  }
  t.same(words({ op: 'add', count: 7, episodes: [9, 8, 3, 11] }), [
    9,
    'applied',
    'applied',
    'already',
    'episode_missing',
  ])
  t.same(words({ op: 'add', count: 1, total: 2, episodes: [2, 3] }), [2, 'applied', 'episode_missing'])
  const removal = { op: 'remove', count: 7, episodes: [6, 7, 4, 9] } as const
  t.same(words(removal), [5, 'applied', 'applied', 'counts_as_watched', 'already'])
  t.same(words({ op: 'add', count: 0, episodes: [1, 1] }), [1, 'applied', 'applied'])
})

t.test('whatever is asked for, only marks of asked episodes change, and all that are called done are so', async () => {
  const some = fc.array(fc.integer({ min: 1, max: 14 }), { maxLength: 10 })
  fc.assert(
    fc.property(fc.constantFrom('add', 'remove'), fc.nat({ max: 12 }), some, (op, count, episodes) => {
      const { count: after, outcomes } = countAfter({ op, count, total: 12, episodes })
      for (let episode = 1; episode <= 14; episode += 1) {
        const [was, is] = [episode <= count, episode <= after]
        if (was !== is && outcomes.get(episode)?.outcome !== 'applied') return false
        const isDone = ['applied', 'already'].includes(outcomes.get(episode)?.outcome ?? '')
        if (isDone && is !== (op === 'add')) return false
      }
      return outcomes.size === new Set(episodes).size
    }),
  )
})
