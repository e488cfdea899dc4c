// The user of a profile's watch state, and the token for each server.
import { startServer } from '@playhead/sdk/testing'
import t from 'tap'
import { startPlex } from '../../upstreams/plex.ts'
import { asItem, startWorld, type World, type WorldOptions } from './world.ts'

const AT_MS = Date.UTC(2024, 4, 1, 20)
const AT = '2024-05-01T20:00:00Z'
const KID = 'MEDIAA-P01'

/** The owner's account, and a profile for the managed user of the home. */
async function startHome(
  test: Parameters<typeof startWorld>[0],
  kid: Readonly<Record<string, unknown>> = {},
  options: WorldOptions = {},
): Promise<World> {
  const world = await startWorld(test, options)
  const { plex, host } = world
  await host.changeConfig({
    instances: {
      [KID]: {
        cloud_url: plex.cloud.url,
        account_token: plex.accountToken(),
        account_id: 900_002,
        home_pin: '1234',
        ...kid,
      },
    },
  })
  return world
}

t.test('a home user has a separate state: reads and writes are theirs alone', async (t) => {
  const world = await startHome(t)
  const { plex, read, write, ofType } = world
  const [first, second, third] = ofType('movie')
  plex.actions.watch('owner', first?.ratingKey ?? '', AT_MS)
  plex.actions.watch('managed', second?.ratingKey ?? '', AT_MS)
  const kid = await read('history', { instance: KID })
  t.equal(kid.end.account, `${plex.state.machineIdentifier}/900002`)
  t.same(
    kid.rows.map(({ native }) => native?.item_id),
    [second?.ratingKey],
  )
  t.same(
    (await read('history')).rows.map(({ native }) => native?.item_id),
    [first?.ratingKey],
  )
  t.same(
    (await read('history', { instance: KID, plays: true })).rows.map(({ native }) => native?.item_id),
    [second?.ratingKey],
  )

  const item = asItem(plex, third as never, { watched_at: AT, rating: 8 })
  t.same(await write('history', 'add', [item], { instance: KID }), ['applied'])
  t.same(await write('ratings', 'add', [item], { instance: KID }), ['applied'])
  t.same(await write('watchlist', 'add', [item], { instance: KID }), ['applied'])
  t.match(plex.state.playStates.get(900_002)?.get(third?.ratingKey ?? ''), { viewCount: 1, userRating: 8 })
  t.notOk(plex.state.playStates.get(900_001)?.has(third?.ratingKey ?? ''))
  t.equal(plex.state.watchlists.get(900_002)?.size, 1)
  t.notOk(plex.state.watchlists.get(900_001)?.size)
})

for (const [what, settings] of [
  ['with a wrong PIN', { home_pin: '9999' }],
  ['without a PIN', { home_pin: '' }],
  ['who is no member of the home', { account_id: 900_003 }],
] as const) {
  t.test(`for a user ${what} nothing is read or written with the token of the owner`, async (t) => {
    const { plex, provider, read, write, ofType } = await startHome(t, settings)
    const item = asItem(plex, ofType('movie')[0] as never, { watched_at: AT, rating: 8, progress_ms: 600_000 })
    for (const feature of ['watchlist', 'history', 'ratings', 'progress'] as const) {
      t.same(await write(feature, 'add', [item], { instance: KID }), ['rejected home_scope_not_applied'], feature)
      await t.rejects(
        read(feature, { instance: KID }),
        { code: 'PLH_FORBIDDEN', wire: 'home_scope_not_applied' },
        feature,
      )
    }
    t.equal(plex.server.requests.length, 0, 'the server was not even asked')
    t.ok(plex.cloud.count(/switch$/) <= 1, 'a PIN that was refused is not tried again and again')
    t.match(await provider.probe(KID), { status: 'auth_failed', reasonCode: 'profile_unavailable' })
  })
}

t.test('a corrected PIN is tried at once', async (t) => {
  const { host, read } = await startHome(t, { home_pin: '9999' })
  await t.rejects(read('ratings', { instance: KID }), { code: 'PLH_FORBIDDEN', wire: 'home_scope_not_applied' })
  await host.changeConfig({ instances: { [KID]: { home_pin: '1234' } } })
  t.equal((await read('ratings', { instance: KID })).end.complete, true)
})

t.test('a home user whose token was revoked is switched to again', async (t) => {
  const { plex, read, ofType } = await startHome(t)
  plex.actions.watch('managed', ofType('movie')[0]?.ratingKey ?? '', AT_MS)
  await read('history', { instance: KID })
  plex.actions.expireTokens('managed')
  t.equal((await read('history', { instance: KID })).rows.length, 1)
  t.same((await read('watchlist', { instance: KID })).end.complete, true)
})

t.test('the token of a home user is never stored', async (t) => {
  const { plex, host, read, settings } = await startHome(t)
  await read('history', { instance: KID })
  const tokens = [...plex.state.tokens.values()]
    .filter(({ accountId }) => accountId === 900_002)
    .map(({ value }) => value)
  const kept = JSON.stringify([settings(), await Array.fromAsync(host.store.entries()), host.logs])
  t.notOk(tokens.some((token) => kept.includes(token)))
  t.match(settings(KID), { machine_id: plex.state.machineIdentifier, server_url: plex.server.url })
})

t.test(
  'a person with a shared server sees the shared libraries and their own plays, and deletes nothing from the log',
  async (t) => {
    const { plex, read, write, ofType, provider, settings } = await startWorld(t, { who: 'friend' })
    plex.actions.watch('friend', ofType('movie')[0]?.ratingKey ?? '', AT_MS)
    plex.actions.watch('owner', ofType('movie')[1]?.ratingKey ?? '', AT_MS)
    t.same(
      (await provider.libraries('default')).map(({ key }) => key),
      ['1'],
    )
    const { rows } = await read('history', { plays: true })
    t.equal(rows.length, 1)
    t.same(await write('history', 'remove', rows, { plays: true }), ['unsupported owner_only'])
    t.match(await provider.probe('default'), { status: 'ok', extras: { user_scope: 'shared' } })
    t.equal(settings()['account_id'], 900_003)
  },
)

t.test('the server is discovered, and stored with its token', async (t) => {
  const { plex, read, settings } = await startWorld(t)
  await read('history')
  t.match(settings(), {
    server_url: plex.server.url,
    pms_token: plex.serverToken(),
    pms_token_server: plex.server.url,
    machine_id: plex.state.machineIdentifier,
    username: 'sample_user',
    account_id: 1,
  })
})

t.test('a server outside the account gets no token', async (t) => {
  const stranger = await startServer(() => ({
    json: { MediaContainer: { machineIdentifier: 'stranger', version: '1' } },
  }))
  t.teardown(() => stranger.close())
  const { plex, read, write, ofType } = await startWorld(t, {
    config: { server_url: stranger.url, pms_token: 'kept', pms_token_server: 'http://elsewhere:1' },
  })
  await t.rejects(read('history'), { code: 'PLH_AUTH_FAILED', wire: 'credentials_required' })
  await t.rejects(write('ratings', 'add', [asItem(plex, ofType('movie')[0] as never, { rating: 5 })]), {
    code: 'PLH_AUTH_FAILED',
    wire: 'credentials_required',
  })
  t.ok(stranger.requests.length > 0)
  t.ok(
    stranger.requests.every(
      ({ headers }) => headers['x-plex-token'] === undefined && !JSON.stringify(headers).includes('kept'),
    ),
  )
})

t.test('a token is not sent to a server that replaced its own', async (t) => {
  const other = await startPlex({ seed: 2, movies: 1, shows: 1, cloudTitles: 1 })
  t.teardown(() => other.close())
  const { plex, host, read } = await startWorld(t)
  await read('history')
  await host.changeConfig({
    server_url: other.server.url,
    pms_token: plex.serverToken(),
    pms_token_server: other.server.url,
  })
  await t.rejects(read('history'), { code: 'PLH_AUTH_FAILED', wire: 'credentials_required' })
  t.same([...new Set(other.server.requests.map(({ path }) => path))], ['/identity'])
})

t.test('a token without a stored server is kept, as long as the server is the same', async (t) => {
  const other = await startPlex({ seed: 2, movies: 3, shows: 1, cloudTitles: 1 })
  t.teardown(() => other.close())
  const mine = { server_url: other.server.url, pms_token: other.serverToken() }
  const { read, settings } = await startWorld(t, { config: mine })
  t.equal((await read('ratings')).end.complete, true)
  t.equal(settings()['pms_token_server'], other.server.url)
  const moved = await startWorld(t, { config: { ...mine, machine_id: 'another' } })
  await t.rejects(moved.read('ratings'), { code: 'PLH_AUTH_FAILED', wire: 'credentials_required' })
})

t.test('a probe distinguishes a working account, one without its server, and a signed-out one', async (t) => {
  const { plex, provider } = await startWorld(t)
  const account = `${plex.state.machineIdentifier}/900001`
  t.match(await provider.probe('default'), {
    status: 'ok',
    account,
    user: { id: '900001', name: 'sample_user' },
    extras: { plan_active: true, subscription: { plan: 'lifetime' }, user_scope: 'owner' },
  })
  plex.server.faults.add({ kind: 'status', status: 500 })
  t.match(await provider.probe('default'), {
    status: 'degraded',
    account,
    features: { history: false, ratings: false, progress: false },
  })
  plex.cloud.faults.add({ kind: 'status', status: 503, times: 1 })
  t.match(await provider.probe('default'), { status: 'down', reasonCode: 'upstream_error' })
  plex.actions.expireTokens()
  t.match(await provider.probe('default'), { status: 'auth_failed', reasonCode: 'unauthorized' })
})

t.test('a profile without a sign-in is not configured', async (t) => {
  const { provider, read } = await startWorld(t, { signedIn: false })
  t.match(await provider.profiles(), [{ id: 'default', configured: false, reasonCode: 'not_configured' }])
  await t.rejects(read('history'), { code: 'PLH_NOT_READY', wire: 'not_configured' })
})
