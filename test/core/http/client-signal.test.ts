// The client signal, over a real socket: the framework's own signal ends with the body.
import { connect } from 'node:net'
import t from 'tap'
import { type FixturePlugin, startService, until } from '../../harness.ts'

const waiting: FixturePlugin = {
  manifest: {
    routes: [
      { method: 'POST', path: '/api/wait', auth: 'P' },
      { method: 'GET', path: '/api/left', auth: 'P' },
    ],
  },
  files: {
    'index.ts': `import { clientSignal, definePlugin } from '@playhead/sdk'
const seen = { begun: 0, left: 0 }
export default definePlugin({
  routes(app) {
    app.post('/api/wait', async (request) => {
      const signal = clientSignal(request)
      signal.addEventListener('abort', () => { seen.left += 1 })
      seen.begun += 1
      await new Promise((resolve) => { setTimeout(resolve, request.body.ms); signal.addEventListener('abort', resolve) })
      signal.throwIfAborted()
      return { aborted: signal.aborted, same: signal === clientSignal(request) }
    })
    app.get('/api/left', () => seen)
  },
})`,
  },
}

t.test(
  'the signal of a request does not fire while the client waits, also after its body was read, and fires when it leaves',
  async (t) => {
    await using service = await startService({ plugins: { waiting }, watch: false })
    t.match(await service.json('/api/wait', { json: { ms: 40 } }), {
      status: 200,
      body: { aborted: false, same: true },
    })
    t.match((await service.json('/api/left')).body, { begun: 1, left: 0 }, 'an answer that arrived is no leaving')

    const { hostname, port } = new URL(service.url)
    const body = JSON.stringify({ ms: 30_000 })
    const socket = connect(Number(port), hostname, () =>
      socket.write(
        `POST /api/wait HTTP/1.1\r\nhost: ${hostname}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
      ),
    )
    await until('it is on its way', async () => (await service.json('/api/left')).body.begun === 2)
    socket.destroy()
    await until('it is known that the client is gone', async () => (await service.json('/api/left')).body.left === 1)
    t.match(await service.plugin('waiting'), { state: 'active', faults: 0 }, 'what is thrown because of it is no fault')
  },
)
