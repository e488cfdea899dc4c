// Deliveries as a property: whatever a tracker, the sync and the process do, each play arrives once.
import t from 'tap'
import fc from 'fast-check'
import type { Item, LibraryService, PlaysRequest, Remote, ScrobbleRequest, ScrobbleResult } from '@playhead/sdk'
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

/** A tracker that counts every play it is given, twice if it is given twice. */
function createTracker(script: Answer[], clock: { nowMs: number }) {
  const plays: { readonly title: string; readonly atMs: number }[] = []
  const plans = new Map<string, { readonly item: Item; done: boolean }>()
  const titleOf = (item: Item) => item.title ?? ''

  async function scrobble(
    _instance: string,
    { action, item, completed, atMs }: ScrobbleRequest,
  ): Promise<ScrobbleResult> {
    const answer = script.shift() ?? 'well'
    const isPlay = action === 'stop' && completed
    const record = () => {
      if (isPlay) plays.push({ title: titleOf(item), atMs })
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
        return isPlay ? { outcome: 'applied', play: { watchedAtMs: atMs } } : { outcome: 'applied' }
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
      if (plan.done) throw Object.assign(new Error('applied'), { name: 'PlayheadError' })
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

function createMemoryStore(): Store {
  const rows = new Map<string, Delivery>()
  const open = (delivery: Delivery) => OPEN_STATES.includes(delivery.state)
  return {
    tables: async () => undefined as never,
    async commit({ deliveries = [] }) {
      for (const one of deliveries) rows.set(one.id, structuredClone(one))
    },
    viewings: async () => [],
    open: async (sink) =>
      [...rows.values()].filter((one) => open(one) && sinkKey(one.sink) === sink).sort((a, b) => a.atMs - b.atMs),
    sinks: async () => [...new Set([...rows.values()].filter(open).map(({ sink }) => sinkKey(sink)))],
    list: async () => ({ items: [...rows.values()], total: rows.size }),
    counts: async () => ({}),
    get: async (id) => rows.get(id),
    prune: async () => {},
  }
}

function delivery(
  n: number,
  film: number,
  action: 'start' | 'pause' | 'stop',
  completed: boolean,
  atMs: number,
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
    startedAtMs: atMs - HOUR_MS,
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

t.test(
  'each play arrives once: outages, lost answers, limits, faults, and processes that end at any moment',
  async (t) => {
    await fc.assert(
      fc.asyncProperty(events, answers, async (given, script) => {
        const clock = { nowMs: START_MS }
        const tracker = createTracker([...script], clock)
        const store = createMemoryStore()
        const noted: string[] = []
        let end = new AbortController()
        const start = async (): Promise<Deliveries> => {
          end = new AbortController()
          const made = createDeliveries({
            store,
            attempt: createAttempt({
              provider: () => tracker.provider,
              library: () => tracker.library,
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
        }
        let deliveries = await start()
        let expected = 0
        for (const [n, { film, action, waitMs, crash }] of given.entries()) {
          const completed = action === 'watched'
          if (completed) expected += 1
          const one = delivery(n, film, completed ? 'stop' : action, completed, clock.nowMs)
          await store.commit({ deliveries: [one] })
          deliveries.add([one])
          if (crash === 'soon') {
            end.abort()
            deliveries = await start()
          }
          await deliveries.idle()
          // A film takes its time before it can be watched again.
          clock.nowMs += completed ? Math.max(waitMs, 2 * HOUR_MS) : waitMs
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
        end.abort()
      }),
      { numRuns: 1000 },
    )
    t.pass()
  },
)
