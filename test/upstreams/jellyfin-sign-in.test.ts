import t from 'tap'
import { startJellyfin } from './jellyfin.ts'
import { ask, askWith, CLIENT, signIn } from './media-browser/ask.ts'

const small = { movies: 3, shows: 1 }

t.test('a user signs in by password and is the user of the token', async (t) => {
  await using server = await startJellyfin(small)
  const kim = await signIn(server, 'kim')
  t.match((await kim.ask('GET', '/Users/Me')).body, { Name: 'kim', Id: kim.userId, Policy: { IsAdministrator: false } })
  t.match((await askWith(server)('GET', '/System/Info/Public')).body, {
    ProductName: 'Jellyfin Server',
    Version: '10.11.11',
  })
})

t.test('wrong names, wrong passwords, disabled users and clients without a name are refused', async (t) => {
  const users = [
    { name: 'sam', password: 'secret', disabled: true },
    { name: 'kim', password: '' },
  ]
  await using server = await startJellyfin({ ...small, users })
  const nobody = askWith(server)
  const status = async (Username: string, Pw: string) =>
    (await nobody('POST', '/Users/AuthenticateByName', { Username, Pw })).status
  t.equal(await status('kim', 'wrong'), 401)
  t.equal(await status('eve', 'secret'), 401)
  t.equal(await status('sam', 'secret'), 403)
  t.equal(await status('kim', ''), 200)
  t.equal((await ask(`${server.url}/Users/AuthenticateByName`, 'POST', {}, { Username: 'kim', Pw: '' })).status, 400)
})

t.test('a second sign-in on the same device revokes the first token', async (t) => {
  await using server = await startJellyfin(small)
  const first = await signIn(server)
  const second = await signIn(server)
  t.equal((await first.ask('GET', '/Users/Me')).status, 401)
  t.equal((await second.ask('GET', '/Users/Me')).status, 200)
})

t.test('tokens end on sign-out and on expiry, and survive a restart', async (t) => {
  await using server = await startJellyfin(small)
  const sam = await signIn(server)
  server.actions.restart()
  const starting = await sam.ask('GET', '/Users/Me')
  t.same([starting.status, starting.headers.get('retry-after')], [503, '5'])
  t.match(starting.headers.get('content-type'), 'text/html')
  t.equal((await sam.ask('GET', '/Users/Me')).status, 200)
  t.equal((await sam.ask('POST', '/Sessions/Logout')).status, 204)
  t.equal((await sam.ask('GET', '/Users/Me')).status, 401)
  const again = await signIn(server)
  server.actions.expireTokens()
  t.equal((await again.ask('GET', '/System/Info')).status, 401)
})

t.test('a server-wide key belongs to no user', async (t) => {
  await using server = await startJellyfin(small)
  const key = askWith(server, server.actions.createApiKey())
  t.equal((await key('GET', '/Users/Me')).status, 400)
  t.equal((await key('GET', '/Users')).body.length, 2)
  t.equal((await key('GET', '/UserViews')).status, 400)
  t.equal((await key('GET', `/UserViews?userId=${server.world.users[1]?.id}`)).status, 200)
})

t.test('only administrators see all users and act for others', async (t) => {
  await using server = await startJellyfin(small)
  const kim = await signIn(server, 'kim')
  t.equal((await kim.ask('GET', '/Users')).status, 403)
  t.equal((await kim.ask('GET', `/Items?Recursive=true&userId=${server.world.users[0]?.id}`)).status, 403)
  const sam = await signIn(server)
  t.equal((await sam.ask('GET', `/Items?Recursive=true&userId=${kim.userId}`)).status, 200)
})

t.test('version 12 accepts one header and one query name, version 10.11 the older ones too', async (t) => {
  for (const [version, older] of [
    ['10.11.11', 200],
    ['12.0.0', 401],
  ] as const) {
    await using server = await startJellyfin({ ...small, version })
    const { token } = await signIn(server)
    const status = async (headers: Record<string, string>, query = '') =>
      (await ask(`${server.url}/Users/Me${query}`, 'GET', headers)).status
    t.equal(await status({ authorization: `${CLIENT}, Token="${token}"` }), 200)
    t.equal(await status({}, `?ApiKey=${token}`), 200)
    t.equal(await status({ 'x-emby-token': token }), older)
    t.equal(await status({ 'x-emby-authorization': `${CLIENT}, Token="${token}"` }), older)
    t.equal(await status({ authorization: `Emby Token="${token}"` }), older)
    t.equal(await status({}, `?api_key=${token}`), older)
    t.equal(
      (await askWith(server, token)('GET', `/Users/${server.world.users[0]?.id}/Views`)).status,
      version === '12.0.0' ? 404 : 200,
    )
  }
})

t.test('Quick Connect signs in once the code is approved, and only once', async (t) => {
  await using server = await startJellyfin(small)
  const client = askWith(server)
  t.equal((await client('GET', '/QuickConnect/Enabled')).body, true)
  const { Secret, Code, Authenticated } = (await client('POST', '/QuickConnect/Initiate')).body
  t.equal(Authenticated, false)
  t.equal((await client('POST', '/Users/AuthenticateWithQuickConnect', { Secret })).status, 401)
  const kim = await signIn(server, 'kim')
  t.equal((await kim.ask('POST', `/QuickConnect/Authorize?code=${Code}`)).body, true)
  t.equal((await client('GET', `/QuickConnect/Connect?secret=${Secret}`)).body.Authenticated, true)
  t.equal((await client('POST', '/Users/AuthenticateWithQuickConnect', { Secret })).body.User.Name, 'kim')
  t.equal((await client('POST', '/Users/AuthenticateWithQuickConnect', { Secret })).status, 404)
})

t.test('Quick Connect requests end after ten minutes, approved ones after one more', async (t) => {
  let nowMs = 1_000_000
  await using server = await startJellyfin({ ...small, nowMs: () => nowMs })
  const client = askWith(server)
  const start = async () => (await client('POST', '/QuickConnect/Initiate')).body as { Secret: string; Code: string }
  const status = async ({ Secret }: { Secret: string }) =>
    (await client('GET', `/QuickConnect/Connect?secret=${Secret}`)).status
  const first = await start()
  nowMs += 599_999
  t.equal(await status(first), 200)
  t.equal(server.approveQuickConnect(first.Code, 'sam'), true)
  nowMs += 59_999
  t.equal(await status(first), 200)
  nowMs += 1
  t.equal(await status(first), 404)
  const second = await start()
  nowMs += 600_000
  t.equal(await status(second), 404)
  const third = await start()
  server.actions.restart({ startingRequests: 0 })
  t.equal(await status(third), 404)
})

t.test('a server without Quick Connect refuses to start it', async (t) => {
  await using server = await startJellyfin({ ...small, quickConnect: false })
  t.equal((await askWith(server)('GET', '/QuickConnect/Enabled')).body, false)
  t.equal((await askWith(server)('POST', '/QuickConnect/Initiate')).status, 401)
})
