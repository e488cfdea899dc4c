// slow: the whole service, or very many cases
// Both providers in the whole service, with real settings, hosts, accounts and secrets.
import t from 'tap'
import { startService } from '../../harness.ts'
import { PRODUCTS, ROUTES, startServer } from './support.ts'

const SECTIONS = { jellyfin: 'mediaB', emby: 'mediaC' }
const IDS = { jellyfin: 'MEDIAB', emby: 'MEDIAC' }

for (const product of PRODUCTS) {
  t.test(`${product}: two profiles sign in, are probed, and one signs out again`, async (t) => {
    await using server = await startServer(product, { movies: 3, shows: 1 })
    await using service = await startService({ shipped: true, watch: false })
    const route = ROUTES[product]
    t.match(await service.json(`${route}/status`), { status: 200, body: { connected: false } })
    const login = (instance: string, username: string) =>
      service.json(`${route}/login?instance=${instance}`, {
        json: { server: server.url, username, password: 'secret' },
      })
    t.match(await login('default', 'sam'), { status: 200, body: { ok: true } })
    const made = await service.json(`/api/provider-instances/${SECTIONS[product]}/next`, {
      json: { copy_from: 'default' },
    })
    t.match(made.body, { ok: true, id: `${IDS[product]}-P01` })
    t.match(await login(made.body.id, 'kim'), { status: 200 })
    t.match((await service.json(`${route}/inspect?instance=${made.body.id}`)).body, {
      connected: true,
      username: 'kim',
    })
    t.match((await service.json(`${route}/inspect`)).body, { connected: true, username: 'sam' })
    const { libraries } = (await service.json(`${route}/libraries`)).body
    t.match(libraries, [{ title: 'Movie archive' }, { title: 'Movies' }, { title: 'Shows' }])
    t.match((await service.json('/api/status?fresh=1')).body, { [`${SECTIONS[product]}_connected`]: true })

    const { body: config } = await service.json('/api/config')
    const section = config[SECTIONS[product]]
    t.match(section, { server: `${server.url}/`, user: 'sam', access_token: '••••••••' })
    t.match(section.instances[made.body.id], { user: 'kim', access_token: '••••••••' })
    t.not(section.device_id, section.instances[made.body.id].device_id)
    const tokens = [...server.world.tokens.keys()]
    t.equal(tokens.length, 2)
    t.ok(tokens.every((token) => !service.log.join('').includes(token)))

    t.match(await service.json(`${route}/token/delete?instance=${made.body.id}`, { method: 'POST' }), {
      status: 200,
      body: { ok: true },
    })
    t.equal(server.world.tokens.size, 1)
    t.match((await service.json(`${route}/status`)).body, { connected: true })
  })

  t.test(`${product}: a changed address in the settings drops the token`, async (t) => {
    await using server = await startServer(product, { movies: 1, shows: 0 })
    await using service = await startService({ shipped: true, watch: false })
    await service.json(`${ROUTES[product]}/login`, {
      json: { server: server.url, username: 'sam', password: 'secret' },
    })
    t.equal(
      (await service.json('/api/config', { json: { [SECTIONS[product]]: { server: 'http://127.0.0.1:9/' } } })).status,
      200,
    )
    t.match((await service.json(`${ROUTES[product]}/status`)).body, { connected: false })
  })
}
