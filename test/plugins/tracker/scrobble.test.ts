// Scrobbles to the tracker: positions during playback, and each play once.
import fc, { runsOf } from '../../fast-check.ts'
import t from 'tap'
import type { Item } from '@playhead/sdk'
import { MINUTE_MS, played, playsAbout, required, scrobbled, told } from '../scrobble-bench.ts'
import { alien, episode, heat, startTracker, type Tracker } from './support.ts'

const second = (atMs: number) => Math.floor(atMs / 1_000) * 1_000
const timesOf = async (tracker: Tracker) =>
  (await tracker.items('history', { plays: true })).map(({ watched_at: at }) => Date.parse(at ?? ''))

t.test('positions are stored during playback, and the newest wins', async (t) => {
  await using tracker = await startTracker()
  const { provider } = tracker
  const atMs = Date.now() - 10 * MINUTE_MS
  t.equal(await told(provider, heat, { percent: 0, atMs }), 'applied')
  t.same(await tracker.items('progress'), [], 'the beginning is no position')
  const times = { positionMs: 600_000, durationMs: 6_000_000 }
  t.equal(await told(provider, heat, { percent: 10, atMs, ...times }), 'applied')
  t.match(await tracker.items('progress'), [{ progress_percent: 10, progress_ms: 600_000, duration_ms: 6_000_000 }])
  t.equal(await told(provider, heat, { action: 'pause', percent: 42.5, atMs: atMs + 1_000 }), 'applied')
  const [row] = await tracker.items('progress')
  t.equal(row?.progress_percent, 42.5)
  t.notOk(row !== undefined && 'progress_ms' in row, 'the older time would contradict the percentage')
  t.equal(row?.progress_at, new Date(atMs + 1_000).toISOString().replace('.000Z', 'Z'))
  t.equal(await told(provider, heat, { action: 'stop', percent: 20, atMs: atMs + 2_000 }), 'applied')
  t.match(await tracker.items('progress'), [{ progress_percent: 20 }], 'also backwards')
  t.equal(await told(provider, heat, { percent: 90, atMs: atMs - 5_000 }), 'applied')
  t.match(await tracker.items('progress'), [{ progress_percent: 20 }], 'an older report comes too late')
  t.equal(await told(provider, heat, { percent: 0, atMs: atMs + 3_000 }), 'applied')
  t.match(await tracker.items('progress'), [{ progress_percent: 0 }])
  t.same(await tracker.items('history'), [])
})

t.test('a play is recorded at its time for any percentage, and its position is removed', async (t) => {
  await using tracker = await startTracker()
  const { provider } = tracker
  const atMs = Date.now() - 5 * MINUTE_MS
  for (const [item, percent] of [
    [heat, 95],
    [alien, 30],
    [episode, 100],
  ] as const) {
    await told(provider, item, { percent: 10, atMs })
    const result = await scrobbled(provider, item, played(percent, { atMs }))
    t.match(result, { outcome: 'applied', play: { watchedAtMs: second(atMs), eventId: /^[0-9a-f]{32}$/ } })
  }
  t.same(await tracker.items('progress'), [])
  t.same(await timesOf(tracker), Array(3).fill(second(atMs)))
  t.equal(
    await told(provider, heat, { action: 'start', percent: 95, completed: true }),
    'applied',
    'only a stop completes',
  )
  t.equal((await timesOf(tracker)).length, 3)
})

t.test('the same play within a minute is a duplicate, a later one is another', async (t) => {
  await using tracker = await startTracker()
  const { provider } = tracker
  const atMs = Date.now() - 60 * MINUTE_MS
  await told(provider, heat, played(95, { atMs }))
  await told(provider, heat, { percent: 5, atMs })
  for (const more of [0, 30_000, 60_000]) {
    const again = await scrobbled(provider, heat, played(95, { atMs: atMs + more }))
    t.match(again, { outcome: 'already', play: { watchedAtMs: second(atMs) } }, `${more} ms later`)
  }
  t.same(await tracker.items('progress'), [], 'its position goes all the same')
  t.equal(
    await told(provider, { ...heat, ids: { ...heat.ids, tmdb: '949' } }, played(95, { atMs: atMs + 1_000 })),
    'already',
  )
  t.equal(await told(provider, heat, played(95, { atMs: atMs + 62_000 })), 'applied')
  t.equal((await timesOf(tracker)).length, 2)
})

t.test('an item without an id is refused, and no title replaces it', async (t) => {
  await using tracker = await startTracker()
  const { provider } = tracker
  const title = { title: 'Heat', year: 1995, series_title: 'Heat', series_year: 1995 }
  for (const [item, reason] of [
    [{ type: 'movie', ...title, ids: {} }, 'missing_ids'],
    [{ type: 'movie', ...title, ids: { slug: 'heat' } }, 'missing_ids'],
    [{ type: 'episode', ...title, ids: {}, season: 1, episode: 1 }, 'missing_ids'],
    [{ type: 'episode', ids: {}, show_ids: { tvdb: '1' }, season: 1 }, 'missing_ids'],
    [{ type: 'episode', ids: { tvdb: '5' }, show_ids: { tvdb: '1' }, season: 1 }, 'missing_numbers'],
    [{ type: 'show', ids: { tvdb: '1' } }, 'unsupported_kind'],
  ] as const satisfies readonly (readonly [Item, string])[]) {
    t.equal(await told(provider, item, played()), `unsupported:${reason}`)
    t.equal(await told(provider, item), `unsupported:${reason}`)
  }
  await told(provider, { type: 'movie', ids: { imdb: 'tt0113277', tmdb: '949' } }, played())
  t.equal(
    await told(provider, { type: 'movie', ids: { imdb: 'tt0113277', tmdb: '7' } }, played()),
    'rejected:ambiguous_ids',
  )
  t.equal((await timesOf(tracker)).length, 1)
})

t.test('plays of an item are those within the time, found by any id', async (t) => {
  await using tracker = await startTracker()
  const { provider } = tracker
  const atMs = second(Date.now()) - 60 * MINUTE_MS
  const both: Item = { type: 'movie', ids: { imdb: 'tt0113277', tmdb: '949' } }
  await told(provider, both, played(95, { atMs }))
  await told(provider, both, played(95, { atMs: atMs + 10 * MINUTE_MS }))
  await told(provider, alien, played(95, { atMs }))
  const plays = required(provider.plays)
  t.equal(
    (await plays('default', { item: { type: 'movie', ids: { tmdb: '949' } }, fromMs: atMs, toMs: atMs })).length,
    1,
  )
  t.equal((await plays('default', { item: both, fromMs: atMs, toMs: Date.now() })).length, 2)
  t.equal((await plays('default', { item: both, fromMs: atMs + 1_000, toMs: atMs + 9 * MINUTE_MS })).length, 0)
  t.equal((await plays('default', { item: episode, fromMs: 0, toMs: Date.now() })).length, 0)
})

t.test('an error records nothing, and a disabled tracker says so', async (t) => {
  await using tracker = await startTracker()
  const { provider, host } = tracker
  await told(provider, heat, { percent: 10 })
  await host.ctx.db.schema.alterTable('tracker__tokens').renameTo('tracker__gone').execute()
  t.equal(await told(provider, heat, played()), 'failed:state_unwritable')
  await t.rejects(playsAbout(provider, heat), { code: 'PLH_UPSTREAM_INVALID' })
  await host.ctx.db.schema.alterTable('tracker__gone').renameTo('tracker__tokens').execute()
  t.equal((await tracker.items('progress')).length, 1)
  t.same(await timesOf(tracker), [])
  await provider.disconnect('default')
  t.equal(await told(provider, heat, played()), 'failed:not_configured')
})

t.test('a play and the end of its position are one change: if one fails there is neither', async (t) => {
  await using tracker = await startTracker()
  const { provider, host } = tracker
  await told(provider, heat, { percent: 10 })
  await host.ctx.db.updateTable('tracker__rows').set({ item: '{' }).where('feature', '=', 'progress').execute()
  t.equal(await told(provider, heat, played()), 'failed:state_unreadable')
  t.same(await timesOf(tracker), [])
})

t.test('concurrent reports record each play once', async (t) => {
  await using tracker = await startTracker()
  const { provider } = tracker
  const atMs = Date.now()
  const results = await Promise.all(
    Array.from({ length: 20 }, (_, index) => told(provider, heat, played(95, { atMs: atMs + index }))),
  )
  t.equal(results.filter((outcome) => outcome === 'applied').length, 1)
  t.equal(results.filter((outcome) => outcome === 'already').length, 19)
  t.equal((await timesOf(tracker)).length, 1)
})

t.test('for any reports, there is a play for each completed stop that is not within a minute of another', async (t) => {
  await using tracker = await startTracker()
  const { provider } = tracker
  let next = 1
  const step = fc.record({
    action: fc.constantFrom('start' as const, 'pause' as const, 'stop' as const),
    percent: fc.integer({ min: 0, max: 100 }),
    completed: fc.boolean(),
    minutes: fc.integer({ min: 0, max: 5 }),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
      const item: Item = { type: 'movie', ids: { tmdb: String(90_000 + next++) } }
      let atMs = second(Date.now()) - 400 * MINUTE_MS
      const plays: number[] = []
      for (const { minutes, ...report } of steps) {
        atMs += minutes * MINUTE_MS
        const isPlay = report.action === 'stop' && report.completed
        const isNew = plays.every((playMs) => atMs - playMs > MINUTE_MS)
        if (isPlay && isNew) plays.push(atMs)
        const outcome = await told(provider, item, { ...report, atMs })
        if (outcome !== (isPlay && !isNew ? 'already' : 'applied')) throw new Error(outcome)
      }
      const found = await required(provider.plays)('default', { item, fromMs: 0, toMs: Date.now() })
      const times = found.map(({ watched_at: at }) => Date.parse(at ?? '')).sort((a, b) => a - b)
      if (JSON.stringify(times) !== JSON.stringify(plays)) throw new Error(`${times} are not ${plays}`)
    }),
    { numRuns: runsOf(60) },
  )
  t.equal((await tracker.items('progress')).filter(({ progress_percent: percent }) => percent === undefined).length, 0)
})
