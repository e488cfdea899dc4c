// TLS on a real listener: served certificate, broken files, changes without a restart.
import { once } from 'node:events'
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { connect, type ConnectionOptions, type PeerCertificate } from 'node:tls'
import fastify from 'fastify'
import t, { type Test } from 'tap'
import { createConfigService } from '../../../core/config/service.ts'
import { checkAnswer } from '../../../core/testing/answers.ts'
import { ConfigUnavailableError } from '../../../core/config/contract.ts'
import { createSelfSigned } from '../../../core/http/tls/certificate.ts'
import { prelude } from '../../../core/http/prelude.ts'
import { createTls } from '../../../core/http/tls/tls.ts'
import { tlsRoutes } from '../../../core/http/tls/tls-routes.ts'
import { createCompilers } from '../../../core/http/validation.ts'
import { openVault } from '../../../core/storage/vault.ts'
import { recordingLog, temporaryDirectory } from '../auth/harness.ts'

const DAY_MS = 86_400_000

t.test('the first start creates a private certificate, and keeps it', async (t) => {
  const first = await open(t)
  await first.serve()
  const fingerprint = (await first.handshake()).fingerprint256

  const second = await open(t, { directory: first.directory })
  await second.serve()

  const cert = { exists: true, self_signed: true, key_matches: true, expires_in_days: Number }
  t.match(await first.status(), { tls: { temporary: false, problem: null, cert } })
  t.equal((await second.handshake()).fingerprint256, fingerprint)
  for (const name of await readdir(first.tlsDirectory))
    t.equal((await stat(join(first.tlsDirectory, name))).mode & 0o777, 0o600, name)
  t.equal(first.tls.isSelfSigned(), true)
})

t.test('a client with the downloaded certificate trusts the service under each of its names', async (t) => {
  const { serve, call, handshake } = await open(t)
  await serve()
  await call('POST', '/api/ui/tls/regenerate', { hostname: 'nas.example' })
  const ca = (await call('GET', '/api/ui/tls/cert')).text

  for (const servername of ['nas.example', 'localhost'])
    t.ok(await handshake({ ca, servername, rejectUnauthorized: true }), servername)
  await t.rejects(handshake({ ca, servername: 'attacker.example', rejectUnauthorized: true }), {
    code: 'ERR_TLS_CERT_ALTNAME_INVALID',
  })
})

t.test('old versions of TLS are refused', async (t) => {
  const { serve, handshake } = await open(t)
  await serve()

  await t.rejects(handshake({ minVersion: 'TLSv1', maxVersion: 'TLSv1.1' }))
  t.ok(await handshake({ minVersion: 'TLSv1.2', maxVersion: 'TLSv1.2' }))
})

const BROKEN: readonly (readonly [
  what: string,
  problem: string,
  damage: (files: { cert: string; key: string }) => Promise<unknown>,
])[] = [
  ['a missing certificate', 'certificate_missing', ({ cert }) => rm(cert)],
  ['a certificate that is none', 'certificate_unreadable', ({ cert }) => writeFile(cert, 'nonsense')],
  ['a missing key', 'key_missing', ({ key }) => rm(key)],
  [
    'a key of another certificate',
    'key_mismatch',
    async ({ key }) => writeFile(key, (await pair('other.example')).key),
  ],
  [
    "a folder in the certificate's place",
    'certificate_unreadable',
    async ({ cert }) => {
      await rm(cert)
      await mkdir(cert)
    },
  ],
]

for (const [what, problem, damage] of BROKEN) {
  t.test(
    `${what} does not lock the operator out: a temporary certificate serves, and the status states why`,
    async (t) => {
      const { serve, handshake, status, files, setTls, lines } = await open(t)
      const own = await files.custom('own.example')
      await damage(own)
      await setTls({ cert_file: own.cert, key_file: own.key })

      await serve()

      t.not((await handshake()).subject.CN, 'own.example')
      t.match(await status(), { tls: { temporary: true, problem } })
      t.ok(lines.some(({ level }) => level === 'error'))
    },
  )

  t.test(`${what} that we created is replaced at the next start`, async (t) => {
    const first = await open(t)
    await first.serve()
    const before = (await first.handshake()).fingerprint256
    await damage({ cert: join(first.tlsDirectory, 'playhead.crt'), key: join(first.tlsDirectory, 'playhead.key') })
    const isFolder = await stat(join(first.tlsDirectory, 'playhead.crt')).then(
      (found) => found.isDirectory(),
      () => false,
    )

    const second = await open(t, { directory: first.directory })
    await second.serve()

    t.not((await second.handshake()).fingerprint256, before)
    // A folder cannot be replaced by a file; the listener works nevertheless.
    t.match(await second.status(), { tls: { problem: isFolder ? 'not_writable' : null } })
  })
}

t.test('an expired certificate that we created is renewed at the next start', async (t) => {
  const first = await open(t)
  await first.setTls({ valid_days: 1 })
  await first.serve()
  const before = (await first.handshake()).fingerprint256

  const second = await open(t, { directory: first.directory, nowMs: Date.now() + 2 * DAY_MS })
  await second.serve()

  t.not((await second.handshake()).fingerprint256, before)
})

t.test("the operator's certificate is served, relative paths starting in the data directory", async (t) => {
  const { serve, handshake, files, setTls, tls, status } = await open(t)
  await files.custom('own.example')
  await setTls({ self_signed: false, cert_file: 'own/own.crt', key_file: 'own/own.key' })

  await serve()

  t.equal((await handshake()).subject.CN, 'own.example')
  t.match(await status(), { tls: { temporary: false, cert: { subject: 'CN=own.example' } } })
  t.equal(tls.isSelfSigned(), true, "it is the operator's, but nobody vouches for it")
})

t.test('changed settings replace the certificate without a restart', async (t) => {
  const { serve, handshake, files, setTls, tls } = await open(t)
  const own = await files.custom('own.example')
  await serve()
  t.not((await handshake()).subject.CN, 'own.example')

  await setTls({ cert_file: own.cert, key_file: own.key })
  await tls.reload()
  t.equal((await handshake()).subject.CN, 'own.example')

  await writeFile(own.cert, '')
  await tls.reload()
  t.not((await handshake()).subject.CN, 'own.example')
})

t.test('a new certificate is served at once, with the requested names, and is stored', async (t) => {
  const { serve, handshake, call, config } = await open(t)
  await serve()

  const wish = { hostname: 'nas.example', valid_days: 10, alt_dns: ['media.example'], alt_ips: ['192.0.2.7'] }
  const answer = await call('POST', '/api/ui/tls/regenerate', wish)
  const seen = await handshake()

  t.equal(answer.status, 200)
  const cert = { subject: 'CN=nas.example', expires_in_days: 9 }
  t.match(answer.body, { protocol: 'https', restart_required: false, tls: { ...wish, cert } })
  t.equal(seen.subject.CN, 'nas.example')
  t.match(seen.subjectaltname, /DNS:nas\.example.*DNS:media\.example.*IP Address:192\.0\.2\.7/)
  t.match(config.at('ui.tls'), { self_signed: true, ...wish })

  const again = await call('POST', '/api/ui/tls/regenerate')
  t.match(again.body, { tls: { cert: { subject: 'CN=nas.example' } } }, 'what is not given stays')
})

t.test('concurrent new certificates leave a matching pair', async (t) => {
  const { serve, call, status, handshake } = await open(t)
  await serve()

  const names = Array.from({ length: 12 }, (_, i) => `n${i}.example`)
  const answers = await Promise.all(names.map((hostname) => call('POST', '/api/ui/tls/regenerate', { hostname })))

  t.ok(answers.every((answer) => answer.status === 200))
  const { tls } = (await status()) as { tls: { cert: { key_matches: boolean; sha256: string } } }
  t.equal(tls.cert.key_matches, true)
  t.equal((await handshake()).fingerprint256.replaceAll(':', '').toLowerCase(), tls.cert.sha256)
})

t.test("the operator's certificate is not replaced by a new one", async (t) => {
  const { serve, call, files, setTls, handshake } = await open(t)
  const own = await files.custom('own.example')
  await setTls({ cert_file: own.cert, key_file: own.key })
  await serve()

  const answer = await call('POST', '/api/ui/tls/regenerate', { hostname: 'nas.example' })

  t.match([answer.status, answer.body], [409, { error: 'custom_certificate_configured' }])
  t.equal((await handshake()).subject.CN, 'own.example')
})

const MALFORMED: readonly (readonly [body: object, loc: readonly (string | number)[]])[] = [
  [{ hostname: 7 }, ['body', 'hostname']],
  [{ hostname: '' }, ['body', 'hostname']],
  [{ hostname: 'a b' }, ['body', 'hostname']],
  [{ hostname: 'x'.repeat(300) }, ['body', 'hostname']],
  [{ hostname: '-x.example' }, ['body', 'hostname']],
  [{ valid_days: 0 }, ['body', 'valid_days']],
  [{ valid_days: 3651 }, ['body', 'valid_days']],
  [{ valid_days: '10' }, ['body', 'valid_days']],
  [{ alt_dns: 'x.example' }, ['body', 'alt_dns']],
  [{ alt_dns: ['ok.example', '192.0.2.1'] }, ['body', 'alt_dns', 1]],
  [{ alt_ips: ['300.1.1.1'] }, ['body', 'alt_ips', 0]],
  [{ alt_dns: Array.from({ length: 51 }, (_, i) => `a${i}.example`) }, ['body', 'alt_dns']],
  [
    {
      alt_dns: Array.from({ length: 30 }, (_, i) => `a${i}.example`),
      alt_ips: Array.from({ length: 21 }, (_, i) => `192.0.2.${i}`),
    },
    ['body', 'alt_dns'],
  ],
]

t.test('names that a certificate cannot contain are refused before any change', async (t) => {
  const { serve, call, handshake, config } = await open(t)
  await serve()
  const before = [(await handshake()).fingerprint256, config.revision()]

  for (const [body, loc] of MALFORMED) {
    const answer = await call('POST', '/api/ui/tls/regenerate', body)
    t.equal(answer.status, 422, JSON.stringify(body).slice(0, 60))
    t.match(answer.body, { detail: [{ loc, msg: String, type: String }] })
  }
  t.same([(await handshake()).fingerprint256, config.revision()], before)
})

t.test('the download contains the certificate and never the key', async (t) => {
  const { serve, call, files, setTls } = await open(t)
  await serve()
  const own = await files.custom('own.example')
  await writeFile(own.cert, (await readFile(own.key, 'utf8')) + (await readFile(own.cert, 'utf8')))
  await setTls({ cert_file: own.cert, key_file: own.key })

  const answer = await call('GET', '/api/ui/tls/cert')

  t.equal(answer.status, 200)
  t.match(answer.headers, {
    'content-type': 'application/x-x509-ca-cert',
    'content-disposition': 'attachment; filename="playhead.crt"',
  })
  t.match(answer.text, /^-----BEGIN CERTIFICATE-----/)
  t.notMatch(answer.text, /PRIVATE KEY/)
})

t.test('without a certificate there is no download, and other files are not returned', async (t) => {
  const { call, files, setTls } = await open(t)

  const missing = await call('GET', '/api/ui/tls/cert')
  const own = await files.custom('own.example')
  await writeFile(own.cert, 'password: hunter2')
  await setTls({ cert_file: own.cert })
  const invalid = await call('GET', '/api/ui/tls/cert')

  t.match([missing.status, missing.body], [404, { detail: 'Certificate not found' }])
  t.match([invalid.status, invalid.body], [400, { detail: 'Invalid certificate file' }])
  t.notMatch(invalid.text, /hunter2/)
  t.match((await call('GET', '/api/ui/tls/status')).body, {
    tls: { cert: { exists: true, error: 'invalid_certificate' } },
  })
})

t.test('the settings cannot read files elsewhere, except those that were set at start', async (t) => {
  const outside = temporaryDirectory(t)
  const { cert, key } = await pair('outside.example')
  await writeFile(join(outside, 'x.crt'), cert)
  await writeFile(join(outside, 'x.key'), key)
  const settings = { cert_file: join(outside, 'x.crt'), key_file: join(outside, 'x.key') }
  const first = await open(t)
  await first.setTls(settings)

  t.equal((await first.call('GET', '/api/ui/tls/cert')).status, 404)
  t.match(await first.status(), { tls: { cert: { exists: false, error: 'path_not_allowed' } } })
  await first.setTls({ cert_file: '../x.crt' })
  t.match(await first.status(), { tls: { cert: { error: 'path_not_allowed' } } })
  await first.setTls(settings)

  const second = await open(t, { directory: first.directory })
  t.match(await second.status(), { tls: { cert: { exists: true, subject: 'CN=outside.example' } } })
})

t.test('an unreadable configuration does not prevent building the service', async (t) => {
  const unavailable = () => {
    throw new ConfigUnavailableError('unreadable', 'broken')
  }
  const config = { at: unavailable, change: unavailable, onSaved: () => () => undefined }

  const tls = createTls({
    config,
    dataDirectory: '/nowhere',
    tlsDirectory: '/nowhere/tls',
    clock: { now: () => 0 },
    log: recordingLog([]),
  })

  await t.rejects(tls.open(), { name: 'ConfigUnavailableError' })
  t.equal(tls.isSelfSigned(), true)
})

async function open(t: Test, options: { readonly directory?: string; readonly nowMs?: number } = {}) {
  const directory = options.directory ?? temporaryDirectory(t)
  const tlsDirectory = join(directory, 'tls')
  await mkdir(tlsDirectory, { recursive: true })
  const lines: { level: string; text: string; fields: object }[] = []
  const log = recordingLog(lines)
  const clock = { now: () => options.nowMs ?? Date.now() }
  const vault = openVault({ keyFile: join(directory, 'secret.key') })
  const config = await createConfigService({ file: join(directory, 'config.json'), vault, version: '1.0.0', log })
  await config.change('test', (draft) => void (ui(draft)['protocol'] = 'https'))
  const tls = createTls({ config, dataDirectory: directory, tlsDirectory, clock, log })
  t.teardown(() => config.close())

  const app = fastify()
  await app.register(prelude, {
    gate: {
      decide: () => ({ pass: true, caller: { address: '127.0.0.1', secure: true, host: 'localhost', session: null } }),
    },
    compilers: createCompilers(),
    log,
    redact: (text: string) => text,
    headersFor: () => ({}),
    onAnswer: checkAnswer,
  })
  await app.register(tlsRoutes({ tls, clock }))
  t.teardown(() => app.close())

  const call = async (method: 'GET' | 'POST', url: string, payload?: object) => {
    const answer = await app.inject({ method, url, ...(payload === undefined ? {} : { payload }) })
    const isJson = String(answer.headers['content-type']).includes('json')
    return {
      status: answer.statusCode,
      headers: answer.headers,
      text: answer.body,
      body: isJson ? (answer.json() as unknown) : {},
    }
  }
  let port = 0

  return {
    directory,
    tlsDirectory,
    lines,
    config,
    tls,
    call,
    status: async () => (await call('GET', '/api/ui/tls/status')).body,
    setTls: (change: object) =>
      config.change('test', (draft) => void (ui(draft)['tls'] = { ...(ui(draft)['tls'] as object), ...change })),

    async serve() {
      const server = createServer(await tls.open(), (_request, response) => response.end('ok'))
      const detach = tls.attach(server)
      server.listen(0, '127.0.0.1')
      await once(server, 'listening')
      port = (server.address() as AddressInfo).port
      t.teardown(() => {
        detach()
        server.closeAllConnections()
        return new Promise((resolve) => server.close(resolve))
      })
    },

    /** The certificate that a client receives. */
    async handshake(options: ConnectionOptions = {}): Promise<PeerCertificate> {
      const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false, ...options })
      try {
        await once(socket, 'secureConnect', { signal: AbortSignal.timeout(5_000) })
        return socket.getPeerCertificate()
      } finally {
        socket.destroy()
      }
    },

    files: {
      async custom(hostname: string) {
        const folder = join(directory, 'own')
        await mkdir(folder, { recursive: true })
        const files = { cert: join(folder, 'own.crt'), key: join(folder, 'own.key') }
        const { cert, key } = await pair(hostname)
        await writeFile(files.cert, cert)
        await writeFile(files.key, key)
        return files
      },
    },
  }
}

function ui(draft: Record<string, unknown>): Record<string, unknown> {
  return (draft['ui'] ??= {}) as Record<string, unknown>
}

function pair(hostname: string) {
  return createSelfSigned({ hostname, validDays: 30, dnsNames: [], addresses: [] }, Date.now())
}
