// The definition of one client for counting sign-ins, and the number of stored clients.
import t from 'tap'
import { clientOf, createStartLimit } from '../../../plugins/services/sso/start-limit.ts'

t.test('an IPv6 network is one client in every spelling, an IPv4 address is itself', async (t) => {
  const network = clientOf('2001:db8:1:2:3:4:5:6')
  for (const same of ['2001:DB8:1:2::', '2001:0db8:0001:0002::ffff', '2001:db8:1:2:ffff:ffff:ffff:ffff']) {
    t.equal(clientOf(same), network, same)
  }
  for (const other of ['2001:db8:1:3::', '2001:db8::1', '::', '192.0.2.1']) t.not(clientOf(other), network, other)
  t.equal(clientOf('::1'), clientOf('0:0:0:0::2'))
  t.equal(clientOf('1::'), clientOf('1:0:0:0:5::'))
  t.equal(clientOf('192.0.2.1'), '192.0.2.1')
  t.equal(clientOf('fe80::1%eth0'), 'fe80::1%eth0', 'what cannot be read stands for itself')
})

t.test('the wait lasts until the oldest start is ten minutes old', async (t) => {
  let nowMs = 1_000_000
  const limit = createStartLimit(() => nowMs)
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
  const limit = createStartLimit(() => 0)
  for (let round = 0; round < 10; round += 1) limit.count('192.0.2.1')
  for (let number = 0; number < 9_999; number += 1) limit.count(`10.0.${number >> 8}.${number & 255}`)
  t.throws(() => limit.count('192.0.2.1'), { code: 'PLH_TOO_MANY' })
  limit.count('198.51.100.1')
  t.doesNotThrow(() => limit.count('192.0.2.1'))
})
