// Emby replaces the whole user data record and resets omitted fields.
import t from 'tap'
import { itemFor, signedIn, startServer, startHost } from '../jellyfin-and-emby/support.ts'

const AT_MS = Date.UTC(2026, 6, 1, 20, 15, 30)

t.test('a position does not reset plays, favourites and ratings, in either write mode', async (t) => {
  for (const mergesUserData of [false, true]) {
    await using account = await signedIn('emby', { movies: 3, shows: 0, ...{ mergesUserData } })
    const { server } = account
    const [movie] = server.items('Movie')
    server.actions.markPlayed('sam', movie!.id, AT_MS)
    server.actions.setFavourite('sam', movie!.id, true)
    server.actions.setRating('sam', movie!.id, 7)
    await account.write('progress', 'add', [
      { ...itemFor(server, movie!), progress_ms: 60_000, progress_at: '2026-08-01T00:00:00Z' },
    ])
    t.match(server.actions.userData('sam', movie!.id), {
      played: true,
      playCount: 1,
      lastPlayedAtMs: AT_MS,
      favourite: true,
      rating: 7,
      positionTicks: 600_000_000,
    })
  }
})

t.test('the time of a play is sent as digits in UTC', async (t) => {
  await using account = await signedIn('emby', { movies: 3, shows: 0 })
  const { server } = account
  const [movie] = server.items('Movie')
  await account.write('history', 'add', [{ ...itemFor(server, movie!), watched_at: '2026-07-01T20:15:30.250Z' }])
  const sent = server.requests.find(({ path }) => path.includes('PlayedItems'))
  t.equal(sent?.query.get('DatePlayed'), '20260701201530')
  t.equal(server.actions.userData('sam', movie!.id)?.lastPlayedAtMs, AT_MS)
})

t.test('an address that ends in /emby is used unchanged', async (t) => {
  await using server = await startServer('emby', { movies: 3, shows: 0 })
  await using host = await startHost('emby')
  const payload = { server: `${server.url}/emby`, username: 'sam', password: 'secret' }
  const answer = await host.inject({ method: 'POST', url: '/api/mediaC/login', payload })
  t.match(answer.json(), { ok: true, server: `${server.url}/emby/` })
  t.ok(server.requests.every(({ path }) => path.startsWith('/emby/')))
  t.match((await host.inject('/api/mediaC/inspect')).json(), { connected: true })
})

t.test('a server key works with the id of a user', async (t) => {
  await using server = await startServer('emby', { movies: 3, shows: 0 })
  const user = server.world.users[0]!
  await using host = await startHost('emby', {
    server: `${server.url}/`,
    api_key: server.actions.createApiKey(),
    user_id: user.id,
  })
  t.match((await host.inject('/api/mediaC/inspect')).json(), { connected: true, username: 'sam', user_id: user.id })
  await using without = await startHost('emby', { server: `${server.url}/`, api_key: server.actions.createApiKey() })
  t.match((await without.inject('/api/mediaC/status')).json(), { connected: false })
})
