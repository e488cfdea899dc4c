// slow: the whole service, or very many cases
// Trakt in the whole service: sign-in, status and settings from a browser.
import t from 'tap'
import { startTrakt } from '../../upstreams/trakt.ts'
import { startService, until } from '../../harness.ts'

t.test('a person enters an application, types the code in at Trakt, and the status shows that it works', async (t) => {
  await using trakt = await startTrakt()
  await using service = await startService({ shipped: true, watch: false })
  const settings = {
    api_url: trakt.url,
    oauth_url: trakt.url,
    client_id: trakt.clientId,
    client_secret: trakt.clientSecret,
  }
  t.equal((await service.json('/api/config', { json: { trackA: settings } })).status, 200)
  t.match((await service.json('/api/status?fresh=1')).body, { trackA_connected: false })

  const started = await service.json('/api/trackA/pin/new', { method: 'POST' })
  t.match(started, {
    status: 200,
    body: { ok: true, user_code: String, verification_url: /^https:/, expiresIn: Number, instance: 'default' },
  })
  trakt.approve(started.body.user_code)
  const status = await until('Trakt is connected', async () => {
    const { body } = await service.json('/api/status?fresh=1')
    return body.trackA_connected === true ? body : undefined
  })
  t.match(status.providers.TRACKA, {
    connected: true,
    vip: false,
    vip_type: 'free',
    limits: { watchlist: { item_count: 250, used: 0 } },
  })

  const shown = (await service.json('/api/config')).body
  const text = JSON.stringify([shown, started.body, service.log])
  t.equal(shown.trackA.client_id, trakt.clientId)
  t.notOk(text.includes(trakt.clientSecret), 'the secret of the application is shown nowhere')
  t.notMatch(shown.trackA.access_token, /^[0-9a-f]{64}$/)
  t.notMatch(shown.trackA.refresh_token, /^[0-9a-f]{64}$/)

  t.match(await service.json('/api/trackA/token/delete', { method: 'POST' }), {
    status: 200,
    body: { ok: true, instance: 'default' },
  })
  t.equal(trakt.count('/oauth/revoke'), 1)
  t.match((await service.json('/api/status?fresh=1')).body, { trackA_connected: false })
})

t.test('a changed address in the settings drops the tokens, which are not sent there', async (t) => {
  await using trakt = await startTrakt()
  await using other = await startTrakt()
  await using service = await startService({ shipped: true, watch: false })
  const { access_token, refresh_token } = trakt.signIn()
  const settings = {
    api_url: trakt.url,
    oauth_url: trakt.url,
    client_id: trakt.clientId,
    client_secret: trakt.clientSecret,
    access_token,
    refresh_token,
  }
  t.equal((await service.json('/api/config', { json: { trackA: settings } })).status, 200)
  t.match((await service.json('/api/status?fresh=1')).body, { trackA_connected: true })
  t.equal(
    (await service.json('/api/config', { json: { trackA: { api_url: other.url, oauth_url: other.url } } })).status,
    200,
  )
  t.match((await service.json('/api/status?fresh=1')).body, { trackA_connected: false })
  t.same(other.requests, [], 'the other service was never asked')
})
