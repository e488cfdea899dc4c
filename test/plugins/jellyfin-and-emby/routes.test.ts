// The routes of both products, with all failures.
import t from 'tap'
import { type Provider, providerCapability } from '@playhead/sdk'
import { startServer as startHttp } from '../../../sdk/testing/server.ts'
import { startTautulli } from '../../upstreams/tautulli.ts'
import { PRODUCTS, type Product, ROUTES, signedIn, startHost, startServer } from './support.ts'

const login = (product: Product, payload: object, instance = 'default') =>
  ({ method: 'POST', url: `${ROUTES[product]}/login?instance=${instance}`, payload }) as const
const get = (product: Product, path: string) => `${ROUTES[product]}/${path}`
const secretOf = (text: string) => /[0-9a-f]{32}/.exec(text)?.[0]

for (const product of PRODUCTS) {
  t.test(`${product}: signing in stores the token and its user, and nothing of the password`, async (t) => {
    await using server = await startServer(product, { movies: 1, shows: 0 })
    await using host = await startHost(product)
    const answer = await host.inject(login(product, { server: server.url, username: 'kim', password: 'secret' }))
    const user = server.world.users[1]!
    t.equal(answer.statusCode, 200)
    t.match(answer.json(), {
      ok: true,
      user_id: user.id,
      username: 'kim',
      server: `${server.url}/`,
      instance: 'default',
    })
    t.equal(answer.json().server_version, product === 'jellyfin' ? '10.11.11' : undefined)
    const config = host.ctx.config as Record<string, unknown>
    t.match(config, { server: `${server.url}/`, username: 'kim', user: 'kim', user_id: user.id, verify_ssl: true })
    t.match(config, { auth_method: 'password', password: '' })
    t.match(config['device_id'], /^[0-9a-f]{32}$/)
    t.ok(server.world.tokens.has(String(config['access_token'])))
    t.notMatch(answer.body + JSON.stringify(host.logs), String(config['access_token']))
    t.match((await host.inject(get(product, 'status'))).json(), {
      ok: true,
      connected: true,
      user: 'kim',
      instance: 'default',
    })
  })

  t.test(`${product}: a failing sign-in states why, and keeps the stored data`, async (t) => {
    await using server = await startServer(product, {
      movies: 1,
      shows: 0,
      users: [
        { name: 'sam', password: 'secret' },
        { name: 'eve', password: 'secret', disabled: true },
      ],
    })
    await using host = await startHost(product, { max_retries: 0 })
    const before = JSON.stringify(host.ctx.config)
    const fail = async (payload: object) => {
      const answer = await host.inject(login(product, payload))
      return [answer.statusCode, answer.json().error ?? answer.json().detail[0].type]
    }
    t.same(await fail({}), [400, 'Missing: server/username'])
    t.same(await fail({ server: server.url }), [400, 'Missing: server/username'])
    t.same(await fail({ server: server.url, username: 'sam', password: 'wrong' }), [401, 'invalid_credentials'])
    t.same(await fail({ server: server.url, username: 'eve', password: 'secret' }), [403, 'forbidden'])
    const refused = await host.inject(login(product, { server: server.url, username: 'eve', password: 'secret' }))
    t.match(refused.json().detail, /does not let this user sign in: the user is disabled/)
    t.notMatch(refused.body, /403|http/)
    t.same(await fail({ server: 'ftp://attic', username: 'sam', password: 'secret' }), [400, 'invalid_server'])
    t.same(await fail({ server: 'http://127.0.0.1:9', username: 'sam', password: 'secret' }), [502, 'unreachable'])
    server.faults.add({ kind: 'html', status: 200, times: 1 })
    t.same(await fail({ server: server.url, username: 'sam', password: 'secret' }), [502, 'invalid_response'])
    server.faults.add({ kind: 'status', status: 500 })
    t.same(await fail({ server: server.url, username: 'sam', password: 'secret' }), [502, 'upstream_error'])
    server.faults.clear()
    server.faults.add({ kind: 'hang' })
    t.same(await fail({ server: server.url, username: 'sam', password: 'secret', timeout: 1 }), [504, 'timeout'])
    server.faults.clear()
    t.equal(JSON.stringify(host.ctx.config), before)
    t.same((await host.inject(get(product, 'status'))).json().connected, false)
  })

  t.test(`${product}: the address of a web page is accepted, and the password goes only to the server`, async (t) => {
    await using server = await startServer(product, { movies: 1, shows: 0 })
    for (const page of [
      '/web/index.html#!/home',
      '/web/#/home.html',
      '/web/',
      '/web',
      '/System/Info/Public',
      '/a/b/c?d=e',
    ]) {
      await using host = await startHost(product, { max_retries: 0 })
      const answer = await host.inject(
        login(product, { server: server.url + page, username: 'kim', password: 'secret' }),
      )
      t.equal(answer.statusCode, 200, `${page} ${answer.body}`)
      t.equal(answer.json().server, `${server.url}/`, page)
      t.equal((host.ctx.config as any).server, `${server.url}/`, page)
    }
  })

  t.test(`${product}: another kind of server is named, with what to enter, before a password is sent`, async (t) => {
    const heard: string[] = []
    await using tautulli = await startTautulli({ movies: 1, shows: 0 })
    await using nothing = await startHttp(({ path, body }) => {
      heard.push(path + String(body ?? ''))
      return { status: 404, json: {} }
    })
    await using other = await startServer(product === 'jellyfin' ? 'emby' : 'jellyfin', { movies: 1, shows: 0 })
    await using host = await startHost(product, { max_retries: 0 })
    const label = product === 'jellyfin' ? 'Jellyfin' : 'Emby'
    const fail = async (server: string, password = 'secret-word') => {
      const answer = await host.inject(login(product, { server, username: 'kim', password }))
      return { status: answer.statusCode, ...(answer.json() as { error: string; detail: string }) }
    }
    const missing = await fail(`${nothing.url}/web/index.html`)
    t.match(missing, { status: 404, error: 'not_found', detail: `There is no ${label} server at ${nothing.url}/` })
    t.match(missing.detail, /for example http:/)
    t.notMatch(missing.detail, /MEDIA[BC]@|status 404/)
    t.notMatch(heard.join(), /secret-word/, 'no password is sent')
    t.match(await fail(tautulli.url), { status: 400, error: 'wrong_product', detail: /^Tautulli answers at .*, not / })
    t.match(await fail(`${other.url}/web/`), {
      status: 400,
      error: 'wrong_product',
      detail: new RegExp(`^${product === 'jellyfin' ? 'Emby' : 'Jellyfin'} answers at .*, not ${label}`),
    })
    await using own = await startServer(product, { movies: 1, shows: 0 })
    t.match(await fail(own.url, 'a'.repeat(32)), { status: 401, error: 'invalid_credentials', detail: /API key/ })
    t.match(await fail(own.url.replace('http:', 'https:')), { status: 502, detail: /enter the address with http:/ })
  })

  t.test(`${product}: without a scheme https is tried before http`, async (t) => {
    await using server = await startServer(product, { movies: 1, shows: 0 })
    await using host = await startHost(product, { max_retries: 0 })
    const answer = await host.inject(
      login(product, { server: server.url.replace('http://', ''), username: 'sam', password: 'secret' }),
    )
    t.match(answer.json(), { ok: true, server: `${server.url}/` })
  })

  t.test(`${product}: the other product is recognised, and no password is sent to it`, async (t) => {
    const other = product === 'jellyfin' ? 'emby' : 'jellyfin'
    await using server = await startServer(other, { movies: 1, shows: 0 })
    await using host = await startHost(product)
    const answer = await host.inject(login(product, { server: server.url, username: 'sam', password: 'secret' }))
    t.match([answer.statusCode, answer.json()], [400, { ok: false, error: 'wrong_product' }])
    t.equal(server.count('/Users/AuthenticateByName'), 0)
  })

  t.test(`${product}: unknown and malformed profiles have different errors`, async (t) => {
    await using host = await startHost(product)
    const id = product === 'jellyfin' ? 'MEDIAB' : 'MEDIAC'
    for (const path of ['status', 'inspect', 'libraries', 'users']) {
      t.match(
        (await host.inject(get(product, `${path}?instance=${id}-P07`))).json(),
        { ok: false, error: 'not_found' },
        path,
      )
      t.match(
        (await host.inject(get(product, `${path}?instance=elsewhere`))).json(),
        { ok: false, error: 'invalid_instance_id' },
        path,
      )
    }
  })

  t.test(`${product}: inspecting requests the server, stores the name, and falls back to the stored one`, async (t) => {
    await using account = await signedIn(product, { movies: 1, shows: 0 })
    const { host, server } = account
    Object.assign(server.world.users[0]!, { name: 'samuel' })
    const inspect = async (asked = host) => (await asked.inject(get(product, 'inspect'))).json()
    t.match(await inspect(), {
      ok: true,
      connected: true,
      username: 'samuel',
      server_url: `${server.url}/`,
      instance: 'default',
    })
    t.match(host.ctx.config, { user: 'samuel' })
    server.actions.expireTokens()
    t.match(await inspect(), { ok: false, connected: false, reason: 'unauthorized', username: 'samuel' })
    await using empty = await startHost(product)
    const nobody = { server_url: '', username: '', user_id: '' }
    t.match(await inspect(empty), { ok: false, connected: false, reason: 'not_configured', ...nobody })
  })

  t.test(`${product}: libraries are listed by title with their type`, async (t) => {
    await using account = await signedIn(product, { movies: 1, shows: 1 })
    const { host, server } = account
    const { libraries } = (await host.inject(get(product, 'libraries'))).json()
    const shown = libraries.map(({ title, type }: { title: string; type: string }) => `${title}: ${type}`)
    t.same(shown, ['Movie archive: movie', 'Movies: movie', 'Shows: show'])
    t.same(
      libraries.map(({ key }: { key: string }) => key).toSorted(),
      server.world.libraries.map(({ id }) => id).toSorted(),
    )
    t.same(await account.provider.libraries('default'), libraries)
    server.faults.add({ kind: 'status', status: 404 })
    t.match((await host.inject(get(product, 'libraries'))).json(), { ok: false, reason: 'not_found', libraries: [] })
    await using empty = await startHost(product)
    const none = (await empty.inject(get(product, 'libraries'))).json()
    t.match(none, { ok: false, reason: 'not_configured', libraries: [], instance: 'default' })
  })

  t.test(`${product}: an administrator sees all users, others only themselves`, async (t) => {
    await using sam = await signedIn(product, { movies: 1, shows: 0 })
    const users = (await sam.host.inject(get(product, 'users'))).json()
    const first = { username: 'sam', IsAdministrator: true, IsHidden: false, IsDisabled: false }
    t.match(users, { count: 2, users: [first, { username: 'kim' }] })
    t.equal(users.note, undefined)
    await using kim = await signedIn(product, { movies: 1, shows: 0, user: 'kim' })
    t.match((await kim.host.inject(get(product, 'users'))).json(), {
      count: 1,
      users: [{ username: 'kim' }],
      note: 'current user only',
    })
    kim.server.actions.expireTokens()
    t.equal((await kim.host.inject(get(product, 'users'))).statusCode, 401)
    await using empty = await startHost(product)
    const refused = await empty.inject(get(product, 'users'))
    t.match([refused.statusCode, refused.json()], [409, { error: 'not_configured', detail: String }])
  })

  t.test(`${product}: the stored token is sent to no other server`, async (t) => {
    await using account = await signedIn(product, { movies: 1, shows: 0 })
    await using other = await startServer(product, { movies: 1, shows: 0 })
    const { host, server } = account
    for (const path of ['libraries', 'users']) {
      const answer = await host.inject(get(product, `${path}?server=${encodeURIComponent(other.url)}`))
      t.match([answer.statusCode, answer.json()], [400, { error: 'credentials_required' }], path)
      t.equal(
        (await host.inject(get(product, `${path}?server=${encodeURIComponent(server.url)}&verify_ssl=false`)))
          .statusCode,
        200,
        path,
      )
    }
    t.equal(other.count(), 0)
    t.match(host.ctx.config, { server: `${server.url}/`, verify_ssl: true }, 'nothing of a look is kept')
  })

  t.test(`${product}: signing out revokes the token at the server and deletes it, unless it is in use`, async (t) => {
    await using account = await signedIn(product, { movies: 1, shows: 0 })
    const { host, server } = account
    t.match((await host.inject({ method: 'POST', url: get(product, 'token/delete') })).json(), {
      ok: true,
      instance: 'default',
    })
    t.equal(server.world.tokens.size, 0)
    t.match(host.ctx.config, { access_token: '', user_id: '', user: '', auth_method: '', server: `${server.url}/` })
    t.match((await host.inject(get(product, 'status'))).json(), { connected: false })
    await using used = await startHost(product, { server: 'http://127.0.0.1:9/', access_token: 'kept', user_id: 'a' }, [
      'default',
    ])
    const refused = await used.inject({ method: 'POST', url: get(product, 'token/delete') })
    t.match([refused.statusCode, refused.json()], [409, { error: 'provider_in_use' }])
    t.equal((used.ctx.config as { access_token: string }).access_token, 'kept')
  })

  t.test(`${product}: a server that does not answer does not prevent signing out`, async (t) => {
    const account = await signedIn(product, { movies: 1, shows: 0 })
    await account.server.close()
    t.match((await account.host.inject({ method: 'POST', url: get(product, 'token/delete') })).json(), { ok: true })
    t.match(account.host.ctx.config, { access_token: '' })
    await account.host.close()
  })

  t.test(`${product}: the health report contains the account and its problems`, async (t) => {
    await using account = await signedIn(product, { movies: 1, shows: 0 })
    const { provider, server } = account
    const user = server.world.users[0]!
    const name = `${server.world.serverId}/${user.id}`
    t.match(await provider.probe('default'), { status: 'ok', account: name, user: { id: user.id, name: 'sam' } })
    server.actions.restart({ startingRequests: 50 })
    t.match(await provider.probe('default'), { status: 'down', reasonCode: 'upstream_error' })
    server.actions.restart({ startingRequests: 0 })
    server.actions.expireTokens()
    t.match(await provider.probe('default'), { status: 'auth_failed', reasonCode: 'unauthorized' })
    await using empty = await startHost(product)
    const nobody = empty.capability<Provider>(providerCapability(product === 'jellyfin' ? 'MEDIAB' : 'MEDIAC'))
    t.match(await nobody.probe('default'), { status: 'not_configured' })
  })

  t.test(`${product}: the token is in no address, no log and no error`, async (t) => {
    await using account = await signedIn(product, { movies: 3, shows: 0 })
    const { host, server } = account
    const { access_token: token } = host.ctx.config as { access_token: string }
    await account.read('history')
    await host.inject(get(product, 'inspect'))
    t.notOk(server.requests.some(({ query }) => query.toString().includes(token)))
    server.actions.expireTokens()
    const error = await account.read('history').catch((thrown: unknown) => String(thrown))
    t.notMatch(`${String(error)}${JSON.stringify(host.logs)}`, token)
    t.ok(secretOf(token))
  })
}

t.test(
  'jellyfin: servers before 10.9, and those without a version, are refused before a password is sent',
  async (t) => {
    for (const [version, error] of [
      ['10.8.13', 'version_too_old'],
      ['unknown', 'version_unknown'],
    ] as const) {
      await using server = await startServer('jellyfin', { movies: 1, shows: 0, version })
      await using host = await startHost('jellyfin')
      const answer = await host.inject(login('jellyfin', { server: server.url, username: 'sam', password: 'secret' }))
      t.match([answer.statusCode, answer.json()], [400, { error }])
      t.equal(server.count('/Users/AuthenticateByName'), 0)
    }
  },
)

t.test('jellyfin 12, which accepts no older headers, works as well', async (t) => {
  await using account = await signedIn('jellyfin', { movies: 5, shows: 1, version: '12.0.0' })
  t.equal((await account.read('history')).end.complete, true)
  t.match(await account.provider.probe('default'), { status: 'ok' })
})
