import t from 'tap'
import { type Item, providerCapability } from '@playhead/sdk'
import { collectRead, type Provider } from '@playhead/sdk/provider'
import { createTestAccounts, createTestHost } from '@playhead/sdk/testing'
import { startService } from './conformance.ts'
import plugin from './index.ts'

const manifest = new URL('./plugin.json', import.meta.url)
const film: Item = { type: 'movie', ids: { imdb: 'tt1000001' }, rating: 8 }

// The plugin in a test host, and the simulated server.
async function open() {
  const server = await startService()
  const host = await createTestHost({ plugin, manifest, capabilities: { accounts: createTestAccounts() } })
  return {
    server,
    host,
    provider: host.capability<Provider>(providerCapability('ACME')),
    save: (api_key: string) =>
      host.inject({ method: 'POST', url: '/api/acmeToken/save', payload: { server: server.url, api_key } }),
    async [Symbol.asyncDispose]() {
      await host.close()
      await server.close()
    },
  }
}

t.test('before anybody has signed in, nothing is read', async (t) => {
  await using bench = await open()
  t.match(await bench.provider.profiles(), [{ id: 'default', configured: false }])
  await t.rejects(collectRead(bench.provider.read('default', { feature: 'ratings' })), { code: 'PLH_NOT_READY' })
  t.equal(bench.server.requests.length, 0)
})

t.test('a key that the server knows signs the profile in, another one does not', async (t) => {
  await using bench = await open()
  t.equal((await bench.save('a-wrong-key')).statusCode, 401)
  t.match(await bench.provider.profiles(), [{ configured: false }])
  t.match((await bench.save('the-key-of-ann')).json(), { ok: true, name: 'Ann' })
  t.match(await bench.provider.probe('default'), { status: 'ok', user: { name: 'Ann' } })
  t.notMatch(JSON.stringify(bench.host.logs), /a-wrong-key|the-key-of-ann/, 'no log knows them')
})

t.test('a rating is written once, read back, and taken off again', async (t) => {
  await using bench = await open()
  await bench.save('the-key-of-ann')
  const write = async (op: 'add' | 'remove') => {
    const { outcomes } = await bench.provider.write('default', {
      feature: 'ratings',
      op,
      items: [{ key: 'a', item: film }],
    })
    return outcomes[0]?.outcome
  }
  t.equal(await write('add'), 'applied')
  t.equal(await write('add'), 'already')
  const { rows, end } = await collectRead(bench.provider.read('default', { feature: 'ratings' }))
  t.match([rows, end], [[film], { complete: true, semantics: 'present' }])
  t.equal(await write('remove'), 'applied')
})

t.test('a list that breaks off is no short list', async (t) => {
  await using bench = await open()
  await bench.save('the-key-of-ann')
  bench.server.faults.add({ kind: 'truncate', match: ({ path }) => path === '/ratings', times: 10 })
  await t.rejects(collectRead(bench.provider.read('default', { feature: 'ratings' })))
})
