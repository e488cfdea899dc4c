// Two people share a player and switch profiles, even in the middle of a film: the plays of one never reach the tracker of the
// other.
import t from 'tap'
import type { PlaySession } from '@playhead/sdk'
import fc, { runsOf } from '../../fast-check.ts'
import { createFollower } from '../../../plugins/services/scrobble/watch/follow.ts'
import { observe } from '../../../plugins/services/scrobble/decide/observe.ts'
import { rememberedSessions } from '../../../plugins/services/scrobble/watch/remembered.ts'
import { named, recorded, createScrobbler } from './scrobbler.ts'
import { MINUTE_MS, movie, seen, START_MS, THRESHOLDS } from './support.ts'

const LENGTH_SECONDS = 6_000
const STEP_SECONDS = 30
const COUNTS_AT = 0.9 * LENGTH_SECONDS
const SOURCE = { provider: 'MEDIAA', instance: 'default' }

/** A period in which one person plays one film on the shared player. */
interface Part {
  readonly person: number
  readonly film: number
  readonly fromSeconds: number
  readonly seconds: number
  /** The player is closed before it; otherwise its session continues. */
  readonly closedBefore: boolean
  /** The profile is switched, and the film continues at its position. */
  readonly goesOn: boolean
}

const part: fc.Arbitrary<Part> = fc.record({
  person: fc.nat(1),
  film: fc.nat(1),
  fromSeconds: fc.oneof(fc.constant(0), fc.integer({ min: 600, max: 5_000 })),
  seconds: fc.integer({ min: 120, max: 6_500 }),
  closedBefore: fc.boolean(),
  goesOn: fc.boolean(),
})

t.test('a profile is switched on a shared player, even in the middle of a film', async (t) => {
  await fc.assert(
    fc.asyncProperty(fc.array(part, { minLength: 2, maxLength: 6 }), fc.boolean(), async (parts, restarts) => {
      const follower = createFollower(SOURCE)
      const scrobbler = createScrobbler()
      const mine = new Set<string>()
      const certain = new Set<string>()
      let atMs = START_MS
      let session = 1
      let position = 0
      let film = 0
      const report = async (sessions: readonly PlaySession[]) => {
        const seen = follower.take({ type: 'sessions', sessions, atMs })
        for (const observation of seen) await scrobbler.take(atMs, observation)
      }
      for (const one of parts) {
        if (one.closedBefore) {
          atMs += STEP_SECONDS * 1_000
          await report([])
          session += 1
        }
        if (!one.goesOn || position >= LENGTH_SECONDS) {
          film = one.film
          position = one.fromSeconds
        }
        if (restarts) scrobbler.restart()
        for (let left = one.seconds; left > 0 && position < LENGTH_SECONDS; left -= STEP_SECONDS) {
          await report([
            {
              key: `s${session}`,
              item: movie(film + 1),
              state: 'playing',
              positionMs: position * 1_000,
              durationMs: LENGTH_SECONDS * 1_000,
              account: { id: `p${one.person}`, name: `p${one.person}`, relation: 'other' },
              deviceId: 'tv',
            },
          ])
          position += STEP_SECONDS
          atMs += STEP_SECONDS * 1_000
        }
        // Seen there twice after the first report, which may be a seek.
        if (position - 3 * STEP_SECONDS >= COUNTS_AT && one.seconds >= 5 * STEP_SECONDS)
          certain.add(`p${one.person} film ${film}`)
        // Its last half minute is assumed at the profile switch.
        if (position + STEP_SECONDS >= COUNTS_AT) mine.add(`p${one.person} film ${film}`)
      }
      await report([])
      const plays = new Set(recorded(await scrobbler.end()))
      const others = [...plays].filter((play) => !mine.has(play))
      const lost = [...certain].filter((play) => !plays.has(play))
      if (lost.length > 0) throw new Error(`watched, but not recorded: ${lost.join(', ')}`)
      if (others.length > 0) throw new Error(`recorded, but not watched by them: ${others.join(', ')}`)
    }),
    { numRuns: runsOf(60) },
  )
  t.pass()
})

const session = (person: number, positionSeconds?: number): PlaySession => ({
  key: 's1',
  item: movie(1),
  state: 'playing',
  durationMs: LENGTH_SECONDS * 1_000,
  account: { id: `p${person}`, name: `p${person}`, relation: 'other' },
  deviceId: 'tv',
  ...(positionSeconds === undefined ? {} : { positionMs: positionSeconds * 1_000 }),
})

t.test('a person who leaves a running film has ended it there, and their session data stays theirs', async (t) => {
  const follower = createFollower(SOURCE)
  follower.take({ type: 'session', session: session(0, 5_700), atMs: START_MS })
  const [end, begin, ...more] = follower.take({ type: 'session', session: session(1), atMs: START_MS + 10_000 })
  t.match(end, { state: 'stopped', account: { id: 'p0' }, positionMs: 5_710_000, synthetic: true })
  t.match(begin, { state: 'playing', account: { id: 'p1' } })
  t.equal(begin?.positionMs, undefined, 'a position that only the other person reached')
  t.same(more, [])
})

t.test('the play of a person who left before the credits is counted at once, and theirs alone', async (t) => {
  const follower = createFollower(SOURCE)
  const scrobbler = createScrobbler()
  const at = async (seconds: number, ...sessions: PlaySession[]) => {
    const atMs = START_MS + seconds * 1_000
    for (const one of follower.take({ type: 'sessions', sessions, atMs })) await scrobbler.take(atMs, one)
  }
  for (let position = 0; position < 5_700; position += 30) await at(position, session(0, position))
  await at(5_700, session(1, 0))
  for (let position = 30; position < 1_200; position += 30) await at(5_700 + position, session(1, position))
  t.same(
    scrobbler.plays().map(({ atMs }) => (atMs - START_MS) / 1_000),
    [5_700],
  )
  await at(6_900)
  t.same(recorded(await scrobbler.end()), named([{ person: 0, film: 0 }]))
})

t.test('after a restart a session belongs to the person seen last in it', async (t) => {
  const destination = 'MEDIAA:default>TRACKA:default'
  const viewing = (person: number, minutes: number) =>
    observe(
      undefined,
      {
        ...seen(),
        method: 'watcher',
        session: 's1',
        account: session(person).account,
        atMs: START_MS + minutes * MINUTE_MS,
      },
      THRESHOLDS,
      [],
    ).viewing
  const stored = (person: number, minutes: number) => ({
    destination,
    key: `${person}`,
    viewing: viewing(person, minutes),
  })
  for (const viewings of [
    [stored(0, 0), stored(1, 5)],
    [stored(1, 5), stored(0, 0)],
  ])
    t.match(rememberedSessions(viewings, SOURCE, START_MS + 6 * MINUTE_MS), [{ session: { account: { id: 'p1' } } }])
})

t.test('a session that lacks a part of the name of its person is still theirs', async (t) => {
  const follower = createFollower(SOURCE)
  follower.take({ type: 'session', session: session(0, 600), atMs: START_MS })
  const { account: _who, ...rest } = session(0, 630)
  for (const account of [{ relation: 'unknown' }, { name: 'p0', relation: 'unknown' }] as const)
    t.equal(follower.take({ type: 'session', session: { ...rest, account }, atMs: START_MS + 30_000 }).length, 1)
})

t.test('the stop of a person who was not seen in a session is its end, and no play of theirs', async (t) => {
  const follower = createFollower(SOURCE)
  follower.take({ type: 'session', session: session(0, 5_700), atMs: START_MS })
  const stop = { ...session(1, 5_700), state: 'stopped' } as const
  t.match(follower.take({ type: 'session', session: stop, atMs: START_MS + 1_000 }), [
    { state: 'stopped', account: { id: 'p0' } },
  ])
  t.same(follower.sessions(), [])
})
