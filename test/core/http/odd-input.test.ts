// slow: real threads, disks and waits
// Malformed input over a socket gets a 4xx and changes nothing.
import { connect } from 'node:net'
import t from 'tap'
import { startService } from '../../harness.ts'

t.test('unbounded numbers and deeply nested lists are refused on every route', async (t) => {
  await using service = await startService({ shipped: true, watch: false })
  for (const path of [
    '/api/plans?offset=1e309',
    '/api/plans?offset=1e308',
    '/api/runs?limit=1e400',
    '/api/events/groups?limit=1e309',
    '/api/runs?offset=-1e999',
  ]) {
    const { status } = await service.json(path)
    t.ok(status === 422 || status === 400, `${path}: ${status}`)
  }
  const deep = `${'['.repeat(5_000)}${']'.repeat(5_000)}`
  const before = (await service.json('/api/config')).body
  for (const path of [
    '/api/config',
    '/api/provider-instances/MEDIAB/default',
    '/api/pairs',
    '/api/run',
    '/api/app-auth/login',
  ]) {
    for (const body of ['{"a":1e999}', `{"a":${deep}}`, deep, '{"mediaB":{"timeout":-1e999}}']) {
      const { status } = await service.json(path, {
        method: 'POST',
        body,
        headers: { 'content-type': 'application/json' },
      } as never)
      t.ok(status >= 400 && status < 500, `${path} ${body.slice(0, 20)}: ${status}`)
    }
  }
  t.strictSame((await service.json('/api/config')).body, before, 'nothing was changed')
})

t.test('a client that is still sending reads that its body is too large', async (t) => {
  await using service = await startService({ shipped: true, watch: false })
  const { hostname, port } = new URL(service.url)
  const size = 64 * 1024 * 1024
  const answer = await new Promise<string>((resolve, reject) => {
    let text = ''
    const socket = connect(Number(port), hostname, () => {
      socket.write(
        `POST /api/app-auth/login HTTP/1.1\r\nhost: ${hostname}\r\ncontent-type: application/json\r\ncontent-length: ${size}\r\n\r\n`,
      )
      const piece = Buffer.alloc(64 * 1024, 32)
      const send = () => {
        while (!socket.destroyed && socket.write(piece)) if (text !== '') return
        socket.once('drain', send)
      }
      send()
    })
    socket.on('data', (data) => {
      text += data.toString()
      if (text.includes('payload_too_large')) {
        resolve(text)
        socket.destroy()
      }
    })
    socket.on('error', reject).on('close', () => reject(new Error(`closed after "${text.slice(0, 100)}"`)))
  })
  t.match(answer, /^HTTP\/1\.1 413 /)
})
