// The routes for choosing a server, libraries and people.
import { PlayheadError, ACCOUNTS } from '@playhead/sdk'
import { startServer } from '@playhead/sdk/testing'
import t from 'tap'
import { startPlex } from '../../upstreams/plex.ts'
import { startWorld, type World } from './world.ts'

type Body = Record<string, unknown>

async function get({ host }: Pick<World, 'host'>, path: string): Promise<{ status: number; body: Body }> {
  const answer = await host.inject(path)
  return { status: answer.statusCode, body: answer.json() as Body }
}
const LISTS = [
  ['libraries', 'libraries'],
  ['pickusers', 'users'],
  ['users', 'users'],
  ['pms', 'servers'],
] as const

t.test('without a token the lists are empty and state why', async (t) => {
  const world = await startWorld(t, { signedIn: false })
  for (const [path, list] of LISTS) {
    t.match(
      await get(world, `/api/mediaA/${path}`),
      { status: 200, body: { [list]: [], ok: false, reason: 'token_required', instance: 'default' } },
      path,
    )
  }
  t.match((await get(world, '/api/mediaA/server_uuid')).body, { server_uuid: null, instance: 'default' })
  t.match((await get(world, '/api/mediaA/pms/probe')).body, {
    connected: false,
    reachable: false,
    status: null,
    error: 'Not connected',
  })
  t.match((await get(world, '/api/mediaA/inspect')).body, {
    ok: true,
    connected: false,
    server_url: '',
    username: '',
    pms_token: false,
    instance: 'default',
  })
  t.equal(world.plex.cloud.requests.length + world.plex.server.requests.length, 0)
})

t.test('unknown profiles are 404 and malformed ones 400, on every route', async (t) => {
  const world = await startWorld(t)
  for (const path of ['inspect', 'libraries', 'pms/probe', 'pickusers', 'users', 'server_uuid', 'pms']) {
    t.match(
      await get(world, `/api/mediaA/${path}?instance=MEDIAA-P07`),
      { status: 404, body: { ok: false, error: 'not_found' } },
      path,
    )
    t.match(
      await get(world, `/api/mediaA/${path}?instance=..`),
      { status: 400, body: { error: 'invalid_instance_id' } },
      path,
    )
    t.equal((await get(world, `/api/mediaA/${path}?instance=DEFAULT`)).status, 200, path)
  }
  for (const path of ['pin/new', 'token/delete']) {
    t.equal(
      (await world.host.inject({ method: 'POST', url: `/api/mediaA/${path}?instance=MEDIAA-P07` })).statusCode,
      404,
      path,
    )
  }
})

t.test(
  'while the cloud is unreachable the lists are empty with a reason, and no foreign text is returned',
  async (t) => {
    const world = await startWorld(t)
    world.plex.cloud.faults.add({ kind: 'html', status: 503 })
    for (const [path, list] of LISTS) {
      t.match(
        await get(world, `/api/mediaA/${path}`),
        { status: 200, body: { [list]: [], ok: false, reason: 'upstream_error' } },
        path,
      )
    }
    t.match((await get(world, '/api/mediaA/inspect')).body, {
      ok: false,
      reason: 'upstream_error',
      connected: true,
      server: null,
    })
  },
)

t.test('libraries are returned with their kind, and requested once', async (t) => {
  const world = await startWorld(t)
  const libraries = [
    { key: '1', title: 'Movies', type: 'movie' },
    { key: '2', title: 'TV Shows', type: 'show' },
  ]
  t.match(await get(world, '/api/mediaA/libraries'), { status: 200, body: { libraries, ok: true } })
  await get(world, '/api/mediaA/libraries')
  t.equal(world.plex.server.count('/library/sections'), 1)
  t.match(world.settings(), { server_url: world.plex.server.url })
})

t.test(
  "another address is tried with a token only if it is one of the account's servers, and is not saved",
  async (t) => {
    const stranger = await startServer(() => ({
      json: { MediaContainer: { machineIdentifier: 'stranger', version: '1' } },
    }))
    t.teardown(() => stranger.close())
    const other = await startPlex({ seed: 2, movies: 1, shows: 1, cloudTitles: 1 })
    t.teardown(() => other.close())
    const world = await startWorld(t)
    for (const path of ['libraries', 'pickusers']) {
      for (const url of [stranger.url, other.server.url]) {
        t.match(
          await get(world, `/api/mediaA/${path}?server=${encodeURIComponent(url)}`),
          { status: 400, body: { error: 'credentials_required' } },
          path,
        )
      }
    }
    t.equal(stranger.requests.length + other.server.requests.length, 0, 'they were not even asked who they are')
    const own = await get(
      world,
      `/api/mediaA/libraries?server=${encodeURIComponent(world.plex.server.url)}&verify_ssl=false`,
    )
    t.equal((own.body['libraries'] as unknown[]).length, 2)
    t.equal(world.settings()['server_url'], '')
  },
)

t.test('the address of a web page of the media server is accepted', async (t) => {
  const listener = await startServer(({ path }) =>
    path === '/identity'
      ? { json: { MediaContainer: { machineIdentifier: 'x' } } }
      : { status: 404, headers: { 'content-type': 'text/html' }, body: '<html></html>' },
  )
  t.teardown(() => listener.close())
  const world = await startWorld(t)
  for (const page of ['/web/index.html#!/', '/web/', '/web', '/']) {
    const { body } = await get(world, `/api/mediaA/pms/probe?server=${encodeURIComponent(listener.url + page)}`)
    t.match(body, { reachable: true, status: 200 }, page)
    t.equal(String(body['server_url']).replace(/\/$/, ''), listener.url, page)
    t.notOk('error' in body, page)
  }
})

t.test('a probe reports whether a server answers, and sends no token', async (t) => {
  const heard: unknown[] = []
  const listener = await startServer(({ headers, path }) => {
    heard.push(headers['x-plex-token'])
    return path === '/identity' && heard.length === 1
      ? { json: { MediaContainer: { machineIdentifier: 'x' } } }
      : { status: 401 }
  })
  t.teardown(() => listener.close())
  const world = await startWorld(t)
  const probe = async (query: string) => (await get(world, `/api/mediaA/pms/probe?${query}`)).body
  t.match(await probe(''), { connected: true, reachable: false, error: 'No server_url configured' })
  const at = `server=${encodeURIComponent(listener.url)}`
  t.match(await probe(at), {
    connected: true,
    server_url: listener.url,
    reachable: true,
    status: 200,
    token_source: 'account_token',
  })
  t.match(await probe(`${at}&verify_ssl=false`), {
    reachable: true,
    status: 401,
    error: 'probe_failed',
    verify_ssl: false,
  })
  t.same(heard, [undefined, undefined])
  t.match(await probe('server=http://127.0.0.1:1&timeout=1'), { reachable: false, status: null, error: 'No response' })
  t.equal((await get(world, '/api/mediaA/pms/probe?timeout=soon')).status, 422)
  await get(world, '/api/mediaA/libraries')
  t.match(await probe('timeout=0'), { reachable: true, status: 200, token_source: 'pms_token' })
})

t.test('people are listed once each, by their relation to the account', async (t) => {
  const world = await startWorld(t)
  const { body } = await get(world, '/api/mediaA/pickusers')
  t.match(body, { ok: true, count: 3 })
  t.same(body['users'], [
    {
      username: 'sample_user',
      account_id: 1,
      id: 1,
      pms_account_id: 1,
      cloud_account_id: 900_001,
      type: 'self',
      label: 'You',
      source: 'pms',
      can_choose: true,
      protected: false,
    },
    {
      username: 'Kid',
      account_id: 900_002,
      id: 900_002,
      pms_account_id: 900_002,
      cloud_account_id: 900_002,
      type: 'managed',
      label: 'Home',
      source: 'cloud',
      can_choose: true,
      protected: true,
    },
    {
      username: 'neighbour',
      account_id: 900_003,
      id: 900_003,
      pms_account_id: 900_003,
      cloud_account_id: 900_003,
      type: 'friend',
      label: 'Friend',
      source: 'cloud',
      can_choose: false,
      protected: false,
    },
  ])
  const users = async (query: string) => (await get(world, `/api/mediaA/users?${query}`)).body['users'] as Body[]
  t.same(
    (await users('')).map(({ id, type, has_access: access }) => [id, type, access]),
    [
      ['1', 'owner', true],
      ['900002', 'managed', true],
      ['900003', 'friend', true],
    ],
  )
  t.notOk(JSON.stringify(await users('')).includes('@'), 'no addresses of people')
  t.same(
    (await users('only_home_or_owner=true')).map(({ type }) => type),
    ['owner', 'managed'],
  )
  world.plex.cloud.faults.add({ match: '/api/users', kind: 'status', status: 403 })
  t.same(
    (await users('only_with_server_access=true')).map(({ type }) => type),
    ['owner'],
    'access that is not known is none',
  )
  // A failing cloud route: the home users can still be selected.
  for (const [match, left] of [
    ['/api/users', ['owner', 'managed']],
    ['/api/v2/home/users', ['owner', 'managed', 'friend']],
  ] as const)
    for (const status of [404, 410]) {
      world.plex.cloud.faults.clear()
      world.plex.cloud.faults.add({ match, kind: 'status', status })
      const found = (await users('')).map(({ type }) => type)
      t.ok(found.includes('owner'), `${match} ${status}`)
      t.same(found.includes('friend'), (left as readonly string[]).includes('friend'), `${match} ${status}`)
      t.equal((await get(world, '/api/mediaA/pickusers')).status, 200)
    }
})

t.test('servers come with their connections and the selected one', async (t) => {
  const world = await startWorld(t)
  const { body } = await get(world, '/api/mediaA/pms')
  t.equal(body['count'], 2)
  const [own, shared] = body['servers'] as Body[]
  t.match(own, {
    id: world.plex.state.machineIdentifier,
    name: 'Attic',
    owned: true,
    product: 'Plex Media Server',
    best_url: /plex\.direct/,
  })
  t.match(shared, { name: 'Next door', owned: false })
  t.notOk(JSON.stringify(body).includes(world.plex.serverToken()), 'no tokens')
  await get(world, '/api/mediaA/libraries')
  t.match(((await get(world, '/api/mediaA/pms')).body['servers'] as Body[])[0], { best_url: /127/ })
})

t.test('the id of the server is that of the settings, of the address, or of the first own server', async (t) => {
  const world = await startWorld(t)
  t.equal((await get(world, '/api/mediaA/server_uuid')).body['server_uuid'], world.plex.state.machineIdentifier)
  const other = await startPlex({ seed: 2, movies: 1, shows: 1, cloudTitles: 1 })
  t.teardown(() => other.close())
  await world.host.changeConfig({ server_url: other.server.url })
  t.equal((await get(world, '/api/mediaA/server_uuid')).body['server_uuid'], other.state.machineIdentifier)
  await world.host.changeConfig({ machine_id: 'chosen' })
  t.equal((await get(world, '/api/mediaA/server_uuid')).body['server_uuid'], 'chosen')
})

t.test('disconnecting notifies Plex, and resets the profile and no other', async (t) => {
  const world = await startWorld(t, {
    config: { history: { libraries: ['1'] }, instances: { 'MEDIAA-P01': { account_token: 'other', label: 'Kid' } } },
  })
  const { plex, host, settings } = world
  const token = plex.accountToken()
  await get(world, '/api/mediaA/libraries')
  const answer = await host.inject({ method: 'POST', url: '/api/mediaA/token/delete' })
  t.same([answer.statusCode, answer.json()], [200, { ok: true, instance: 'default' }])
  t.match(settings(), { account_token: '', pms_token: '', machine_id: '', server_url: '', history: { libraries: [] } })
  t.match(settings('MEDIAA-P01'), { account_token: 'other', label: 'Kid' })
  t.notOk(plex.state.tokens.has(token))
})

t.test('a token that another profile needs is not revoked', async (t) => {
  const world = await startWorld(t)
  const token = world.plex.accountToken()
  await world.host.changeConfig({
    instances: { 'MEDIAA-P01': { account_token: token, cloud_url: world.plex.cloud.url } },
  })
  t.equal((await world.host.inject({ method: 'POST', url: '/api/mediaA/token/delete' })).statusCode, 200)
  t.ok(world.plex.state.tokens.has(token))
  t.equal(
    (await world.host.inject({ method: 'POST', url: '/api/mediaA/token/delete?instance=MEDIAA-P01' })).statusCode,
    200,
  )
  t.notOk(world.plex.state.tokens.has(token))
})

t.test('an invalid address is reported as such and breaks nothing', async (t) => {
  const world = await startWorld(t, { config: { server_url: 'ftp://nowhere' } })
  t.match(await get(world, '/api/mediaA/inspect'), {
    status: 200,
    body: { ok: false, reason: 'invalid', connected: true },
  })
  t.match(await get(world, '/api/mediaA/libraries'), { status: 200, body: { ok: false, libraries: [] } })
})

t.test('a profile that is in use stays connected', async (t) => {
  const world = await startWorld(t)
  const usages = [{ feature: 'sync_pair', role: 'source', pair_id: 'one', enabled: true, label: 'Pair' }]
  await world.host.provide(ACCOUNTS, {
    forget: async () => {},
    assertUnused: async () => {
      throw new PlayheadError('PLH_CONFLICT', 'The profile is used by a pair.', {
        wire: 'provider_in_use',
        details: { usages },
      })
    },
  })
  const answer = await world.host.inject({ method: 'POST', url: '/api/mediaA/token/delete' })
  t.match([answer.statusCode, answer.json()], [409, { ok: false, error: 'provider_in_use', usages }])
  t.not(world.settings()['account_token'], '')
})
