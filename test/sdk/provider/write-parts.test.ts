// Helpers for batch writes: ids, times, outcomes.
import t from 'tap'
import { PlayheadError } from '@playhead/sdk'
import { formatTime, type Item } from '@playhead/sdk/items'
import {
  outcomeOfError,
  playRefusal,
  playTime,
  ratingFields,
  removePlays,
  seasonsOf,
  wireIds,
  type WriteItem,
  writeResult,
} from '@playhead/sdk/provider'
import { movie } from './support.ts'

const NOW_MS = Date.parse('2026-07-01T12:00:00Z')
const play = (id: string | undefined, index: number): WriteItem => ({
  key: `k${index}`,
  item: { ...movie(index), ...(id === undefined ? {} : { native: { event_id: id } }) },
})

t.test('a play needs a past time to the second, or is refused', (t) => {
  const at = (text?: string) => playTime({ ...movie(1), ...(text === undefined ? {} : { watched_at: text }) }, NOW_MS)
  t.match(at('2026-07-01T11:00:00Z'), { atMs: NOW_MS - 3_600_000 })
  t.match(at('2026-07-01T12:30:00Z'), { atMs: NOW_MS + 1_800_000 }, 'a clock may be a little fast')
  for (const text of [undefined, 'soon'])
    t.match(at(text), { refused: { outcome: 'rejected', reason: 'missing_watched_at' } })
  t.match(at('2026-07-02T12:00:00Z'), { refused: { outcome: 'rejected', reason: 'watched_in_future' } })
  t.end()
})

t.test(
  'a day is sent as its noon to a service without days, as declared, and matches within that day everywhere',
  (t) => {
    const own = process.env['TZ']
    t.teardown(() => {
      if (own === undefined) delete process.env['TZ']
      else process.env['TZ'] = own
    })
    const written = (day: string, nowMs = NOW_MS) => {
      const time = playTime({ ...movie(1), watched_at: day }, nowMs)
      return 'refused' in time ? time.refused.reason : formatTime(time)
    }
    for (const [zone, noon] of [
      ['UTC', '2026-03-01T12:00:00Z'],
      ['Europe/Berlin', '2026-03-01T11:00:00Z'],
      ['America/Los_Angeles', '2026-03-01T20:00:00Z'],
      ['Pacific/Auckland', '2026-03-01T00:01:00Z'],
      ['Pacific/Kiritimati', '2026-03-01T00:01:00Z'],
      ['Etc/GMT+12', '2026-03-01T23:59:00Z'],
    ] as const) {
      process.env['TZ'] = zone
      t.equal(written('2026-03-01'), noon, zone)
    }
    process.env['TZ'] = 'UTC'
    t.equal(written('2026-07-01', Date.parse('2026-07-01T08:00:30.500Z')), '2026-07-01T08:00:30Z', 'today, not later')
    t.equal(written('2026-07-02', Date.parse('2026-07-01T23:30:00Z')), '2026-07-02T00:01:00Z')
    t.equal(written('2026-07-02'), 'watched_in_future')

    const refused = (days: 'noon' | 'none' | 'kept' | undefined, text: string) =>
      playRefusal(days === undefined ? {} : { days }, { ...movie(1), watched_at: text }, NOW_MS)
    t.same(
      (['noon', 'none', 'kept', undefined] as const).map((days) => refused(days, '2026-03-01')),
      [undefined, 'day_unsupported', undefined, undefined],
    )
    t.same(
      (['noon', 'none', 'kept'] as const).map((days) => refused(days, '2031-03-01T20:00:00Z')),
      ['watched_in_future', 'watched_in_future', undefined],
    )
    t.end()
  },
)

t.test('a rating is sent with its time only if the second is known', (t) => {
  t.strictSame(ratingFields({ ...movie(1), rating: 8, rated_at: '2026-07-01T11:00:00Z' }), {
    rating: 8,
    rated_at: '2026-07-01T11:00:00Z',
  })
  t.strictSame(ratingFields({ ...movie(1), rating: 8, rated_at: '2026-07-01' }), { rating: 8 })
  const unrated: Item = { type: 'movie', ids: { imdb: 'tt1' } }
  t.match(ratingFields(unrated), { refused: { outcome: 'rejected', reason: 'missing_rating' } })
  t.end()
})

t.test('ids are sent with the names of the service, and as numbers only where they are exact', (t) => {
  const schemes = [
    ['imdb', 'imdb', false],
    ['tmdb', 'tmdb_id', true],
    ['tvdb', 'tvdb', true],
  ] as const
  t.strictSame(wireIds({ tvdb: '9007199254740993', tmdb: '603', imdb: 'tt0133093' }, schemes), {
    imdb: 'tt0133093',
    tmdb_id: 603,
  })
  t.strictSame(wireIds({}, schemes), {})
  t.end()
})

t.test('the episodes of a season are sent together, and a whole season as itself', (t) => {
  t.strictSame(
    seasonsOf([
      { season: 1, episode: 2, extra: { rating: 7 } },
      { season: 2, extra: { rating: 9 } },
      { season: 3, episode: 1, extra: {} },
      { season: 1, episode: 4, extra: {} },
    ]),
    [
      { number: 2, rating: 9 },
      { number: 1, episodes: [{ number: 2, rating: 7 }, { number: 4 }] },
      { number: 3, episodes: [{ number: 1 }] },
    ],
  )
  t.end()
})

t.test('an item without any report was not sent', (t) => {
  t.strictSame(writeResult([play('1', 0), play('2', 1)], new Map([['k1', { outcome: 'applied' }]]), 500), {
    outcomes: [
      { key: 'k0', outcome: 'failed', reason: 'not_sent' },
      { key: 'k1', outcome: 'applied' },
    ],
    retryAfterMs: 500,
  })
  t.end()
})

function removal(remove: (ids: readonly number[]) => Promise<(id: number) => { outcome: 'applied' | 'already' }>) {
  const logged: unknown[] = []
  const log = { error: (...line: unknown[]) => void logged.push(line) } as never
  return { logged, options: { chunk: 2, remove, outcomeOf: outcomeOfError, log } }
}

t.test('plays are removed by their own ids, each once, and one without an id stays', async (t) => {
  const asked: (readonly number[])[] = []
  const { options } = removal(async (ids) => {
    asked.push(ids)
    return (id) => ({ outcome: id === 12 ? 'already' : 'applied' })
  })
  const ids = ['11', '12', undefined, 'x', '11', '13']
  const { outcomes } = await removePlays(ids.map(play), options)
  t.strictSame(asked, [[11, 12], [13]])
  t.strictSame(
    outcomes.map(({ outcome, reason }) => reason ?? outcome),
    ['applied', 'already', 'exact_play_unknown', 'exact_play_unknown', 'applied', 'applied'],
  )
})

t.test('after a failed request no more plays are removed', async (t) => {
  let asked = 0
  const { options } = removal(async () => {
    asked += 1
    if (asked === 2) throw new PlayheadError('PLH_RATE_LIMITED', 'wait', { retryAfterMs: 700 })
    return () => ({ outcome: 'applied' })
  })
  const { outcomes, retryAfterMs } = await removePlays(['1', '2', '3', '4', '5'].map(play), options)
  t.strictSame(
    outcomes.map(({ outcome, reason }) => reason ?? outcome),
    ['applied', 'applied', 'rate_limited', 'rate_limited', 'not_sent'],
  )
  t.strictSame([asked, retryAfterMs], [2, 700])
})

t.test('a code fault is thrown before the first removal, and reported as unknown afterwards', async (t) => {
  let asked = 0
  const failAt = (at: number) =>
    removal(async () => {
      asked += 1
      if (asked === at) throw new TypeError('a bug')
      return () => ({ outcome: 'applied' })
    })
  await t.rejects(removePlays([play('1', 0)], failAt(1).options), TypeError)
  asked = 0
  const { options, logged } = failAt(2)
  const { outcomes } = await removePlays(['1', '2', '3'].map(play), options)
  t.strictSame(
    outcomes.map(({ outcome }) => outcome),
    ['applied', 'applied', 'unknown'],
  )
  t.equal(logged.length, 1)
})
