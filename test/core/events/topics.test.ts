// Retained messages of topics: ids, limits, reading from a position.
import t from 'tap'
import { createTopics } from '../../../core/events/topics.ts'

const BOOT_MS = 1_700_000_000_123
const BASE = 1_700_000_000_000

function setUp(limits?: Parameters<typeof createTopics>[0]['limits']) {
  const clock = { nowMs: BOOT_MS, now: () => clock.nowMs }
  return { clock, topics: createTopics({ clock, ...(limits === undefined ? {} : { limits }) }) }
}
const GENEROUS = { messages: 100, topics: 100, messageLength: 1_000, topicLength: 100_000, totalLength: 1_000_000 }
const ids = (messages: readonly { readonly id: number }[]) => messages.map(({ id }) => id - BASE)

t.test(
  'ids begin at the second of the start, grow by one per topic, and exceed those of an earlier start',
  async (t) => {
    const { topics, clock } = setUp()
    topics.publish('a/x', { data: '1' })
    topics.publish('a/y', { data: '1' })
    topics.publish('a/x', { data: '2', event: 'named' })
    t.same(topics.read('a/x'), [
      { id: BASE + 1, data: '1', atMs: BOOT_MS },
      { id: BASE + 2, event: 'named', data: '2', atMs: BOOT_MS },
    ])
    t.same(ids(topics.read('a/y')), [1])

    const later = createTopics({ clock: { now: () => clock.nowMs + 60_000 } })
    later.publish('a/x', { data: '3' })
    t.ok((later.read('a/x')[0]?.id ?? 0) > BASE + 2)
  },
)

t.test('reading gives the tail, messages after an id, and nothing for an id above the newest', async (t) => {
  const { topics } = setUp()
  for (let n = 0; n < 10; n++) topics.publish('a/x', { data: String(n) })
  t.same(ids(topics.read('a/x', { tail: 3 })), [8, 9, 10])
  t.same(ids(topics.read('a/x', { tail: 0 })), [])
  t.same(ids(topics.read('a/x', { since: BASE + 7 })), [8, 9, 10])
  t.same(ids(topics.read('a/x', { since: BASE + 2, tail: 1 })), [10])
  t.same(topics.read('a/x', { since: BASE + 9_999 }), [])
  t.same(ids(topics.read('a/x', { since: 1 })), ids(topics.read('a/x')))
  t.same(topics.read('nobody/wrote'), [])
  t.same(topics.names(''), ['a/x'], 'reading creates no topic')
})

t.test('each ring keeps its newest messages, and a reader gets the number of lost ones', async (t) => {
  const { topics } = setUp({ ...GENEROUS, messages: 3 })
  for (let n = 0; n < 10; n++) topics.publish('a/x', { data: String(n) })
  t.same(ids(topics.read('a/x')), [8, 9, 10])
  t.equal(topics.backlog('a/x', { since: BASE + 4 }).lost, 3)
  t.equal(topics.backlog('a/x', { since: BASE + 7 }).lost, 0)
  t.equal(topics.backlog('a/x', { since: 5 }).lost, 7, 'before the start only what this process lost is known')
  t.equal(topics.backlog('a/x').lost, 0)
})

t.test('length is bounded per message, per topic and in all', async (t) => {
  const { topics } = setUp({ ...GENEROUS, messageLength: 10, topicLength: 25, totalLength: 40 })
  for (let n = 0; n < 3; n++) topics.publish('a/x', { data: 'x'.repeat(10) })
  t.same(ids(topics.read('a/x')), [2, 3])
  for (let n = 0; n < 3; n++) topics.publish('a/y', { data: 'y'.repeat(9) })
  t.equal(topics.read('a/x').length + topics.read('a/y').length, 4, 'the largest topic gives way')
  t.same(ids(topics.read('a/y')), [2, 3])
})

t.test('a too long message is reported by its length, and causes no failure', async (t) => {
  const { topics } = setUp({ ...GENEROUS, messageLength: 10 })
  topics.publish('a/x', { event: 'e', data: 'x'.repeat(11) })
  t.match(topics.read('a/x'), [{ event: 'e', data: '{"dropped":11}' }])
})

t.test('the topic with the oldest write is dropped, and its ids do not start again', async (t) => {
  const { topics } = setUp({ ...GENEROUS, topics: 2 })
  for (let n = 0; n < 5; n++) topics.publish('a/old', { data: 'x' })
  topics.publish('a/kept', { data: 'x' })
  topics.publish('a/new', { data: 'x' })
  t.same(topics.names('a/'), ['a/kept', 'a/new'])
  topics.publish('a/old', { data: 'x' })
  t.same(ids(topics.read('a/old')), [6])
})

t.test('names that a resume id cannot contain are refused', async (t) => {
  const { topics } = setUp()
  for (const name of ['', 'a,b', 'a b', 'a\nb', 'x'.repeat(121)]) {
    t.throws(() => topics.publish(name, { data: 'x' }), { code: 'PLH_INVALID' })
  }
})

t.test('subscribers get new messages of their topics until they unsubscribe', async (t) => {
  const { topics } = setUp()
  const got: string[] = []
  const leave = topics.subscribe(['a/x', 'a/later'], (topic, { data }) => got.push(`${topic} ${data}`))
  topics.publish('a/x', { data: '1' })
  topics.publish('a/other', { data: '2' })
  topics.publish('a/later', { data: '3' })
  leave()
  topics.publish('a/x', { data: '4' })
  t.same(got, ['a/x 1', 'a/later 3'])
})
