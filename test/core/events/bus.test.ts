// The event bus: delivery, order, and failing listeners.
import t from 'tap'
import { AsyncLocalStorage } from 'node:async_hooks'
import type { PlayheadEvent } from '@playhead/sdk'
import { createEventBus, type EventBusDependencies } from '../../../core/events/bus.ts'
import { createRedactor } from '../../../core/events/redaction.ts'
import { createSilentLog } from './stream-server.ts'

function setUp(options: Partial<EventBusDependencies> = {}) {
  const lines: unknown[] = []
  const faults: unknown[] = []
  const { redactValue } = createRedactor({ secretValues: () => new Set(['hunter-two']) })
  const bus = createEventBus({
    clock: { now: () => 1_700_000_000_500 },
    log: createSilentLog(lines),
    redactValue,
    onListenerError: (plugin, error) => faults.push([plugin, error instanceof Error ? error.message : error]),
    ...options,
  })
  return { bus, lines, faults }
}

t.test('listeners run after the emitter, in order, and receive the names they subscribed to', async (t) => {
  const { bus } = setUp()
  const heard: string[] = []
  for (const name of ['run.finished', 'run.*', '*']) bus.on(name, (event) => void heard.push(`${name} ← ${event.name}`))
  bus.emit('run.finished', {})
  bus.emit('run.pair.started', {})
  bus.emit('runner.up', {})
  t.same(heard, [], 'not before the emitter returned')
  await bus.settled()
  t.same(heard.toSorted(), [
    '* ← run.finished',
    '* ← run.pair.started',
    '* ← runner.up',
    'run.* ← run.finished',
    'run.* ← run.pair.started',
    'run.finished ← run.finished',
  ])
})

t.test('an event is a frozen, redacted copy with a growing id and its source', async (t) => {
  const { bus } = setUp()
  const data = { list: [{ title: 'x' }], token: 'abc', note: 'hunter-two', at: new Date(0) }
  bus.emitAs('sync', 'run.finished', data)
  bus.emit('run.finished', {})
  data.list[0] = { title: 'changed' }

  const [first, second] = bus.recent() as [PlayheadEvent, PlayheadEvent]
  t.same(first, {
    id: 1_700_000_000_001,
    name: 'run.finished',
    atMs: 1_700_000_000_500,
    source: 'sync',
    data: { list: [{ title: 'x' }], token: '[redacted]', note: '[redacted]', at: '1970-01-01T00:00:00.000Z' },
  })
  t.equal(second.source, 'core')
  t.equal(second.id, first.id + 1)
  t.throws(() => Object.assign((first.data['list'] as object[])[0] as object, { title: 'y' }), TypeError)
})

t.test('a failing listener is reported once per event and affects no other', async (t) => {
  const { bus, faults, lines } = setUp()
  const heard: number[] = []
  bus.setPluginListeners([
    {
      plugin: 'bad',
      name: '*',
      listener: () => {
        throw new Error('thrown')
      },
    },
    {
      plugin: 'worse',
      name: '*',
      listener: async () => {
        throw new Error('rejected')
      },
    },
    { plugin: 'good', name: '*', listener: (event) => void heard.push(event.id) },
  ])
  bus.emit('a.b', {})
  bus.emit('a.b', {})
  await bus.settled()
  t.equal(heard.length, 2)
  t.same(faults.toSorted(), [
    ['bad', 'thrown'],
    ['bad', 'thrown'],
    ['worse', 'rejected'],
    ['worse', 'rejected'],
  ])
  t.equal(lines.length, 4)
})

t.test('a failing listener of the core is logged', async (t) => {
  const { bus, faults, lines } = setUp()
  bus.on('a.b', () => {
    throw new Error('thrown')
  })
  bus.emit('a.b', {})
  await bus.settled()
  t.match(lines, [[{ listener: 'core', on: 'a.b' }, /failed/]])
  t.same(faults, [])
})

t.test('a listener that never ends is abandoned, and gets the next event', async (t) => {
  const { bus, faults } = setUp({ limits: { listenerMs: 20 } })
  const begun: string[] = []
  bus.setPluginListeners([
    {
      plugin: 'slow',
      name: '*',
      listener: (event) => {
        begun.push(event.name)
        return new Promise(() => {})
      },
    },
  ])
  bus.emit('a.one', {})
  bus.emit('a.two', {})
  await bus.settled()
  t.same(begun, ['a.one', 'a.two'])
  t.match(faults, [
    ['slow', /within 20 ms/],
    ['slow', /within 20 ms/],
  ])
})

t.test('a listener gets its events one at a time, and does not delay others', async (t) => {
  const { bus } = setUp()
  const order: string[] = []
  let release: () => void = () => {}
  const gate = new Promise<void>((resolve) => {
    release = resolve
  })
  bus.on('*', async (event) => {
    order.push(`slow begins ${event.name}`)
    await gate
    order.push(`slow ends ${event.name}`)
  })
  const quick = new Promise<void>((resolve) => bus.on('a.two', () => resolve()))
  bus.emit('a.one', {})
  bus.emit('a.two', {})
  await quick
  t.same(order, ['slow begins a.one'])
  release()
  await bus.settled()
  t.same(order, ['slow begins a.one', 'slow ends a.one', 'slow begins a.two', 'slow ends a.two'])
})

t.test('events for a listener that is far behind are dropped, oldest first, which is reported once', async (t) => {
  const { bus, lines } = setUp({ limits: { queued: 3 } })
  const heard: unknown[] = []
  bus.on('*', (event) => void heard.push(event.data['n']))
  for (let n = 0; n < 10; n++) bus.emit('a.b', { n })
  await bus.settled()
  t.same(heard, [7, 8, 9])
  t.match(lines, [[{ queued: 3 }, /too slow/]])
})

t.test('a replaced listener takes over the queue of the previous one; a removed one receives no more', async (t) => {
  const { bus } = setUp()
  const heard: string[] = []
  const listen = (plugin: string, version: string) => ({
    plugin,
    name: 'a.*',
    listener: (event: PlayheadEvent) => void heard.push(`${plugin} ${version} ${event.name}`),
  })
  bus.setPluginListeners([listen('kept', 'v1'), listen('removed', 'v1')])
  bus.emit('a.one', {})
  bus.setPluginListeners([listen('kept', 'v2'), listen('added', 'v1')])
  bus.emit('a.two', {})
  await bus.settled()
  t.same(heard.toSorted(), ['added v1 a.two', 'kept v2 a.one', 'kept v2 a.two'])
})

t.test('a released listener of the core receives no more, including events emitted before', async (t) => {
  const { bus } = setUp()
  const heard: string[] = []
  const release = bus.on('*', (event) => void heard.push(event.name))
  bus.emit('a.one', {})
  release()
  bus.emit('a.two', {})
  await bus.settled()
  t.same(heard, [])
})

t.test('a thousand recent events are kept, and can be queried by name', async (t) => {
  const { bus } = setUp()
  for (let n = 0; n < 1_010; n++) bus.emit(n % 2 === 0 ? 'a.even' : 'b.odd', { n })
  t.equal(bus.recent().length, 1_000)
  t.equal(bus.recent()[0]?.data['n'], 10)
  t.same(
    bus.recent({ name: 'a.*', limit: 2 }).map(({ data }) => data['n']),
    [1_006, 1_008],
  )
  t.same(bus.recent({ limit: 0 }), [])
})

t.test('the largest fields of too large data are dropped, and emitting never fails', async (t) => {
  const { bus } = setUp()
  bus.emit('a.b', { kept: 1, text: 'x'.repeat(70_000) })
  t.same(bus.recent({ name: 'a.b' }).at(-1)?.data, { kept: 1, dropped: ['text'] })
})

t.test('names without an area are refused', async (t) => {
  const { bus } = setUp()
  for (const name of ['finished', 'run.', '.x', 'Run finished', ''])
    t.throws(() => bus.emit(name, {}), { code: 'PLH_INVALID' })
  t.same(bus.recent(), [])
})

t.test('a listener does not run in the context of the emitter', async (t) => {
  const storage = new AsyncLocalStorage<string>()
  const { bus } = setUp()
  const contexts: unknown[] = []
  bus.on('*', async () => void contexts.push(storage.getStore()))
  storage.run('emitter', () => bus.emit('a.b', {}))
  await bus.settled()
  t.same(contexts, [undefined])
})
