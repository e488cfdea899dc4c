// Request bodies on a real socket: too large, endless, or implausible.
import { once } from 'node:events'
import { connect } from 'node:net'
import t, { type Test } from 'tap'
import { startService, type Service } from '../../harness.ts'

const MANY_BYTES = 8 * 1024 * 1024

/** Raw HTTP; received text is in `seen`. */
async function open(t: Test, service: Service) {
  const { hostname, port } = new URL(service.url)
  const socket = connect({ host: hostname, port: Number(port) })
  t.teardown(() => socket.destroy())
  await once(socket, 'connect')
  const seen = { text: '', error: undefined as string | undefined }
  socket
    .setEncoding('utf8')
    .on('data', (text) => {
      seen.text += text
    })
    .on('error', ({ code }: NodeJS.ErrnoException) => {
      seen.error = code
    })
  const head = (path: string, headers: readonly string[]) =>
    socket.write(
      [
        `POST ${path} HTTP/1.1`,
        `Host: ${hostname}`,
        'Content-Type: application/json',
        `Cookie: ${service.cookie()}`,
        ...headers,
        '',
        '',
      ].join('\r\n'),
    )
  return { socket, seen, head, closed: new Promise<void>((resolve) => socket.on('close', () => resolve())) }
}

t.test(
  'a too large body is answered with 413 while it is still being sent, and the connection carries the next request',
  async (t) => {
    await using service = await startService({ watch: false })
    for (const chunked of [false, true]) {
      const { socket, seen, head, closed } = await open(t, service)
      head('/api/plugins/rescan', [chunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${MANY_BYTES}`])
      const piece = 'x'.repeat(64 * 1024)
      for (let sent = 0; sent < MANY_BYTES; sent += piece.length) {
        const wire = chunked ? `${piece.length.toString(16)}\r\n${piece}\r\n` : piece
        if (!socket.write(wire)) await Promise.race([once(socket, 'drain'), closed])
        if (seen.error !== undefined) break
      }
      if (chunked) socket.write('0\r\n\r\n')
      socket.write(`GET /api/health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
      await closed
      t.equal(seen.error, undefined, 'nothing was cut')
      t.match(seen.text, /^HTTP\/1\.1 413 /)
      t.match(seen.text, '"error":"payload_too_large"')
      t.match(seen.text, /HTTP\/1\.1 200 OK[\s\S]*"status":"ok"/)
    }
  },
)

t.test('a body that does not arrive in time ends with its connection, on every route, signed in or not', async (t) => {
  await using service = await startService({
    watch: false,
    webLimits: { requestMs: 300, headersMs: 200, checkEveryMs: 50 },
  })
  for (const path of ['/api/config', '/api/app-auth/login', '/api/plugins/rescan']) {
    const { seen, head, closed } = await open(t, service)
    head(path, ['Content-Length: 100'])
    await closed
    t.match(seen.text, /^HTTP\/1\.1 408 /, path)
  }
  const { socket, seen, closed } = await open(t, service)
  socket.write('POST /api/config HTTP/1.1\r\nHost: ')
  await closed
  t.match(seen.text, /^HTTP\/1\.1 408 /, 'a head that does not end')
  t.equal(
    (await service.json('/api/plugins')).body.plugins.filter(({ state }: { state: string }) => state !== 'active')
      .length,
    0,
  )
})
