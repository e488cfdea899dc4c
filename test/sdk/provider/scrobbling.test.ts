// Shared helpers of providers that record plays: calls, ids in turn, outcomes, and certain plays.
import fc from '../../fast-check.ts'
import t from 'tap'
import { type Item, PlayheadError } from '@playhead/sdk'
import {
  alreadyPlayed,
  certainPlays,
  createNamesInTurn,
  playAdded,
  playToAdd,
  type ScrobbleRequest,
  type ScrobbleResult,
  scrobbleStep,
  sortPlays,
} from '@playhead/sdk/provider'
import { scrobbleFailure } from '../../../sdk/provider/playback/scrobbling.ts'

const heat: Item = { type: 'movie', ids: { imdb: 'tt0113277', tmdb: '949' } }
const start: ScrobbleRequest = { action: 'start', item: heat, percent: 10, completed: false, atMs: 1_700_000_000_123 }
const play: ScrobbleRequest = { ...start, action: 'stop', percent: 95, completed: true }

t.test('a completed stop is always recorded, and nothing else ever is', (t) => {
  const report = fc.record({
    action: fc.constantFrom('start' as const, 'pause' as const, 'stop' as const),
    percent: fc.integer({ min: 0, max: 10_000 }).map((hundredths) => hundredths / 100),
    completed: fc.boolean(),
  })
  const steps = fc.record({
    playAtPercent: fc.integer({ min: 50, max: 95 }),
    unfinished: fc.constantFrom('stop' as const, 'pause' as const),
  })
  fc.assert(
    fc.property(report, steps, (one, how) => {
      const step = scrobbleStep(one, how)
      const isRecorded =
        step.type === 'history' || (step.type === 'call' && step.action === 'stop' && step.percent >= how.playAtPercent)
      if (isRecorded !== (one.action === 'stop' && one.completed)) return false
      if (step.type !== 'call') return true
      // Services refuse smaller positions.
      return (
        step.percent >= (step.action === 'start' ? 2 : 1) && (step.percent === one.percent || one.action === 'start')
      )
    }),
  )
  t.end()
})

t.test('ids are tried until one is found, which is tried first from then on', async (t) => {
  const names = createNamesInTurn<string>(2)
  const tried: string[] = []
  const known =
    (...good: string[]) =>
    async (name: string): Promise<ScrobbleResult> => {
      tried.push(name)
      return good.includes(name) ? { outcome: 'applied' } : { outcome: 'not_found', reason: 'not_found' }
    }
  const take = () => tried.splice(0)
  t.same(await names.send(heat, [], known()), { outcome: 'unsupported', reason: 'missing_ids' })
  t.match(await names.send(heat, ['a', 'b', 'c'], known('b', 'c')), { outcome: 'applied' })
  t.same(take(), ['a', 'b'], 'it ends at the first success')
  await names.send(heat, ['a', 'b', 'c'], known('b', 'c'))
  t.same(take(), ['b'])
  await names.send(heat, ['a', 'b', 'c'], known('c'))
  t.same(take(), ['b', 'a', 'c'], 'the service may forget it')
  await names.send(heat, ['a', 'b', 'c'], known())
  t.same(take(), ['c', 'a', 'b'])
  t.match(await names.send(heat, ['a'], known('z'), async () => ['z']), { outcome: 'applied' })
  t.same(take(), ['a', 'z'])
  await names.send(heat, ['a'], known('z'), async () => ['z'])
  t.same(take(), ['z'])
  for (const tmdb of ['1', '2']) await names.send({ type: 'movie', ids: { tmdb } }, ['a'], known('a'))
  take()
  await names.send(heat, ['a'], known('z'), async () => ['z'])
  t.same(take(), ['a', 'z'], 'the oldest was forgotten')
})

t.test('any result except not found ends the tries, so that a play is sent with one id only', async (t) => {
  for (const outcome of ['applied', 'already', 'unknown', 'failed', 'rate_limited', 'rejected'] as const) {
    let sent = 0
    const result = await createNamesInTurn<string>().send(heat, ['a', 'b'], async () => {
      sent += 1
      return { outcome }
    })
    t.same([result.outcome, sent], [outcome, 1])
  }
})

t.test('a failing lookup leaves no unknown outcome, because nothing was sent', async (t) => {
  const names = createNamesInTurn<string>()
  const notFound = async (): Promise<ScrobbleResult> => ({ outcome: 'not_found' })
  const looked = (error: unknown) => names.send(heat, ['a'], notFound, async () => Promise.reject(error))
  t.match(await looked(new PlayheadError('PLH_UPSTREAM', 'no', { details: { status: 502 } })), {
    outcome: 'failed',
    reason: 'http_502',
  })
  t.match(await looked(new PlayheadError('PLH_RATE_LIMITED', 'no', { retryAfterMs: 5_000 })), {
    outcome: 'rate_limited',
    retryAfterMs: 5_000,
  })
  await t.rejects(looked(new TypeError('a bug')), TypeError)
})

t.test('a failed server may have recorded a play, and a refused application may be accepted again', (t) => {
  const of = (request: ScrobbleRequest, ...error: ConstructorParameters<typeof PlayheadError>) =>
    scrobbleFailure(new PlayheadError(...error), request)?.outcome
  const status = (code: number) => ['PLH_UPSTREAM', 'no', { details: { status: code } }] as const
  t.same(
    [of(start, ...status(500)), of(play, ...status(500)), of(play, ...status(503))],
    ['failed', 'unknown', 'unknown'],
  )
  t.same(
    [of(play, ...status(502)), of(play, ...status(423)), of(play, ...status(409))],
    ['unknown', 'failed', 'rejected'],
  )
  t.same([of(play, 'PLH_FORBIDDEN', 'no'), of(play, ...status(403))], ['failed', 'failed'])
  t.same([of(play, 'PLH_AUTH_FAILED', 'no'), of(play, 'PLH_NOT_READY', 'no')], ['failed', 'failed'])
  t.equal(of(play, 'PLH_ABORTED', 'no'), 'unknown')
  t.equal(scrobbleFailure(new TypeError('a bug'), play), undefined)
  t.end()
})

t.test("the time of a play is the service's, or the sent one, otherwise unknown", (t) => {
  t.same(alreadyPlayed('{"watched_at":"2024-03-01T20:00:00.000Z"}', play), {
    outcome: 'already',
    play: { watchedAtMs: 1_709_323_200_000 },
  })
  for (const text of [
    '',
    'null',
    '<html>',
    '{"watched_at":""}',
    '{"watched_at":"2024-03-01"}',
    '{"watched_at":5}',
    '[]',
  ])
    t.same(alreadyPlayed(text, play), { outcome: 'already', play: { watchedAtMs: null } }, text)
  t.same(alreadyPlayed('{"watched_at":"2024-03-01T20:00:00Z"}', start), { outcome: 'already' })
  const added = playToAdd(play)
  t.match(added, { ...heat, watched_at: '2023-11-14T22:13:20Z' })
  t.same(playAdded({ outcomes: [{ key: 'play', outcome: 'applied' }] }, added), {
    outcome: 'applied',
    play: { watchedAtMs: 1_700_000_000_000 },
  })
  t.same(playAdded({ outcomes: [{ key: 'play', outcome: 'unknown', reason: 'timeout' }], retryAfterMs: 5 }, added), {
    outcome: 'unknown',
    reason: 'timeout',
    retryAfterMs: 5,
  })
  t.same(playAdded({ outcomes: [] }, added), { outcome: 'unknown' })
  t.end()
})

t.test('rows that may be the item with other ids make the answer uncertain', (t) => {
  const at = (item: Item, ms = 0): Item => ({
    ...item,
    watched_at: new Date(1_700_000_000_000 + ms).toISOString().replace('.000', ''),
  })
  const request = { item: heat, fromMs: 1_700_000_000_400, toMs: 1_700_000_060_000 }
  const other: Item = { type: 'movie', ids: { tmdb: '348' } }
  const unlike: Item = { type: 'movie', ids: { tvdb: '31' } }
  const conflict: Item = { type: 'movie', ids: { tmdb: '949', imdb: 'tt0000001' } }
  const part: Item = { type: 'episode', ids: { tvdb: '5' } }
  t.equal(certainPlays([at(heat), at(other)], request).length, 1, 'a time that is cut to its second')
  t.same(certainPlays([at(heat, -1_000), at(heat, 60_001), { ...heat }, at(other), at(part)], request), [])
  t.throws(() => certainPlays([at(unlike)], request), { code: 'PLH_UPSTREAM_INVALID' })
  t.throws(() => certainPlays([at(conflict)], request), { code: 'PLH_UPSTREAM_INVALID' })
  t.equal(certainPlays([at(unlike), at({ type: 'movie', ids: { imdb: 'tt0113277' } })], request).length, 1)
  const onDay = (day: string): Item => ({ ...heat, watched_at: day })
  t.throws(() => certainPlays([onDay('2023-11-14')], request), { code: 'PLH_UPSTREAM_INVALID' })
  t.same(certainPlays([onDay('2023-11-13'), onDay('2023-11-16'), { ...onDay('soon') }], request), [])
  t.equal(sortPlays([at(unlike), at(conflict), at(other)], request).undecided.length, 2)
  t.end()
})
