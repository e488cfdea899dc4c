// The latest play of each work of a log.
import t from 'tap'
import { createLatestPlays } from '@playhead/sdk/provider'
import type { Item } from '@playhead/sdk'

t.test('a work has one row, with the time of its latest play and without the id of a play', async (t) => {
  const latest = createLatestPlays()
  const film = (at: string | undefined, id: string): Item => ({
    ...{ type: 'movie', ids: { imdb: 'tt0113277' }, native: { event_id: id } },
    ...(at === undefined ? {} : { watched_at: at }),
  })
  const part = (episode: number): Item => ({
    ...{ type: 'episode', ids: {}, show_ids: { tvdb: '79126' }, season: 1, episode },
    watched_at: '2025-01-02T20:00:00Z',
  })
  const rows = [film(undefined, '0'), film('2025-01-03', '1'), film('2025-01-03T20:00:00Z', '2')]
  for (const row of [...rows, film('2024-12-31T23:00:00Z', '3'), part(1), part(2), part(1)]) latest.add(row)
  t.strictSame(latest.items(), [
    { type: 'movie', ids: { imdb: 'tt0113277' }, watched_at: '2025-01-03T20:00:00Z' },
    part(1),
    part(2),
  ])
})
