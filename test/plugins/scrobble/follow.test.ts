// Events from the sessions of a service: missing ends, consecutive items, lost reports.
import t from 'tap'
import { PlayheadError, type PlaySession } from '@playhead/sdk'
import { createFollower } from '../../../plugins/services/scrobble/watch/follow.ts'
import { createUnseenEnds } from '../../../plugins/services/scrobble/watch/unseen-ends.ts'
import { MINUTE_MS, movie, seen, START_MS } from './support.ts'

const source = { provider: 'MEDIAB', instance: 'default' }
const session = (change: Partial<PlaySession> = {}): PlaySession => ({
  key: 's1',
  item: movie(1),
  state: 'playing',
  positionMs: 10 * MINUTE_MS,
  durationMs: 100 * MINUTE_MS,
  account: { id: 'u1', name: 'mira', relation: 'own' },
  deviceId: 'tv',
  ...change,
})
const all = (sessions: readonly PlaySession[], atMs: number) => ({ type: 'sessions', sessions, atMs }) as const
const one = (changed: PlaySession, atMs: number) => ({ type: 'session', session: changed, atMs }) as const

t.test('a session that disappeared has ended, at its estimated position', async (t) => {
  const follower = createFollower(source)
  follower.take(all([session()], START_MS))
  t.match(follower.take(all([], START_MS + 4_000)), [
    { state: 'stopped', synthetic: true, positionMs: 10 * MINUTE_MS + 4_000, session: 's1' },
  ])
  t.same(follower.take(all([], START_MS + 8_000)), [], 'once')
})

t.test('after an outage nothing is invented: only the last half minute is assumed', async (t) => {
  const follower = createFollower(source)
  follower.take(all([session()], START_MS))
  const [end] = follower.take(all([], START_MS + 60 * MINUTE_MS))
  t.equal(end?.positionMs, 10 * MINUTE_MS + 30_000)
})

t.test('a paused session ends at its pause', async (t) => {
  const follower = createFollower(source)
  follower.take(all([session({ state: 'paused' })], START_MS))
  t.match(follower.take(all([], START_MS + 10_000)), [{ state: 'stopped', positionMs: 10 * MINUTE_MS }])
})

t.test('the next item of a session first ends the previous one', async (t) => {
  const follower = createFollower(source)
  follower.take(all([session({ positionMs: 99 * MINUTE_MS })], START_MS))
  const [end, begin, ...more] = follower.take(all([session({ item: movie(2), positionMs: 0 })], START_MS + 2_000))
  t.match(end, { state: 'stopped', item: { native: { item_id: 'item-1' } }, positionMs: 99 * MINUTE_MS + 2_000 })
  t.match(begin, { state: 'playing', item: { native: { item_id: 'item-2' } } })
  t.same(more, [])
})

t.test('a stop of an item other than the current one is too late to matter', async (t) => {
  const follower = createFollower(source)
  follower.take(one(session({ item: movie(2) }), START_MS))
  t.same(follower.take(one(session({ state: 'stopped' }), START_MS + 1_000)), [])
  t.equal(follower.sessions().length, 1)
})

t.test('missing fields of a report come from the previous one', async (t) => {
  const follower = createFollower(source)
  follower.take(one(session({ libraries: ['3'] }), START_MS))
  const { durationMs: _d, positionMs: _p, ...bare } = session()
  t.match(follower.take(one({ ...bare, state: 'stopped' }, START_MS + 1_000)), [
    { durationMs: 100 * MINUTE_MS, positionMs: 10 * MINUTE_MS, libraries: ['3'] },
  ])
})

t.test('two devices and two people have separate sessions', async (t) => {
  const follower = createFollower(source)
  const other = session({ key: 's2', account: { id: 'u2', relation: 'other' }, deviceId: 'tablet' })
  t.equal(follower.take(all([session(), other], START_MS)).length, 2)
  t.match(follower.take(all([other], START_MS + 2_000)), [{ session: 's1', state: 'stopped' }, { session: 's2' }])
})

t.test('sessions from before a restart end when they are gone, and their end is marked as unseen', async (t) => {
  const follower = createFollower(source)
  follower.remember([
    { session: session({ positionMs: 97 * MINUTE_MS }), sinceMs: START_MS - 97 * MINUTE_MS, atMs: START_MS },
  ])
  t.match(follower.take(all([], START_MS + 30 * MINUTE_MS)), [
    {
      state: 'stopped',
      positionMs: 97 * MINUTE_MS + 30_000,
      unseen: { sinceMs: START_MS - 97 * MINUTE_MS, lastAtMs: START_MS },
    },
  ])
  follower.take(all([session()], START_MS + 31 * MINUTE_MS))
  t.notOk('unseen' in (follower.take(all([], START_MS + 31 * MINUTE_MS + 4_000))[0] ?? {}))
})

t.test('an unseen end is a play if the server has one within the viewing', async (t) => {
  const lastAtMs = START_MS
  const end = seen({
    method: 'watcher',
    kind: 'level',
    state: 'stopped',
    synthetic: true,
    atMs: START_MS + 3 * 60 * MINUTE_MS,
    unseen: { sinceMs: START_MS - 50 * MINUTE_MS, lastAtMs },
  })
  const askedWith = async (answer: () => Promise<readonly object[]>) => {
    const asked: unknown[] = []
    const provider = () => ({
      plays: async (_instance: string, request: unknown) => {
        asked.push(request)
        return await answer()
      },
    })
    const log = { info() {} } as never
    return { asked, result: await createUnseenEnds({ provider: provider as never, log })(end) }
  }
  const at = (ms: number) => async () => [{ watched_at: new Date(ms).toISOString() }]
  const { asked, result } = await askedWith(at(START_MS + 60 * MINUTE_MS))
  t.match(result, { completed: true, kind: 'event', atMs: START_MS + 60 * MINUTE_MS })
  t.match(asked, [{ fromMs: START_MS - 52 * MINUTE_MS, toMs: end.atMs }])
  t.match((await askedWith(at(START_MS - 50 * MINUTE_MS))).result, { completed: true, atMs: lastAtMs })
  t.same((await askedWith(async () => [])).result, end)
  const down = () => Promise.reject(new PlayheadError('PLH_UPSTREAM', 'down'))
  t.same((await askedWith(down)).result, end)
  t.same(await createUnseenEnds({ provider: () => undefined, log: { info() {} } as never })(end), end)
})
