// Trust in forwarding headers, and the resulting client address.
import t from 'tap'
import { compileTrust, describeClient, isLocalCaller } from '../../../core/http/access/client-address.ts'

const TRUST: readonly (readonly [entries: unknown, address: string, trusted: boolean])[] = [
  [[], '127.0.0.1', false],
  [undefined, '127.0.0.1', false],
  ['10.0.0.1', '10.0.0.1', true],
  [['10.0.0.1'], '10.0.0.2', false],
  [['10.0.0.0/8'], '10.200.0.1', true],
  [['10.0.0.0/8'], '11.0.0.1', false],
  [['0.0.0.0/0'], '203.0.113.9', true],
  [['0.0.0.0/0'], '2001:db8::1', false],
  [['2001:db8::/32'], '2001:db8:5::1', true],
  [['2001:db8::1'], '2001:db8:0:0::1', true],
  [['2001:db8::1'], '2001:db8::2', false],
  [['::ffff:10.0.0.0/104'], '10.200.0.1', true],
  [['::ffff:10.0.0.1'], '10.0.0.1', true],
  [['nonsense', '300.1.1.1', '10.0.0.0/33', '10.0.0.0/8/8', '10.0.0.0/-1', '1', null, 7, '10.0.0.5'], '10.0.0.5', true],
  [['nonsense', '300.1.1.1', '10.0.0.0/33', '10.0.0.0/8/8', '10.0.0.0/-1', '1'], '10.0.0.1', false],
  [['10.0.0.1'], 'unix socket', false],
]

for (const [entries, address, trusted] of TRUST) {
  t.test(`trust in ${JSON.stringify(entries)} ${trusted ? 'covers' : 'does not cover'} ${address}`, async (t) => {
    t.equal(compileTrust(entries)(address), trusted)
  })
}

const PROXY = '10.0.0.1'
const ADDRESSES: readonly (readonly [promise: string, peer: string, forwarded: string | undefined, address: string])[] =
  [
    ['without the header the client is the peer', PROXY, undefined, PROXY],
    ['the header of a stranger is not believed', '203.0.113.5', '198.51.100.7', '203.0.113.5'],
    ['the header of the proxy is', PROXY, '198.51.100.7', '198.51.100.7'],
    ['what the client put in front is not', PROXY, '127.0.0.1, 198.51.100.7', '198.51.100.7'],
    ['proxies behind proxies are skipped', PROXY, '198.51.100.7, 10.0.0.9,10.0.0.8', '198.51.100.7'],
    ['garbage left of the client does not matter', PROXY, 'nonsense, 198.51.100.7', '198.51.100.7'],
    ["garbage in the client's place means the peer", PROXY, '198.51.100.7, nonsense', PROXY],
    ['an empty element means the peer', PROXY, '198.51.100.7,', PROXY],
    ['if all are proxies it is the farthest', PROXY, '10.0.0.9, 10.0.0.8', '10.0.0.9'],
    ['an IPv4 peer in IPv6 notation is the same peer', `::ffff:${PROXY}`, '198.51.100.7', '198.51.100.7'],
    ['an IPv4 client in IPv6 notation is the same client', PROXY, '::ffff:198.51.100.7', '198.51.100.7'],
    ['an IPv6 client is one', PROXY, '2001:db8::7', '2001:db8::7'],
    ['an unproxied IPv4 peer loses the IPv6 notation too', '::ffff:203.0.113.5', undefined, '203.0.113.5'],
  ]

for (const [promise, remoteAddress, forwarded, address] of ADDRESSES) {
  t.test(promise, async (t) => {
    const headers: Record<string, string> = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded }
    t.equal(describe({ remoteAddress, headers }).address, address)
  })
}

const SCHEMES: readonly (readonly [
  promise: string,
  encrypted: boolean,
  peer: string,
  header: string | undefined,
  secure: boolean,
])[] = [
  ['a TLS socket is secure', true, '203.0.113.5', undefined, true],
  ['a plain socket is not', false, '203.0.113.5', undefined, false],
  ['a stranger cannot claim to be secure', false, '203.0.113.5', 'https', false],
  ['a trusted proxy can', false, PROXY, 'https', true],
  ['the first of several counts', false, PROXY, 'HTTPS, http', true],
  ['a trusted proxy can also say no', false, PROXY, 'http', false],
]

for (const [promise, encrypted, remoteAddress, header, secure] of SCHEMES) {
  t.test(promise, async (t) => {
    t.equal(
      describe({ encrypted, remoteAddress, headers: header === undefined ? {} : { 'x-forwarded-proto': header } })
        .secure,
      secure,
    )
  })
}

t.test('the host is the one of the client, if the proxy is trusted', async (t) => {
  const headers = { host: 'inside:8787', 'x-forwarded-host': 'playhead.example, other.example' }

  t.equal(describe({ headers }).host, 'playhead.example')
  t.equal(describe({ headers, remoteAddress: '203.0.113.5' }).host, 'inside:8787')
  t.equal(describe({ headers: { host: 'inside:8787' } }).host, 'inside:8787')
})

t.test('only a direct connection from this machine is local', async (t) => {
  for (const address of ['127.0.0.1', '127.8.8.8', '::1', '::ffff:127.0.0.1'])
    t.equal(isLocalCaller(address, {}), true, address)
  for (const address of ['10.0.0.1', '::', '0.0.0.0', '', 'localhost', '2001:db8::1'])
    t.equal(isLocalCaller(address, {}), false, address)
  t.equal(isLocalCaller('127.0.0.1', { 'x-forwarded-for': '127.0.0.1' }), false)
  for (const host of ['localhost:8787', '127.0.0.1:8787', '[::1]:8787', 'nas', 'nas.local'])
    t.equal(isLocalCaller('127.0.0.1', { host }), true, host)
  // A request through a local proxy that adds no header.
  t.equal(isLocalCaller('127.0.0.1', { host: 'playhead.example.org' }), false)
})

function describe(request: { remoteAddress?: string; encrypted?: boolean; headers: Record<string, string> }) {
  const complete = { method: 'GET', path: '/', url: '/', remoteAddress: PROXY, encrypted: false, ...request }
  return describeClient(complete, compileTrust(['10.0.0.0/24']))
}
