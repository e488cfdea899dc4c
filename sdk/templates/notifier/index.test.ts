import t from 'tap'
import { NOTIFIERS } from '@playhead/sdk'
import { checkNotifier, createTestHost, startServer } from '@playhead/sdk/testing'
import settings from './conformance.ts'
import plugin from './index.ts'

const manifest = new URL('./plugin.json', import.meta.url)

t.test('a message arrives with its token', async (t) => {
  await using server = await startServer(() => ({}))
  await using host = await createTestHost({ plugin, manifest })
  const notifier = host.capability(NOTIFIERS.of('acme'))
  await notifier.save({
    id: 'acme-1',
    name: 'Mine',
    enabled: true,
    settings: { server: server.url, token: 'secret-token' },
  })

  const message = { id: '1', event: 'test', title: 'Hello', text: 'It works.', severity: 'error', atMs: 0 } as const
  await notifier.send('acme-1', message, new AbortController().signal)

  t.match(server.requests, [{ method: 'POST', path: '/messages', headers: { authorization: 'Bearer secret-token' } }])
  t.match(server.requests[0]?.json(), { title: 'Hello', text: 'It works.', urgent: true })
})

t.test('the notifier keeps its promises', async (t) => {
  await using host = await createTestHost({ plugin, manifest })
  t.same(
    (await checkNotifier(host, { settings })).filter(({ ok }) => !ok),
    [],
  )
})
