// The addresses of a server that are tried, and parsing of old XML responses.
import fc from '../../fast-check.ts'
import t from 'tap'
import { bestUrl, candidates, serverAt } from '../../../plugins/providers/plex/sign-in/servers.ts'
import type { Resource } from '../../../plugins/providers/plex/wire.ts'
import { parseXml } from '../../../plugins/providers/plex/xml.ts'
import { toXml } from '../../upstreams/plex/xml.ts'

const connection = fc
  .record({
    protocol: fc.constantFrom('http', 'https'),
    address: fc.constantFrom('192.168.1.20', '203.0.113.5', '127.0.0.1'),
    port: fc.constantFrom(32_400, 443, 80),
    local: fc.boolean(),
    relay: fc.boolean(),
  })
  .map((one) => ({ ...one, uri: `${one.protocol}://${one.address}:${one.port}` }))
const server = fc
  .record({
    name: fc.constantFrom('Attic', 'Cellar'),
    clientIdentifier: fc.constantFrom('one', 'two', 'three'),
    owned: fc.boolean(),
    connections: fc.array(connection, { maxLength: 5 }),
  })
  .map((one): Resource => ({ ...one, provides: 'server', accessToken: 'token' }))

t.test('an address without TLS is tried automatically only on this machine', (t) => {
  fc.assert(
    fc.property(fc.array(server, { maxLength: 4 }), (servers) =>
      candidates(servers, 'one').every(
        ({ connection: { uri } }) => uri.startsWith('https://') || uri.startsWith('http://127.0.0.1'),
      ),
    ),
  )
  t.end()
})

t.test('the previous server comes first, then nearby ones without a relay', (t) => {
  fc.assert(
    fc.property(fc.array(server, { maxLength: 4 }), (servers) => {
      const found = candidates(servers, 'two')
      const known = found.map(({ server: { clientIdentifier } }) => clientIdentifier === 'two')
      return known.indexOf(false) === -1 || !known.slice(known.indexOf(false)).includes(true)
    }),
  )
  const at = (uri: string, local: boolean, relay: boolean) => ({
    protocol: 'https',
    address: uri,
    port: 443,
    uri: `https://${uri}`,
    local,
    relay,
  })
  const connections = [at('relay', false, true), at('far', false, false), at('near', true, false)]
  const order = candidates(
    [{ name: 'Attic', clientIdentifier: 'one', owned: true, provides: 'server', connections }],
    '',
  )
  t.same(
    order.map(({ connection: { address } }) => address),
    ['near', 'far', 'relay'],
  )
  t.equal(bestUrl({ connections } as Resource, ''), 'https://far')
  t.equal(bestUrl({ connections } as Resource, 'https://near'), 'https://near')
  t.end()
})

t.test('an address belongs to a server only with its host and its port', (t) => {
  const attic: Resource = {
    name: 'Attic',
    clientIdentifier: 'one',
    owned: true,
    provides: 'server',
    connections: [
      {
        protocol: 'http',
        address: '192.168.1.20',
        port: 32_400,
        uri: 'http://192.168.1.20:32400',
        local: true,
        relay: false,
      },
    ],
  }
  t.equal(serverAt([attic], 'http://192.168.1.20:32400')?.clientIdentifier, 'one')
  for (const other of [
    'http://192.168.1.20:8096',
    'http://192.168.1.21:32400',
    'http://192.168.1.20',
    'http://evil/?http://192.168.1.20:32400',
    'nothing',
  ]) {
    t.equal(serverAt([attic], other), undefined, other)
  }
  t.end()
})

t.test('XML is parsed back unchanged, for any content', (t) => {
  const text = fc.string({ unit: 'binary', maxLength: 20 }).map((value) => value.replaceAll(/[\p{Cc}\p{Cs}]/gu, ''))
  const user = fc.record({
    id: fc.nat(),
    title: text,
    Server: fc.array(fc.record({ machineIdentifier: text }), { maxLength: 2 }),
  })
  fc.assert(
    fc.property(fc.array(user, { maxLength: 3 }), (users) => {
      const root = parseXml(toXml('MediaContainer', { size: users.length, User: users }))
      const back = root?.children.map(({ attributes, children }) => ({
        id: Number(attributes['id']),
        title: attributes['title'],
        Server: children.map((child) => ({ machineIdentifier: child.attributes['machineIdentifier'] })),
      }))
      return JSON.stringify(back) === JSON.stringify(users)
    }),
  )
  for (const broken of ['', '<a>', '<a><b></a></b>', '{"a":1}', '<html><body>', '<a/><b/>'])
    t.equal(parseXml(broken), undefined, broken)
  t.end()
})
