// slow: the whole service, or very many cases
// TMDB in the whole service: sign-in, metadata, pictures and settings from a browser.
import t from 'tap'
import { startService, type Service } from '../../harness.ts'
import { serviceClient } from '../../stands/client.ts'
import { signInBy } from '../../stands/flows.ts'
import { tmdbPage } from '../../stands/tmdb.ts'
import { startTmdb, type Tmdb } from '../../upstreams/tmdb.ts'

const post = (service: Service, path: string, json: object = {}) => service.json(path, { json })

const signIn = (service: Service, tmdb: Tmdb): Promise<void> =>
  signInBy(serviceClient(service, 'metaA_sync'), tmdbPage(tmdb))

t.test('a person signs in, sees posters, and no secret is shown anywhere', async (t) => {
  await using tmdb = await startTmdb()
  await using service = await startService({ shipped: true, watch: false })
  await post(service, '/api/config', {
    metaA_sync: { api_url: tmdb.apiUrl },
    metaA: { api_url: tmdb.apiUrl, image_url: tmdb.imageUrl },
  })
  t.match((await service.json('/api/config/meta')).body, { metaA_configured: false })
  await signIn(service, tmdb)
  t.match((await service.json('/api/status?fresh=1')).body, { metaA_connected: true })
  for (const name of ['metaA', 'metaA_sync', 'METAA']) {
    t.match((await service.json(`/api/provider-instances/${name}`)).body, [{ id: 'default', configured: true }], name)
  }
  const { body: manifests } = await service.json('/api/auth/providers')
  t.match(
    manifests.find(({ name }: { name: string }) => name === 'METAA'),
    {
      label: 'TMDB',
      flow: 'api_keys',
      fields: [
        { key: 'metaA_sync.api_key', type: 'password', required: true },
        { key: 'metaA_sync.session_id', type: 'password', required: false, readonly: true },
      ],
      actions: { start: false, finish: false, refresh: true, disconnect: true },
      verify_url: null,
    },
  )

  t.match((await post(service, '/api/metaA/save', { api_key: tmdb.apiKey })).body, { ok: true })
  const picture = await service.call(`/art/metaA/movie/${tmdb.work('movie', 0).id}`)
  t.equal(picture.status, 200)
  t.equal(picture.headers.get('content-type'), 'image/jpeg')
  t.same([...new Uint8Array(await picture.arrayBuffer()).slice(0, 3)], [0xff, 0xd8, 0xff])
  t.match((await service.json('/api/config/meta')).body, { metaA_configured: true })

  const shown = (await service.json('/api/config')).body
  t.notMatch(shown.metaA.api_key, tmdb.apiKey)
  const text = JSON.stringify([shown, service.log, (await service.json('/api/metaA_sync/verify')).body])
  for (const secret of [tmdb.apiKey, ...tmdb.sessions.keys()]) t.notOk(text.includes(secret))

  t.match((await post(service, '/api/metaA_sync/disconnect')).body, { ok: true, instance: 'default' })
  t.equal(tmdb.sessions.size, 0)
  t.match((await service.json('/api/status?fresh=1')).body, { metaA_connected: false })
})

t.test('an account in a pair is not disconnected', async (t) => {
  await using tmdb = await startTmdb()
  await using service = await startService({ shipped: true, watch: false })
  await post(service, '/api/config', { metaA_sync: { api_url: tmdb.apiUrl } })
  await signIn(service, tmdb)
  const features = { watchlist: { enabled: true, add: true, remove: false } }
  t.match(
    await post(service, '/api/pairs', { source: 'METAA', target: 'SVC', mode: 'one_way', enabled: true, features }),
    { status: 200 },
  )
  t.match(await post(service, '/api/metaA_sync/disconnect'), {
    status: 409,
    body: { ok: false, error: 'provider_in_use', instance: 'default' },
  })
  t.equal(tmdb.sessions.size, 1)
})

t.test('a changed address in the settings drops key and session, which are not sent there', async (t) => {
  await using tmdb = await startTmdb()
  await using other = await startTmdb()
  await using service = await startService({ shipped: true, watch: false })
  await post(service, '/api/config', {
    metaA_sync: { api_url: tmdb.apiUrl },
    metaA: { api_url: tmdb.apiUrl, image_url: tmdb.imageUrl },
  })
  await signIn(service, tmdb)
  await post(service, '/api/metaA/save', { api_key: tmdb.apiKey })
  await post(service, '/api/config', {
    metaA_sync: { api_url: other.apiUrl },
    metaA: { api_url: other.apiUrl, image_url: other.imageUrl },
  })
  t.match((await service.json('/api/status?fresh=1')).body, { metaA_connected: false })
  t.match((await service.json('/api/metadata/providers')).body, [{ ready: false }])
  t.match((await service.json('/api/metaA_sync/verify')).body, { connected: false })
  await service.json('/api/metadata/search?q=the')
  t.same(other.requests, [], 'the other service was never asked')
})
