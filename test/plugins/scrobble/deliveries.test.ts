// Deliveries as a property: for any behaviour of the tracker, the sync and the process, each play arrives once.
import t from 'tap'
import fc, { runsOf } from '../../fast-check.ts'
import {
  type Item,
  type LibraryService,
  PlayheadError,
  type PlaysRequest,
  type Remote,
  type ScrobbleRequest,
  type ScrobbleResult,
} from '@playhead/sdk'
import { actionsOf } from '../actions/service.ts'
import { createAttempt, type Tracker } from '../../../plugins/services/scrobble/deliver/attempt.ts'
import { createDeliveries, type Deliveries } from '../../../plugins/services/scrobble/deliver/deliveries.ts'
import { type Delivery, OPEN_STATES, sinkKey } from '../../../plugins/services/scrobble/store/delivery.ts'
import type { Store } from '../../../plugins/services/scrobble/store/store.ts'
import { movie, START_MS } from './support.ts'

const HOUR_MS = 3_600_000

type Answer = 'well' | 'conflict' | 'refused' | 'down' | 'limited' | 'lost' | 'lost_after' | 'late' | 'fault'

const answers = fc.array(
  fc.constantFrom<Answer>(
    'well',
    'well',
    'conflict',
    'refused',
    'down',
    'limited',
    'lost',
    'lost_after',
    'late',
    'fault',
  ),
  { maxLength: 12 },
)
const events = fc.array(
  fc.record({
    film: fc.nat(4),
    action: fc.constantFrom('start' as const, 'pause' as const, 'stop' as const, 'watched' as const),
    waitMs: fc.constantFrom(100, 60_000, 2 * HOUR_MS, 30 * HOUR_MS),
    crash: fc.constantFrom('no' as const, 'no' as const, 'soon' as const),
  }),
  { minLength: 1, maxLength: 14 },
)

/** A tracker that counts every received play, including duplicates. */
function createTracker(script: Answer[], clock: { nowMs: number }) {
  const plays: { readonly title: string; readonly atMs: number }[] = []
  const plans = new Map<string, { readonly item: Item; done: boolean }>()
  const titleOf = (item: Item) => item.title ?? ''

  async function scrobble(_instance: string, { action, item, completed }: ScrobbleRequest): Promise<ScrobbleResult> {
    const answer = script.shift() ?? 'well'
    const isPlay = action === 'stop' && completed
    // Trackers use the time of the request.
    const record = () => {
      if (isPlay) plays.push({ title: titleOf(item), atMs: clock.nowMs })
    }
    switch (answer) {
      case 'refused':
        return { outcome: 'failed', reason: 'http_503' }
      case 'down':
        return { outcome: 'failed', reason: 'connection_refused' }
      case 'limited':
        return { outcome: 'rate_limited', retryAfterMs: 30_000 }
      case 'lost':
        return { outcome: 'unknown', reason: 'timeout' }
      case 'fault':
        throw new Error('a plugin that is broken')
      case 'conflict': {
        // The last play of the item is too recent for another scrobble.
        const last = plays.findLast(({ title }) => title === titleOf(item))
        if (isPlay && last !== undefined) return { outcome: 'already', play: { watchedAtMs: last.atMs } }
        record()
        return { outcome: 'applied' }
      }
      case 'lost_after':
      case 'late':
        record()
        return { outcome: 'unknown', reason: 'connection_lost' }
      default:
        record()
        return isPlay ? { outcome: 'applied', play: { watchedAtMs: clock.nowMs } } : { outcome: 'applied' }
    }
  }

  async function find(_instance: string, { item, fromMs, toMs }: PlaysRequest): Promise<readonly Item[]> {
    if (script[0] === 'down') {
      script.shift()
      throw new Error('down')
    }
    return plays
      .filter(({ title, atMs }) => title === titleOf(item) && atMs >= fromMs && atMs <= toMs)
      .map(({ atMs }) => ({ ...item, watched_at: new Date(atMs).toISOString() }))
  }

  const provider = {
    describe: async () => ({ features: { history: { read: true, add: true, plays: { read: true, write: true } } } }),
    scrobble,
    plays: find,
  } as unknown as Tracker

  const library = {
    async plan({ changes }: Parameters<LibraryService['plan']>[0]) {
      const planId = `plan-${plans.size}`
      plans.set(planId, { item: changes[0]!.item, done: false })
      return { planId, ready: { add: 1, update: 0, remove: 0 }, held: null, leftOut: [] }
    },
    async applyWhenFree(planId: string) {
      const plan = plans.get(planId)!
      if (plan.done) throw new PlayheadError('PLH_CONFLICT', 'It was applied.', { wire: 'plan_applied' })
      if (script[0] === 'limited') {
        script.shift()
        return null
      }
      plan.done = true
      plays.push({ title: titleOf(plan.item), atMs: Date.parse(plan.item.watched_at ?? '') })
      return [{ key: 'play', op: 'add', outcome: 'applied' }]
    },
    outcomes: async () => [{ key: 'play', op: 'add', outcome: 'applied' }],
  } as unknown as Remote<LibraryService>

  return { plays, provider, library, clock }
}

/** Responses take some turns of the event loop, and reflect the time of the request. */
function createMemoryStore(turns = 0): Store {
  const rows = new Map<string, Delivery>()
  const open = (delivery: Delivery) => OPEN_STATES.includes(delivery.state)
  const later = async <T>(value: T): Promise<T> => {
    for (let turn = 0; turn < turns; turn += 1) await Promise.resolve()
    return value
  }
  return {
    tables: async () => undefined as never,
    async commit({ deliveries = [] }) {
      for (const one of deliveries) rows.set(one.id, structuredClone(one))
      await later(undefined)
    },
    viewings: async () => [],
    open: (sink, limit) =>
      later(
        [...rows.values()]
          .filter((one) => open(one) && sinkKey(one.sink) === sink)
          .sort((a, b) => a.atMs - b.atMs || (a.id < b.id ? -1 : 1))
          .slice(0, limit),
      ),
    sinks: () => later([...new Set([...rows.values()].filter(open).map(({ sink }) => sinkKey(sink)))]),
    list: async () => ({ items: [...rows.values()], total: rows.size }),
    counts: async () => ({}),
    get: (id) => later(rows.get(id)),
    delivered: (sink, sinceMs) =>
      later(
        [...rows.values()].filter(
          (one) => one.state === 'done' && one.completed && sinkKey(one.sink) === sink && one.atMs >= sinceMs,
        ),
      ),
    prune: async () => {},
  }
}

function delivery(
  n: number,
  film: number,
  action: 'start' | 'pause' | 'stop',
  completed: boolean,
  atMs: number,
  startedAtMs = atMs - HOUR_MS,
): Delivery {
  return {
    id: String(n).padStart(4, '0'),
    destination: 'MEDIAA:default>TRACKA:default',
    viewing: `viewing-${film}`,
    lane: 'R1',
    method: 'watcher',
    source: { provider: 'MEDIAA', instance: 'default' },
    sink: { provider: 'TRACKA', instance: 'default' },
    session: 's',
    action,
    completed,
    percent: completed ? 97 : 40,
    durationMs: 6_000_000,
    rating: null,
    autoRemove: false,
    atMs,
    startedAtMs,
    item: movie(film),
    account: { relation: 'own' },
    state: 'queued',
    dueAtMs: atMs,
    attempts: 0,
    reason: null,
    planId: null,
    doneAtMs: null,
    watchedAtMs: null,
  }
}

/** A service that can be restarted, with a tracker that follows the script. */
function createHouse(script: readonly Answer[], turns = 0) {
  const clock = { nowMs: START_MS }
  const tracker = createTracker([...script], clock)
  const store = createMemoryStore(turns)
  const noted: string[] = []
  let end = new AbortController()
  return {
    clock,
    tracker,
    store,
    noted,
    stop: () => end.abort(),
    async start(): Promise<Deliveries> {
      end.abort()
      end = new AbortController()
      const made = createDeliveries({
        store,
        attempt: createAttempt({
          provider: () => tracker.provider,
          actions: () => actionsOf(tracker.library),
          delivered: store.delivered,
          sinkAccount: async () => undefined,
          now: () => clock.nowMs,
        }),
        plays: { expect: async () => {}, withdraw: async () => {}, record: async ({ id }) => void noted.push(id) },
        ended: () => {},
        log: { info() {}, warn() {}, error() {}, debug() {} } as never,
        signal: end.signal,
        now: () => clock.nowMs,
      })
      await made.start()
      return made
    },
  }
}

t.test(
  'each play arrives once: outages, lost answers, limits, faults, and processes that end at any moment',
  async (t) => {
    await fc.assert(
      fc.asyncProperty(events, answers, fc.nat(6), async (given, script, turns) => {
        const { clock, tracker, store, noted, start, stop } = createHouse(script, turns)
        let deliveries = await start()
        let expected = 0
        for (const [n, { film, action, waitMs, crash }] of given.entries()) {
          const completed = action === 'watched'
          const startedAtMs = clock.nowMs
          if (completed) {
            expected += 1
            clock.nowMs += HOUR_MS
          }
          const one = delivery(n, film, completed ? 'stop' : action, completed, clock.nowMs, startedAtMs)
          await store.commit({ deliveries: [one] })
          // A concurrent read of the queue.
          void deliveries.wake()
          deliveries.add([one])
          if (crash === 'soon') deliveries = await start()
          await deliveries.idle()
          clock.nowMs += waitMs
          await deliveries.wake()
          await deliveries.idle()
        }
        for (let round = 0; round < 60; round += 1) {
          clock.nowMs += HOUR_MS
          await deliveries.wake()
          await deliveries.idle()
        }
        const { items } = await store.list({ limit: 100 })
        const open = items.filter(({ state }) => OPEN_STATES.includes(state))
        if (open.length > 0) throw new Error(`${open.length} are still open: ${open[0]?.state} ${open[0]?.reason}`)
        if (tracker.plays.length !== expected) throw new Error(`${tracker.plays.length} plays, ${expected} watched`)
        const done = items.filter(({ completed, state }) => completed && state === 'done')
        if (done.length !== expected) throw new Error(`${done.length} done of ${expected}`)
        if (!done.every(({ id }) => noted.includes(id))) throw new Error('the sync does not know a play')
        stop()
      }),
      { numRuns: runsOf(1000) },
    )
    t.pass()
  },
)

const DAY_MS = 24 * HOUR_MS
const ENDED = /being sent right now/

async function queue(
  { store }: ReturnType<typeof createHouse>,
  deliveries: Deliveries,
  given: readonly Delivery[],
): Promise<void> {
  await store.commit({ deliveries: given })
  deliveries.add(given)
  await deliveries.idle()
}

t.test('a play that a sync wrote before its turn is not written a second time', async (t) => {
  const house = createHouse(['down'])
  const deliveries = await house.start()
  const [first, second] = [
    delivery(1, 1, 'stop', true, house.clock.nowMs),
    delivery(2, 2, 'stop', true, house.clock.nowMs + 1_000),
  ]
  await queue(house, deliveries, [first, second])
  t.same(house.tracker.plays, [])
  house.tracker.plays.push({ title: 'Film 2', atMs: second.atMs })
  house.clock.nowMs += 3 * DAY_MS
  await deliveries.wake()
  await deliveries.idle()
  t.same(house.tracker.plays.map(({ title }) => title).sort(), ['Film 1', 'Film 2'])
  t.match(await house.store.get('0001'), { state: 'done', watchedAtMs: first.atMs })
  t.match(await house.store.get('0002'), { state: 'done', reason: 'already' })
})

t.test('an outage that fills the queue: later plays stay behind those in the database', async (t) => {
  const house = createHouse(['down'], 2)
  const deliveries = await house.start()
  const begin = house.clock.nowMs - 10_000
  const given = Array.from({ length: 1_300 }, (_, n) => delivery(n, n, 'stop', true, begin + n))
  for (let n = 0; n < given.length; n += 100) await queue(house, deliveries, given.slice(n, n + 100))
  t.same(house.tracker.plays, [])
  house.clock.nowMs += 60_000
  // People continue watching while the queue is read and emptied.
  const more = Array.from({ length: 50 }, (_, n) =>
    delivery(2_000 + n, 2_000 + n, 'stop', true, house.clock.nowMs - 100 + n),
  )
  const woken = deliveries.wake()
  for (const one of more) {
    await house.store.commit({ deliveries: [one] })
    deliveries.add([one])
    void deliveries.wake()
  }
  await woken
  await deliveries.idle()
  const expected = [...given, ...more].map(({ item }) => item.title)
  t.same(
    house.tracker.plays.map(({ title }) => title),
    expected,
  )
})

t.test('plays that the history refused, or whose plan was deleted, are requested again', async (t) => {
  const house = createHouse([])
  const outcomes = ['rejected', 'expired', 'applied']
  Object.assign(house.tracker.library, {
    async applyWhenFree() {
      const outcome = outcomes.shift()
      if (outcome === 'expired') throw new PlayheadError('PLH_NOT_FOUND', 'Deleted.', { wire: 'plan_not_found' })
      return [{ key: 'play', op: 'add', outcome, reason: 'not_now' }]
    },
  })
  const deliveries = await house.start()
  const old = delivery(1, 1, 'stop', true, house.clock.nowMs - DAY_MS)
  await queue(house, deliveries, [old])
  t.match(await house.store.get(old.id), { state: 'failed', reason: 'not_now' })
  await deliveries.retry(old.id)
  await deliveries.idle()
  t.match(await house.store.get(old.id), { state: 'sending', reason: 'plan_expired', planId: null })
  house.clock.nowMs += HOUR_MS
  await deliveries.wake()
  await deliveries.idle()
  t.match(await house.store.get(old.id), { state: 'done', watchedAtMs: old.atMs })
})

t.test('a play that its plan did not send is requested again, but never at another account', async (t) => {
  for (const [reason, state] of [
    ['not_attempted', 'done'],
    ['account_changed', 'failed'],
  ] as const) {
    const house = createHouse([])
    const outcomes = ['deferred', 'applied']
    Object.assign(house.tracker.library, {
      applyWhenFree: async () => [{ key: 'play', op: 'add', outcome: outcomes.shift(), reason }],
    })
    const deliveries = await house.start()
    const old = delivery(1, 1, 'stop', true, house.clock.nowMs - DAY_MS)
    await queue(house, deliveries, [old])
    house.clock.nowMs += HOUR_MS
    await deliveries.wake()
    await deliveries.idle()
    t.match(await house.store.get(old.id), { state }, reason)
  }
})

t.test('a person drops waiting plays, not those being sent or written by the library', async (t) => {
  const house = createHouse(['down'], 3)
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>()
  const deliveries = await house.start()
  const given = [1, 2, 3].map((n) => delivery(n, n, 'stop', true, house.clock.nowMs - 10 + n))
  await queue(house, deliveries, given)
  t.match(await deliveries.drop('0002'), { state: 'dropped' })
  const { scrobble } = house.tracker.provider
  let isAsked = false
  Object.assign(house.tracker.provider, {
    async scrobble(...asked: Parameters<typeof scrobble>) {
      isAsked = true
      await answered
      return scrobble(...asked)
    },
  })
  house.clock.nowMs += 60_000
  await deliveries.wake()
  while (!isAsked) await new Promise(setImmediate)
  await t.rejects(deliveries.drop('0001'), ENDED)
  t.match(await deliveries.drop('0003'), { state: 'dropped' }, 'another one is being sent')
  answer()
  await deliveries.idle()
  await t.rejects(deliveries.retry('0002'), ENDED)
  const planned: Delivery = { ...delivery(4, 4, 'stop', true, house.clock.nowMs), state: 'planned', planId: 'plan-0' }
  await house.store.commit({ deliveries: [planned] })
  await t.rejects(deliveries.drop('0004'), ENDED)
  t.same(
    house.tracker.plays.map(({ title }) => title),
    ['Film 1'],
  )
})

t.test('a clock that was wrong by a year drops no play and stops none', async (t) => {
  const YEAR_MS = 365 * DAY_MS
  for (const jumpMs of [YEAR_MS, -YEAR_MS]) {
    for (const restarts of [false, true]) {
      const house = createHouse(['down', 'down'])
      let deliveries = await house.start()
      const given = [1, 2, 3, 4, 5].map((n) => delivery(n, n, 'stop', true, house.clock.nowMs - 10 + n))
      await queue(house, deliveries, given)
      // The tracker is still down while the clock is wrong.
      house.clock.nowMs += jumpMs
      if (restarts) deliveries = await house.start()
      else await deliveries.wake()
      await deliveries.idle()
      house.clock.nowMs -= jumpMs
      if (restarts) deliveries = await house.start()
      for (let round = 0; round < 4; round += 1) {
        house.clock.nowMs += HOUR_MS / 4
        await deliveries.wake()
        await deliveries.idle()
      }
      t.equal(house.tracker.plays.length, 5, `${jumpMs > 0 ? 'ahead' : 'behind'}, restarts: ${restarts}`)
      for (const { id } of given) t.match(await house.store.get(id), { state: 'done' })
    }
  }
})
