// A limit per client: the time to wait, what one client is, and the memory of a flood.
import { createClientLimit } from '@playhead/sdk'
import t from 'tap'

const open = (now: () => number) => createClientLimit({ most: 10, withinMs: 600_000, message: 'Too many.', now })

t.test('an IPv6 network is one client', async (t) => {
  const limit = open(() => 0)
  for (let round = 0; round < 10; round += 1) limit.count(`2001:db8:1:2::${round}`)
  t.throws(() => limit.count('2001:DB8:1:2:ffff::'), { code: 'PLH_TOO_MANY' })
  t.doesNotThrow(() => limit.count('2001:db8:1:3::'))
})

t.test('the wait lasts until the oldest start is ten minutes old', async (t) => {
  let nowMs = 1_000_000
  const limit = open(() => nowMs)
  for (let round = 0; round < 10; round += 1) {
    limit.count('192.0.2.1')
    nowMs += 30_000
  }
  t.throws(() => limit.count('192.0.2.1'), { code: 'PLH_TOO_MANY', retryAfterMs: 300_000 })
  nowMs += 300_000
  t.doesNotThrow(() => limit.count('192.0.2.1'))
  t.throws(
    () => limit.count('192.0.2.1'),
    { code: 'PLH_TOO_MANY', retryAfterMs: 30_000 },
    'one place at a time becomes free',
  )
})

t.test('a flood of clients costs a bounded amount of memory: the one with the oldest start is dropped', async (t) => {
  const limit = open(() => 0)
  for (let round = 0; round < 10; round += 1) limit.count('192.0.2.1')
  for (let number = 0; number < 9_999; number += 1) limit.count(`10.0.${number >> 8}.${number & 255}`)
  t.throws(() => limit.count('192.0.2.1'), { code: 'PLH_TOO_MANY' })
  limit.count('198.51.100.1')
  t.doesNotThrow(() => limit.count('192.0.2.1'))
})
