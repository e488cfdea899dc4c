// Every notation of a private address is recognised, and no public address is taken for one.
import { isIPv6 } from 'node:net'
import t from 'tap'
import { addressReach, clientGroup } from '@playhead/sdk'
import fc, { runsOf } from '../fast-check.ts'

const REACH = {
  link_local: ['169.254.169.254', '169.254.0.0', '169.254.255.255'],
  private: [
    '0.0.0.0',
    '10.0.0.1',
    '100.64.0.1',
    '127.0.0.1',
    '172.31.255.255',
    '192.168.1.20',
    '198.19.0.1',
    '224.0.0.1',
  ],
  public: ['1.1.1.1', '100.128.0.1', '169.253.0.1', '172.32.0.1', '192.169.0.1', '198.20.0.1', '223.255.255.255'],
} as const

const hex = (address: string, mask = 0) => {
  const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map((byte) => Number(byte) ^ mask)
  return [(a << 8) | b, (c << 8) | d].map((group) => group.toString(16)).join(':')
}
/** Notations that contain an IPv4 address. */
const CARRIERS: Readonly<Record<string, (address: string) => string>> = {
  mapped: (address) => `::ffff:${address}`,
  'mapped, in full': (address) => `0000:0000:0:0:0:FFFF:${hex(address)}`,
  compatible: (address) => `::${hex(address)}`,
  'compatible, dotted': (address) => `::${address}`,
  translated: (address) => `::ffff:0:${hex(address)}`,
  NAT64: (address) => `64:ff9b::${address}`,
  '6to4': (address) => `2002:${hex(address)}::5`,
  'Teredo client': (address) => `2001:0:0808:0808:0:0:${hex(address, 0xff)}`,
  'Teredo server': (address) => `2001:0:${hex(address)}:0:0:${hex('8.8.8.8', 0xff)}`,
  ISATAP: (address) => `2a00:1::5efe:${address}`,
  'ISATAP, global': (address) => `2a00:1:0:0:200:5efe:${hex(address)}`,
}

for (const [reach, addresses] of Object.entries(REACH)) {
  t.test(`addresses that are ${reach}`, async (t) => {
    for (const address of addresses) {
      t.equal(addressReach(address), reach, address)
      for (const [name, carry] of Object.entries(CARRIERS)) {
        const carried = carry(address)
        t.ok(isIPv6(carried), carried)
        t.equal(addressReach(carried), reach, `${name}: ${carried}`)
        t.equal(addressReach(`[${carried}]`), reach, `${name}: [${carried}]`)
      }
    }
  })
}

t.test('addresses of IPv6 itself', async (t) => {
  for (const [address, reach] of [
    ['::', 'private'],
    ['::1', 'private'],
    ['[::1]', 'private'],
    ['fc00::1', 'private'],
    ['fd12:3456::5', 'private'],
    ['fec0::1', 'private'],
    ['ff02::1', 'private'],
    ['fe80::1', 'link_local'],
    ['fe80::1%eth0', 'link_local'],
    ['febf:ffff::1', 'link_local'],
    ['64:ff9b:1::a9fe:a9fe', 'link_local'],
    ['64:ff9b:1:a9fe:00a9:fe00::', 'link_local'],
    ['64:ff9b:1:0:a9:fea9:fe00:0', 'link_local'],
    ['64:ff9b:1::8.8.8.8', 'private'],
    ['2606:4700::1111', 'public'],
    ['2a00:1450:4001:81b::200e', 'public'],
    ['fe7f::1', 'public'],
  ] as const)
    t.equal(addressReach(address), reach, address)
  for (const name of ['nas.lan', 'localhost', '', '1.2.3', '::g', '[', 'fe80.example.org'])
    t.equal(addressReach(name), undefined, name)
})

t.test('an embedded address never reaches further than the address itself', async () => {
  const order = ['link_local', 'private', 'public']
  const address = fc.array(fc.integer({ min: 0, max: 255 }), { minLength: 4, maxLength: 4 }).map((all) => all.join('.'))
  fc.assert(
    fc.property(address, fc.constantFrom(...Object.values(CARRIERS)), (given, carry) => {
      const [plain, carried] = [addressReach(given), addressReach(carry(given))]
      return order.indexOf(carried as string) <= order.indexOf(plain as string)
    }),
    { numRuns: runsOf(500) },
  )
})

t.test('an IPv6 network is one client, an IPv4 address is one', async (t) => {
  t.equal(clientGroup('2001:db8:1:2:3:4:5:6'), clientGroup('2001:DB8:1:2::'))
  t.not(clientGroup('2001:db8:1:2::'), clientGroup('2001:db8:1:3::'))
  t.equal(clientGroup('::ffff:192.0.2.1'), '192.0.2.1')
  t.equal(clientGroup('::ffff:c000:201'), '192.0.2.1')
  t.equal(clientGroup('192.0.2.1'), '192.0.2.1')
  t.equal(clientGroup('2001:db8::1'), '2001:db8:0:0::/64')
  t.equal(clientGroup('fe80::1%eth0'), 'fe80:0:0:0::/64')
  t.equal(clientGroup('::1'), '0:0:0:0::/64')
  t.equal(clientGroup('something else'), 'something else')
})
