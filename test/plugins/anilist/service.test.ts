// slow: the whole service, or very many cases
// AniList in the whole service: sign-in, status and settings from a browser.
import t from 'tap'
import { startService } from '../../harness.ts'
import { startAniList } from '../../upstreams/anilist.ts'
import { addressesOf, authorize } from './support.ts'

t.test('a person enters an application, consents at AniList, and the status shows that it works', async (t) => {
  await using anilist = await startAniList()
  await using service = await startService({
    shipped: true,
    watch: false,
    environment: { PLAYHEAD_PUBLIC_URL: 'https://playhead.example/' },
  })
  t.equal((await service.json('/api/config', { json: { animeA: addressesOf(anilist) } })).status, 200)
  t.match((await service.json('/api/status?fresh=1')).body, { animeA_connected: false })
  const application = { client_id: anilist.clientId, client_secret: anilist.clientSecret }
  t.match(await service.json('/api/animeA/save', { json: application }), {
    status: 200,
    body: { ok: true, instance: 'default' },
  })
  t.match(
    (await service.json('/api/animeA/authorize', { json: { origin: 'https://evil.example' } })).body,
    { ok: false, error: 'invalid_origin' },
    'the code goes nowhere else',
  )
  const publicly = (await service.json('/api/animeA/authorize', { json: { origin: 'https://playhead.example' } })).body
  t.equal(
    new URL(publicly.authorize_url).searchParams.get('redirect_uri'),
    'https://playhead.example/callback/animeA',
    'but to the public address',
  )
  const { body: begun } = await service.json('/api/animeA/authorize', { json: { origin: service.url } })
  t.match(begun, { ok: true, authorize_url: /oauth\/authorize/ })

  const done = await authorize(service, anilist, begun.authorize_url)

  t.equal(done.status, 200)
  t.match(done.headers.get('content-type'), /^text\/plain/)
  t.match(await done.text(), /connected/)
  const status = (await service.json('/api/status?fresh=1')).body
  t.match(status, { animeA_connected: true, providers: { ANIMEA: { connected: true, user: { name: 'ada' } } } })
  t.same((await service.json('/api/animeA/status')).body, { connected: true, user: 'ada', instance: 'default' })
  const shown = (await service.json('/api/config')).body
  t.equal(shown.animeA.client_id, anilist.clientId)
  t.notOk(
    JSON.stringify([shown, begun, service.log]).includes(anilist.clientSecret),
    'the secret of the application is shown nowhere',
  )
  t.notMatch(JSON.stringify([shown, service.log]), /eyJ[\w-]+\.[\w-]+\.[\w-]+/, 'nor is the token')
  t.match(
    (await service.json('/api/auth/providers')).body.find(({ name }: { name: string }) => name === 'ANIMEA'),
    { flow: 'oauth2' },
  )

  t.match(await service.json('/api/animeA/token/delete', { method: 'POST', json: {} }), {
    status: 200,
    body: { ok: true },
  })
  t.match((await service.json('/api/status?fresh=1')).body, { animeA_connected: false })
})

t.test('a changed address in the settings drops the token, which is not sent there', async (t) => {
  await using anilist = await startAniList()
  await using other = await startAniList()
  await using service = await startService({ shipped: true, watch: false })
  const settings = { ...addressesOf(anilist), access_token: anilist.signIn() }
  t.equal((await service.json('/api/config', { json: { animeA: settings } })).status, 200)
  t.match((await service.json('/api/status?fresh=1')).body, { animeA_connected: true })
  t.equal((await service.json('/api/config', { json: { animeA: addressesOf(other) } })).status, 200)
  t.match((await service.json('/api/status?fresh=1')).body, { animeA_connected: false })
  t.same(other.requests, [], 'the other service was never asked')
})
