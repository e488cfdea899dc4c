// slow: the whole service, or very many cases
// SIMKL in the whole service: both ways to sign in, status and settings from a browser.
import t from 'tap'
import { startService } from '../../harness.ts'
import { startSimkl } from '../../upstreams/simkl.ts'

t.test(
  'a person enters an application, is redirected to SIMKL and back, and the status shows that it works',
  async (t) => {
    await using simkl = await startSimkl({ plan: 'pro', application: 'server' })
    await using service = await startService({ shipped: true, watch: false })
    const settings = { api_url: simkl.url, client_id: simkl.clientId, client_secret: simkl.clientSecret }
    t.equal((await service.json('/api/config', { json: { trackB: settings } })).status, 200)
    t.match((await service.json('/api/status?fresh=1')).body, { trackB_connected: false })

    const { origin } = new URL(service.url)
    const begun = await service.json('/api/trackB/authorize', { json: { origin } })
    t.match(begun, { status: 200, body: { ok: true, authorize_url: /^https:\/\/simkl\.com\//, instance: 'default' } })
    const back = simkl.authorize(begun.body.authorize_url)
    t.equal(back.origin, origin)
    const stranger = await fetch(back)
    t.equal(stranger.status, 400, 'a browser that is not signed in here brings nothing')
    await stranger.text()
    const page = await service.call(back.pathname + back.search)
    t.equal(page.status, 200)
    t.match(page.headers.get('content-type'), /^text\/plain/)
    t.match(await page.text(), /connected/)

    const { body: status } = await service.json('/api/status?fresh=1')
    t.match(status, {
      trackB_connected: true,
      providers: {
        TRACKB: { connected: true, vip: true, vip_type: 'pro', account_type: 'pro', account_id: '51', username: 'ada' },
      },
    })
    const shown = (await service.json('/api/config')).body
    const text = JSON.stringify([shown, status, service.log])
    t.equal(shown.trackB.client_id, simkl.clientId)
    for (const secret of [
      simkl.clientSecret,
      ...[...simkl.state.tokens.values()].flatMap(({ access, refresh }) => [access, refresh]),
      back.searchParams.get('code') as string,
    ])
      t.notOk(text.includes(secret), 'no secret is shown')

    t.match(await service.json('/api/trackB/token/delete', { method: 'POST' }), {
      status: 200,
      body: { ok: true, instance: 'default' },
    })
    t.match((await service.json('/api/status?fresh=1')).body, { trackB_connected: false })
    t.equal((await service.json('/api/config')).body.trackB.client_id, simkl.clientId, 'the application stays')
  },
)

t.test('a PIN is issued through the service and can be cancelled', async (t) => {
  await using simkl = await startSimkl()
  await using service = await startService({ shipped: true, watch: false })
  t.equal(
    (await service.json('/api/config', { json: { trackB: { api_url: simkl.url, pin_client_id: simkl.clientId } } }))
      .status,
    200,
  )
  const { body } = await service.json('/api/trackB/pin/start', { method: 'POST' })
  t.match(body, {
    ok: true,
    user_code: String,
    verification_url: 'https://simkl.com/pin/',
    interval: 5,
    expires_in: 900,
  })
  t.match((await service.json('/api/trackB/pin/poll', { method: 'POST' })).body, { ok: true, status: 'pending' })
  t.match((await service.json('/api/trackB/pin/cancel', { method: 'POST' })).body, { ok: true, cancelled: true })
})

t.test('a changed address in the settings drops the token, which is not sent there', async (t) => {
  await using simkl = await startSimkl()
  await using other = await startSimkl()
  await using service = await startService({ shipped: true, watch: false })
  const settings = { api_url: simkl.url, client_id: simkl.clientId, access_token: simkl.signIn() }
  t.equal((await service.json('/api/config', { json: { trackB: settings } })).status, 200)
  t.match((await service.json('/api/status?fresh=1')).body, { trackB_connected: true })
  t.equal((await service.json('/api/config', { json: { trackB: { api_url: other.url } } })).status, 200)
  t.match((await service.json('/api/status?fresh=1')).body, { trackB_connected: false })
  t.same(other.requests, [], 'the other service was never asked')
})

t.test('a sign-in of AUTH V1 continues with a dated notice, and the new one replaces it', async (t) => {
  await using simkl = await startSimkl()
  await using service = await startService({ shipped: true, watch: false })
  const settings = {
    api_url: simkl.url,
    client_id: simkl.v1ClientId,
    access_token: simkl.signInV1(),
    auth_method: 'pin',
  }
  t.equal((await service.json('/api/config', { json: { trackB: settings } })).status, 200)
  const account = async () => (await service.json('/api/status?fresh=1')).body.providers.TRACKB.account_id
  t.equal(await account(), '51')
  const notices = async () =>
    (await service.json('/api/attention')).body.items.filter(
      ({ provider }: { provider: string }) => provider === 'TRACKB',
    )
  const [notice, ...others] = await notices()
  t.match(notice, {
    title: 'Sign in again before 2027-03-31: SIMKL',
    detail: /March or April 2027/,
    action: { path: '/connections/TRACKB' },
  })
  t.same(others, [])

  t.equal(
    (
      await service.json('/api/config/sections/trackB', {
        method: 'PUT',
        json: { values: { client_id: simkl.clientId } },
      })
    ).status,
    200,
  )
  t.equal(await account(), '51', 'another application in the settings ends nothing')
  const { body } = await service.json('/api/trackB/pin/start', { method: 'POST' })
  simkl.approve(body.user_code)
  simkl.advance(6_000)
  await new Promise((resolve) => setTimeout(resolve, 5_050))
  t.match((await service.json('/api/trackB/pin/poll', { method: 'POST' })).body, { ok: true, status: 'authorized' })
  t.equal(await account(), '51', 'the same account: what is synced stays')
  t.same(await notices(), [])
})
