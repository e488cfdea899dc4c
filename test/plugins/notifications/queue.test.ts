// The notification queue: stored, sent, repeated, grouped and held messages, with a clock that the test sets.
import t from 'tap'
import { answered, lost, openWorld, RULE, tooMany, until } from './world.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

t.test('a rule sends its events to its targets, and nothing else', async (t) => {
  await using world = await openWorld([RULE, { ...RULE, id: 'r2', enabled: false }])
  t.equal(await world.tell(1), 1)
  t.equal(await world.service.tell({ event: 'other', title: 'x', text: '', severity: 'error' }), 0)
  await world.settle()
  t.match(world.fake.sent, [{ target: 'fake-1', message: { event: 'run_done', title: 'T1', text: 'text 1' } }])
  t.match((await world.log()).items, [{ state: 'sent', attempts: 1, may_be_repeat: false }])
})

t.test('a service that asks to wait gets the retry then, and not before; the message is no repeat', async (t) => {
  await using world = await openWorld([RULE])
  world.fake.state.outcome = () => tooMany(90_000)
  await world.tell(1)
  await world.settle()
  t.match((await world.log()).items, [{ state: 'queued', reason: 'rate_limited', due_at: world.clock.nowMs + 90_000 }])
  world.clock.nowMs += 89_000
  await world.settle()
  t.equal(world.fake.sent.length, 1)
  world.fake.state.outcome = () => undefined
  world.clock.nowMs += 1_000
  await world.settle()
  t.equal(world.fake.sent.length, 2)
  t.match(world.fake.sent[1]?.message, { title: 'T1', repeat: undefined })
})

t.test('a lost response is retried with backoff, marked as a repeat, and finally dropped', async (t) => {
  await using world = await openWorld([RULE])
  world.fake.state.outcome = () => lost()
  await world.tell(1)
  for (let hour = 0; hour < 60; hour += 1) {
    await world.settle()
    world.clock.nowMs += HOUR_MS
  }
  const tries = world.fake.sent
  t.equal(tries[0]?.message.repeat, undefined)
  t.ok(tries.slice(1).every(({ message }) => message.repeat === true && message.title === 'T1 (may be a repeat)'))
  t.equal(new Set(tries.map(({ message }) => message.id)).size, 1, 'all tries have one id')
  t.ok(tries.length > 8 && tries.length < 20, String(tries.length))
  const [entry] = (await world.log()).items
  t.match(entry, { state: 'failed', reason: 'upstream_timeout' })
  world.fake.state.outcome = () => undefined
  const retried = await world.host.inject({ method: 'POST', url: `/api/notifications/log/${entry?.id}/retry` })
  t.match(retried.json(), { ok: true, entry: { state: 'queued' } })
  await world.settle()
  t.match((await world.log()).items, [{ state: 'sent' }])
  const again = await world.host.inject({ method: 'POST', url: `/api/notifications/log/${entry?.id}/retry` })
  t.equal(again.statusCode, 409)
  t.match(again.json(), { error: 'not_failed' })
})

t.test('what a clock that was ahead has sent takes up no room of the hour', { timeout: 20_000 }, async (t) => {
  await using world = await openWorld([{ ...RULE, max_per_hour: 1 }])
  world.clock.nowMs += 365 * 24 * HOUR_MS
  await world.tell(1)
  await world.settle()
  world.clock.nowMs -= 365 * 24 * HOUR_MS
  await world.tell(2)
  await world.settle()
  t.equal(world.fake.sent.length, 2)
})

t.test('a refusal is not tried again, a failure of the service is', async (t) => {
  await using world = await openWorld([RULE])
  world.fake.state.outcome = () => answered(400)
  await world.tell(1)
  await world.settle()
  world.fake.state.outcome = () => answered(500)
  await world.tell(2)
  await world.settle()
  const { items } = await world.log()
  t.match(
    items.find(({ messages }) => messages[0]?.title === 'T1'),
    { state: 'failed', reason: 'upstream_error_400' },
  )
  t.match(
    items.find(({ messages }) => messages[0]?.title === 'T2'),
    { state: 'queued', reason: 'upstream_error_500', may_be_repeat: false },
  )
})

t.test('grouped notifications are one message, errors first', async (t) => {
  await using world = await openWorld([{ ...RULE, group_minutes: 10 }])
  await world.tell(1)
  world.clock.nowMs += 5 * MINUTE_MS
  await world.tell(2, 'error')
  await world.settle()
  t.equal(world.fake.sent.length, 0)
  world.clock.nowMs += 5 * MINUTE_MS
  await world.settle()
  t.match(world.fake.sent, [
    { message: { event: 'group', severity: 'error', title: '2 messages: T2', text: '• T2: text 2\n• T1: text 1' } },
  ])
})

t.test('a hanging target delays no other', async (t) => {
  await using world = await openWorld([{ ...RULE, targets: ['fake-1', 'fake-2'] }])
  world.fake.state.outcome = (_message, target) => (target === 'fake-1' ? 'hang' : undefined)
  await world.tell(1)
  await until(async () => (await world.log()).items.some(({ state }) => state === 'sent'))
  await world.tell(2)
  await until(async () => (await world.log('&state=sent')).total === 2)
  t.strictSame(new Set(world.fake.sent.map(({ target }) => target)), new Set(['fake-2']))
})

t.test(
  'a kill between storing and sending sends it, and one in the middle of an attempt sends it as a repeat',
  async (t) => {
    await using world = await openWorld([RULE])
    world.fake.state.outcome = () => 'hang'
    await world.tell(1)
    await until(async () => (await world.log()).items[0]?.state === 'sending')
    world.fake.state.outcome = () => undefined
    await world.host.reload()
    await world.settle()
    t.match(
      world.fake.sent.map(({ message }) => [message.title, message.repeat]),
      [['T1 (may be a repeat)', true]],
    )
    t.match((await world.log()).items, [{ state: 'sent', may_be_repeat: true }])
  },
)
