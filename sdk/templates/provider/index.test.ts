import t from 'tap'
import { createTestClock, createTestHost, startServer } from '@playhead/sdk/testing'
import type { Play } from './client.ts'
import plugin from './index.ts'

const manifest = new URL('./plugin.json', import.meta.url)
const API_KEY = 'the-key-of-the-test'

// Plays the server: it knows one key, one user and two plays.
const startSimulator = () => startServer(({ path, headers }) => {
  if (headers['x-api-key'] !== API_KEY) return { status: 401 }
  if (path === '/me') return { json: { name: 'Ann' } }
  if (path === '/history') {
    return { json: { plays:[
      { id: '1', title: 'One', watched_at: '2026-01-02T03:04:05Z' },
      { id: '2', title: 'Two', watched_at: '2026-01-03T03:04:05Z' },
    ] } }
  }
  return { status: 404 }
})

t.test('without an address the status says that nothing is connected', async (t) => {
  await using host = await createTestHost({ plugin, manifest })
  t.strictSame((await host.inject('/api/acmeToken/status')).json(), { ok: true, connected: false })
})

t.test('with an address and a key the status names the user', async (t) => {
  await using server = await startSimulator()
  await using host = await createTestHost({ plugin, manifest, config: { server: server.url, api_key: API_KEY } })
  t.strictSame((await host.inject('/api/acmeToken/status')).json(), { ok: true, connected: true, user: 'Ann' })
})

t.test('the history is read item by item', async (t) => {
  await using server = await startSimulator()
  await using host = await createTestHost({ plugin, manifest, config: { server: server.url, api_key: API_KEY } })
  const provider = host.capability<{ watched(): AsyncIterable<Play> }>('provider:ACME')
  t.strictSame((await Array.fromAsync(provider.watched())).map(({ title }) => title), ['One', 'Two'])
})

t.test('a refused key is reported as such, and never shown', async (t) => {
  await using server = await startSimulator()
  await using host = await createTestHost({ plugin, manifest, config: { server: server.url, api_key: 'a-wrong-key' } })
  const answer = await host.inject('/api/acmeToken/status')
  t.equal(answer.statusCode, 401)
  t.notMatch(answer.body + JSON.stringify(host.logs), 'a-wrong-key')
})

t.test('a server that fails for a moment is asked again', async (t) => {
  await using server = await startServer(({ index }) => (index === 0 ? { status: 503 } : { json: { name: 'Ann' } }))
  await using host = await createTestHost({ plugin, manifest, clock: createTestClock(), config: { server: server.url, api_key: API_KEY } })
  t.match((await host.inject('/api/acmeToken/status')).json(), { user: 'Ann' })
  t.equal(server.requests.length, 2)
})
