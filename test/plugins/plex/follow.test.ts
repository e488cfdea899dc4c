// Sessions from socket frames and the server's list: missing ends, reused keys, seconds for milliseconds, floods.
import { setTimeout as sleep } from 'node:timers/promises'
import fc from '../../fast-check.ts'
import t from 'tap'
import { type Logger, PlayheadError, type PlaySession, type WatchPart } from '@playhead/sdk'
import { followSocket, type FollowTimes } from '../../../plugins/providers/plex/playback/follow.ts'
import { parseFrame } from '../../../plugins/providers/plex/playback/notifications.ts'
import type { ListedSession } from '../../../plugins/providers/plex/playback/playing.ts'
import { watchSessions } from '../../../plugins/providers/plex/playback/watch.ts'

const QUICK: FollowTimes = { gapMs: 20, maxGapMs: 80, checkMs: 100, incompleteMs: 40 }
const NO_LOG = { debug() {}, info() {}, warn() {}, error() {} } as unknown as Logger
const HOUR_MS = 3_600_000

interface Row {
  key: string
  ratingKey: string
  deviceId: string
  userId: string
  positionMs: number
  durationMs?: number
  state?: PlaySession['state']
  isMusic?: true
  isIncomplete?: true
}

/** A server with a socket, whose list and frames the test sets. */
function startFake({ times = QUICK, nowMs = 1_000_000 } = {}) {
  const rows: Row[] = []
  const texts: string[] = []
  const end = new AbortController()
  let wake = () => {}
  let failure: Error | undefined
  let isClosed = false
  let clockMs = nowMs
  let lists = 0
  let failing = 0
  const socket = {
    async *[Symbol.asyncIterator]() {
      for (;;) {
        const text = texts.shift()
        if (text !== undefined) yield text
        else if (failure !== undefined) throw failure
        else if (isClosed) return
        else
          await new Promise<void>((resolve) => {
            wake = resolve
          })
      }
    },
    send() {},
    close() {
      isClosed = true
      wake()
    },
  }
  const list = async (): Promise<readonly ListedSession[]> => {
    lists += 1
    if (failing > 0) {
      failing -= 1
      throw new PlayheadError('PLH_UPSTREAM', 'The server failed.', { details: { status: 500 } })
    }
    return rows.map(({ key, ratingKey, deviceId, isMusic, isIncomplete = false, ...row }) => ({
      key,
      ratingKey,
      deviceId,
      isIncomplete,
      session: isMusic === true ? undefined : toSession({ key, ratingKey, deviceId, ...row }),
    }))
  }
  const parts: WatchPart[] = []
  const run = (source: AsyncIterable<WatchPart>) =>
    (async () => {
      for await (const part of source) parts.push(part)
    })().catch((error: unknown) => error)
  const now = () => clockMs + performance.now()
  const follow = () => run(followSocket({ socket, list, log: NO_LOG, signal: end.signal, times, now }))
  return {
    rows,
    parts,
    end,
    socket,
    list,
    run,
    follow,
    now,
    lists: () => lists,
    isClosed: () => isClosed,
    fail(times_: number) {
      failing = times_
    },
    advance(ms: number) {
      clockMs += ms
    },
    sendText(text: string) {
      texts.push(text)
      wake()
    },
    frame(
      { key, ratingKey, deviceId }: Pick<Row, 'key' | 'ratingKey' | 'deviceId'>,
      state: string,
      viewOffset?: number,
    ) {
      texts.push(
        JSON.stringify({
          NotificationContainer: {
            type: 'playing',
            size: 1,
            PlaySessionStateNotification: [
              { sessionKey: key, ratingKey, clientIdentifier: deviceId, state, viewOffset, guid: '', url: '' },
            ],
          },
        }),
      )
      wake()
    },
    lose() {
      failure = new PlayheadError('PLH_UPSTREAM', 'lost', { details: { reason: 'connection_lost' } })
      wake()
    },
    /** The sessions that were reported one by one, as texts. */
    told: () =>
      parts.flatMap((part) =>
        part.type === 'session' ? [`${part.session.key} ${part.session.state} ${part.session.positionMs}`] : [],
      ),
    listed: () =>
      parts.flatMap((part) => (part.type === 'sessions' ? [part.sessions.map(({ key }) => key).join()] : [])),
    async until(fits: () => boolean) {
      for (let tries = 0; tries < 2_000; tries += 1) {
        if (fits()) return
        await sleep(5)
      }
      throw new Error(`it did not come: ${JSON.stringify(parts)}`)
    },
  }
}

function toSession({ key, ratingKey, deviceId, userId, positionMs, durationMs, state = 'playing' }: Row): PlaySession {
  return {
    key,
    item: { type: 'movie', title: ratingKey, ids: {}, native: { item_id: ratingKey } },
    state,
    positionMs,
    durationMs: durationMs ?? 2 * HOUR_MS,
    account: { id: userId, relation: userId === '1' ? 'own' : 'other' },
    deviceId,
  }
}

const TV: Row = { key: '7', ratingKey: '100', deviceId: 'tv', userId: '1', positionMs: 600_000 }

async function begun(t: { teardown(fn: () => void): void }, options: Parameters<typeof startFake>[0] = {}) {
  const fake = startFake(options)
  fake.rows.push({ ...TV })
  const ended = fake.follow()
  t.teardown(() => fake.lose())
  await fake.until(() => fake.listed().length >= 1)
  return { ...fake, ended }
}

t.test('an end without a push is found in the list', async (t) => {
  const { rows, listed, until, lists } = await begun(t)
  rows.length = 0
  await until(() => listed().at(-1) === '')
  const asked = lists()
  await sleep(300)
  t.equal(lists(), asked, 'nothing plays, so nothing is asked')
})

t.test('a stop keeps the last position if the player reports 0, none, or one beyond the end', async (t) => {
  for (const offset of [0, undefined, 3 * HOUR_MS, -5, 1.5]) {
    const { rows, frame, told, until } = await begun(t)
    frame(TV, 'playing', 700_000)
    rows.length = 0
    frame(TV, 'stopped', offset)
    await until(() => told().length === 2)
    t.same(told(), ['7 playing 700000', '7 stopped 700000'])
  }
})

t.test('a stopped session is still listed for some time, and is not reported again', async (t) => {
  const { frame, listed, told, until } = await begun(t)
  frame(TV, 'stopped', 700_000)
  frame(TV, 'stopped', 700_000)
  const phone = { ...TV, key: '8', deviceId: 'phone' }
  frame(phone, 'playing', 1)
  await until(() => listed().length > 1)
  t.same(told(), ['7 stopped 700000'])
  t.equal(listed().at(-1), '')
  frame(TV, 'playing', 0)
  await until(() => listed().at(-1) === '7')
})

t.test('a stop is recognised hours later, and after the list lost the session', async (t) => {
  const { rows, frame, told, listed, until, advance } = await begun(t)
  advance(5 * HOUR_MS)
  rows.length = 0
  await until(() => listed().at(-1) === '')
  frame(TV, 'stopped', 900_000)
  await until(() => told().length === 1)
  t.same(told(), ['7 stopped 900000'])
})

t.test('a key that was reused for another person on another player is looked up, not assumed', async (t) => {
  const { rows, frame, told, listed, parts, until } = await begun(t)
  const other: Row = { ...TV, ratingKey: '200', userId: '900002', positionMs: 5_000 }
  rows.splice(0, 1, other)
  frame(other, 'playing', 10_000)
  await until(() => listed().length >= 2)
  t.same(told(), [])
  const last = parts.findLast((part) => part.type === 'sessions')
  t.match(last, { sessions: [{ account: { id: '900002', relation: 'other' } }] })
  const elsewhere: Row = { ...other, deviceId: 'phone', userId: '900003' }
  rows.splice(0, 1, elsewhere)
  const before = listed().length
  frame(elsewhere, 'stopped', 20_000)
  await until(() => listed().length > before && told().length > 0)
  const stopped = parts.findLast((part) => part.type === 'session')
  t.match(stopped, { session: { state: 'stopped', account: { id: '900003' } } })
})

t.test('the next item of a queue is looked up, even if the list is late', async (t) => {
  const { rows, frame, listed, parts, until } = await begun(t)
  const next: Row = { ...TV, ratingKey: '101', positionMs: 0 }
  frame(next, 'playing', 0)
  await until(() => listed().length >= 2)
  rows.splice(0, 1, next)
  await until(() => parts.at(-1)?.type === 'sessions' && JSON.stringify(parts.at(-1)).includes('"101"'))
})

t.test('seconds are converted only where milliseconds are impossible', async (t) => {
  const { frame, told, until, advance } = await begun(t)
  frame(TV, 'playing', 601)
  await until(() => told().length === 1)
  advance(10_000)
  frame(TV, 'playing', 611)
  await until(() => told().length === 2)
  // A seek to the beginning, and the first seconds.
  frame(TV, 'playing', 5_000)
  await until(() => told().length === 3)
  advance(10_000)
  frame(TV, 'playing', 15_000)
  await until(() => told().length === 4)
  frame(TV, 'playing', 0)
  await until(() => told().length === 5)
  t.same(told(), ['7 playing 601000', '7 playing 611000', '7 playing 5000', '7 playing 15000', '7 playing 0'])
})

t.test('an occasionally failing list changes nothing; one that keeps failing ends the stream', async (t) => {
  const { frame, listed, ended, until, fail, isClosed } = await begun(t)
  fail(2)
  const before = listed().length
  await until(() => listed().length > before)
  t.equal(listed().at(-1), '7')
  fail(Infinity)
  frame({ ...TV, key: '9' }, 'playing', 1)
  t.match(await ended, { code: 'PLH_UPSTREAM' })
  t.ok(isClosed())
})

t.test('a list without ids is read again soon', async (t) => {
  const fake = startFake({ times: { ...QUICK, checkMs: 100_000 } })
  fake.rows.push({ ...TV, isIncomplete: true })
  fake.follow()
  t.teardown(fake.lose)
  await fake.until(() => fake.listed().length >= 3)
})

t.test('a flood of frames and of unknown sessions costs few lists', async (t) => {
  const { frame, lists, told, until } = await begun(t, { times: { ...QUICK, checkMs: 100_000 } })
  for (let count = 0; count < 20_000; count += 1) {
    frame(TV, 'playing', 600_000 + count)
    if (count % 10 === 0) frame({ ...TV, key: `x${count}` }, 'playing', 1)
  }
  frame(TV, 'paused', 700_000)
  await until(() => told().at(-1) === '7 paused 700000')
  const started = lists()
  await sleep(400)
  t.ok(told().length < 20_000, 'repeated states are one')
  t.ok(lists() - started <= 12, `${lists() - started} lists`)
})

t.test('frames that arrived before the end of the socket are still reported', async (t) => {
  const { frame, told, lose, ended, isClosed } = await begun(t)
  frame(TV, 'playing', 650_000)
  frame(TV, 'stopped', 660_000)
  lose()
  t.match(await ended, { code: 'PLH_UPSTREAM', details: { reason: 'connection_lost' } })
  t.same(told(), ['7 playing 650000', '7 stopped 660000'])
  t.ok(isClosed())
})

t.test('after some time of polling the socket is retried, and the change is reported once', async (t) => {
  const fake = startFake()
  fake.rows.push({ ...TV })
  let tries = 0
  const ended = fake.run(
    watchSessions({
      async open() {
        tries += 1
        if (tries < 3) throw new PlayheadError('PLH_UPSTREAM', 'refused', { details: { status: 404 } })
        return fake.socket
      },
      list: fake.list,
      health: { short: 0 },
      log: NO_LOG,
      signal: fake.end.signal,
      times: QUICK,
      retryMs: 1,
    }),
  )
  const ways = () => fake.parts.flatMap((part) => (part.type === 'connected' ? [part.by] : []))
  await fake.until(() => ways().includes('push'))
  fake.lose()
  await ended
  t.same(ways(), ['poll', 'push'])
})

t.test('no frame breaks the parser, and its results are complete', async (t) => {
  const row = {
    sessionKey: '118',
    clientIdentifier: 'player-lr-01',
    ratingKey: '52013',
    viewOffset: 1_083_000,
    state: 'playing',
  }
  const wrap = (rows: unknown) =>
    JSON.stringify({ NotificationContainer: { type: 'playing', size: 1, PlaySessionStateNotification: rows } })
  t.same(parseFrame(wrap([row])), [
    { key: '118', ratingKey: '52013', deviceId: 'player-lr-01', state: 'playing', positionMs: 1_083_000 },
  ])
  t.same(parseFrame(wrap([{ ...row, ratingKey: undefined, key: '/library/metadata/52013' }])).length, 1)
  fc.assert(
    fc.property(
      fc.oneof(
        fc.jsonValue(),
        fc.array(fc.record({ sessionKey: fc.jsonValue(), state: fc.constantFrom('playing', 7) })),
      ),
      (rows) => {
        for (const one of parseFrame(wrap(rows)))
          if (one.key === '' || one.ratingKey === '') throw new Error('incomplete')
      },
    ),
  )
  fc.assert(fc.property(fc.string(), (text) => parseFrame(`${text}PlaySessionStateNotification`).length === 0))
})
