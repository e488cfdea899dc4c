// Sockets that plugins open themselves never reach a link-local or metadata address, in any notation or by any name.
import type { LookupAddress } from 'node:dns'
import { createServer, isIP, type LookupFunction } from 'node:net'
import * as net from 'node:net'
import * as tls from 'node:tls'
import t from 'tap'
import { atEndOfFile } from '../../at-end-of-file.ts'
import { runAs } from '../../../core/host/run/attribution.ts'
import { startNetworkGuard } from '../../../core/host/load/network-guard.ts'

const owner = { plugin: 'mailer', generation: 1, work: 'call' } as const
const reports: string[] = []
atEndOfFile(
  startNetworkGuard({
    isAllowed: (plugin, host) => plugin === owner.plugin && host !== 'forbidden.test',
    report: (_owner, what) => reports.push(what),
  }),
)

const answering =
  (...addresses: readonly string[]): LookupFunction =>
  (_name, options, callback) => {
    const found = addresses.map((address) => ({ address, family: isIP(address) }))
    if (options.all === true) callback(null, found as LookupAddress[] as never)
    else callback(null, found[0]?.address as never, found[0]?.family)
  }

type Open = () => net.Socket

function outcomeOf(open: Open): Promise<string> {
  return runAs(owner, () => outcome(open()))
}

function outcome(socket: net.Socket): Promise<string> {
  return new Promise((resolve) => {
    socket.once('connect', () => {
      socket.destroy()
      resolve('connected')
    })
    socket.once('error', (error: Error & { code?: string }) => resolve(error.code ?? error.message))
  })
}

t.test('a blocked address is refused in every spelling', async (t) => {
  for (const host of [
    '169.254.169.254',
    '169.254.1.1',
    'fe80::1',
    '::ffff:169.254.169.254',
    '::ffff:a9fe:a9fe',
    'fd00:ec2::254',
    '64:ff9b::a9fe:a9fe',
    '2852039166',
    '0xa9fea9fe',
    '0251.0376.0251.0376',
    '169.254.43518',
  ]) {
    const ways: readonly (readonly [string, Open])[] = [
      ['options', () => net.connect({ host, port: 9 })],
      ['port and host', () => net.connect(9, host)],
      ['a port as text', () => new net.Socket().connect('9' as never, host)],
      ['a socket', () => new net.Socket().connect({ host, port: 9 })],
      ['tls', () => tls.connect({ host, port: 9 })],
      ['tls with port and host', () => tls.connect(9, host)],
    ]
    for (const [way, open] of ways) t.equal(await outcomeOf(open), 'PLH_HOST_DENIED', `${host} ${way}`)
  }
  t.same(reports, [], 'an address of the settings is no fault of the plugin')
})

t.test('a name is refused if one of its addresses is', async (t) => {
  for (const addresses of [['169.254.169.254'], ['127.0.0.1', '169.254.169.254'], ['::ffff:169.254.169.254']]) {
    const lookup = answering(...addresses)
    for (const open of [
      () => net.connect({ host: 'meta.test', port: 9, lookup }),
      () => net.connect({ host: 'meta.test', port: 9, lookup, autoSelectFamily: true }),
      () => tls.connect({ host: 'meta.test', port: 9, lookup }),
    ])
      t.equal(await outcomeOf(open), 'PLH_HOST_DENIED', addresses.join())
  }
})

t.test('allowed hosts connect as before, and undeclared ones are reported', async (t) => {
  const server = createServer((socket) => socket.end())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => void server.close())
  const { port } = server.address() as net.AddressInfo
  const lookup = answering('127.0.0.1')
  for (const open of [
    () => net.connect({ host: '127.0.0.1', port }),
    () => net.connect(port, '127.0.0.1'),
    () => net.connect({ host: 'own.test', port, lookup }),
    () => net.connect({ host: 'own.test', port, lookup, autoSelectFamily: true }),
    () => net.connect(port, 'localhost'),
    () => net.connect(port, '127.0.0.1', () => {}),
  ])
    t.equal(await outcomeOf(open), 'connected')
  t.equal(await outcomeOf(() => net.connect(port, 'forbidden.test')), 'PLH_HOST_DENIED')
  t.equal(reports.length, 1)
})

t.test('a host that a failed test left open does not judge the plugins of the next', async (t) => {
  const server = createServer((socket) => socket.end())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => void server.close())
  const { port } = server.address() as net.AddressInfo
  const mailbox = { plugin: 'mailbox', generation: 1, work: 'call' } as const
  const connects = () => runAs(mailbox, () => outcome(net.connect(port, '127.0.0.1')))
  const report = () => {}
  const stopFirst = startNetworkGuard({ isAllowed: () => false, report })
  const stopSecond = startNetworkGuard({ isAllowed: (plugin) => plugin === 'mailbox', report })
  t.equal(await connects(), 'connected')
  stopFirst()
  t.equal(await connects(), 'connected', 'they end in any order')
  stopSecond()
})
