// A media server that rescans its library assigns new item ids, even during playback.
import t from 'tap'
import type { PlaySession } from '@playhead/sdk'
import fc, { runsOf } from '../../fast-check.ts'
import { createFollower } from '../../../plugins/services/scrobble/watch/follow.ts'
import { live, type Report, sitting, wire } from './household.ts'
import { named, recorded, scrobble } from './scrobbler.ts'
import { MINUTE_MS, movie, START_MS } from './support.ts'

/** From each of these times on, every item has another id at its server; shared ids stay. */
function renamed(reports: readonly Report[], timesMs: readonly number[]): readonly Report[] {
  return reports.map(({ atMs, observation }) => {
    const { item } = observation
    const scans = timesMs.filter((time) => observation.atMs >= time).length
    const native = { ...item.native, item_id: `${item.native?.item_id} scan ${scans}` }
    return { atMs, observation: { ...observation, item: { ...item, native } } }
  })
}

t.test('plays recorded equal plays watched, although item ids change in between', async (t) => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(sitting, { minLength: 1, maxLength: 6 }),
      wire,
      fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1, maxLength: 4 }),
      fc.oneof(fc.constant(Infinity), fc.integer({ min: 1, max: 400 })),
      async (sittings, way, moments, every) => {
        const { reports, plays, isAmbiguous } = live(sittings, way)
        fc.pre(!isAmbiguous && reports.length > 0)
        const timesMs = moments.map((moment) => reports[Math.floor(moment * (reports.length - 1))]!.observation.atMs)
        const found = recorded(await scrobble(renamed(reports, timesMs), every))
        if (JSON.stringify(found) !== JSON.stringify(named(plays)))
          throw new Error(`watched ${named(plays).join(', ')}; recorded ${found.join(', ')}`)
      },
    ),
    { numRuns: runsOf(80) },
  )
  t.pass()
})

t.test('an item whose id changes in a session continues', async (t) => {
  const follower = createFollower({ provider: 'MEDIAA', instance: 'default' })
  const session = (name: string, minutes: number): PlaySession => ({
    key: 's1',
    item: { ...movie(), native: { item_id: name } },
    state: 'playing',
    positionMs: minutes * MINUTE_MS,
    durationMs: 100 * MINUTE_MS,
    account: { id: '1', name: 'mira', relation: 'own' },
    deviceId: 'tv',
  })
  const at = (one: PlaySession, seconds: number) =>
    follower.take({ type: 'sessions', sessions: [one], atMs: START_MS + seconds * 1_000 })
  at(session('old', 60), 0)
  t.match(at(session('renamed', 60.5), 30), [{ state: 'playing', item: { native: { item_id: 'renamed' } } }])
  t.equal(at({ ...session('renamed', 0), item: movie(2) }, 60).length, 2, 'another item ends it')
})
