// Self-signed certificates, and reading certificates from other sources.
import { X509Certificate, createPrivateKey } from 'node:crypto'
import t from 'tap'
import { certificateInfo, certificatesOnly, createSelfSigned, keyMatches } from '../../../core/http/tls/certificate.ts'

const NOW_MS = Date.UTC(2026, 0, 15, 12)
const REQUEST = {
  hostname: 'nas.example',
  validDays: 825,
  dnsNames: ['media.example', 'nas.example'],
  addresses: ['192.0.2.7', '2001:db8::7', 'nonsense'],
}

t.test('a new certificate contains every requested name once', async (t) => {
  const { cert } = await createSelfSigned(REQUEST, NOW_MS)

  const info = certificateInfo(cert)

  t.match(info, { subject: 'CN=nas.example', issuer: 'CN=nas.example', selfSigned: true })
  t.match(info, { notBeforeMs: NOW_MS - 300_000, notAfterMs: NOW_MS + 825 * 86_400_000 })
  t.same(info?.names, [
    'nas.example',
    'localhost',
    'media.example',
    '127.0.0.1',
    '0:0:0:0:0:0:0:1',
    '192.0.2.7',
    '2001:DB8:0:0:0:0:0:7',
  ])
  t.match(info?.sha256, /^[0-9a-f]{64}$/)
})

t.test('it is a server certificate with its own key on a modern curve', async (t) => {
  const pair = await createSelfSigned(REQUEST, NOW_MS)
  const certificate = new X509Certificate(pair.cert)

  t.equal(certificate.ca, false)
  t.same(certificate.keyUsage, ['1.3.6.1.5.5.7.3.1'])
  t.match(createPrivateKey(pair.key).asymmetricKeyDetails, { namedCurve: 'prime256v1' })
  t.ok(keyMatches(pair))
  t.notOk(keyMatches({ ...pair, key: (await createSelfSigned(REQUEST, NOW_MS)).key }))
  t.notOk(keyMatches({ ...pair, key: 'no key' }))
  t.notOk(keyMatches({ ...pair, cert: 'no certificate' }))
})

t.test('an address as the hostname is stored as an address', async (t) => {
  const { cert } = await createSelfSigned({ ...REQUEST, hostname: '192.0.2.99', dnsNames: [], addresses: [] }, NOW_MS)

  t.equal(new X509Certificate(cert).checkIP('192.0.2.99'), '192.0.2.99')
})

t.test('a long hostname is kept completely where clients look for it', async (t) => {
  const hostname = `${'a'.repeat(60)}.${'b'.repeat(60)}.example`
  const { cert } = await createSelfSigned({ ...REQUEST, hostname }, NOW_MS)

  t.equal(new X509Certificate(cert).checkHost(hostname), hostname)
})

t.test('only certificates are returned from a file that also contains a key', async (t) => {
  const a = await createSelfSigned(REQUEST, NOW_MS)
  const b = await createSelfSigned(REQUEST, NOW_MS)

  const text = certificatesOnly(`comment\n${a.key}${a.cert}${b.key}${b.cert}`)

  t.same(text.match(/BEGIN [A-Z ]+/g), ['BEGIN CERTIFICATE', 'BEGIN CERTIFICATE'])
  t.equal(certificateInfo(text)?.sha256, certificateInfo(a.cert)?.sha256)
  t.equal(certificatesOnly(a.key), '')
  t.equal(certificatesOnly('-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n'), '')
  t.equal(certificateInfo('nothing'), undefined)
})

t.test('loading the certificate library does not change the language', async (t) => {
  await createSelfSigned(REQUEST, NOW_MS)

  t.notOk('getMetadata' in Reflect)
  t.notOk('defineMetadata' in Reflect)
})
