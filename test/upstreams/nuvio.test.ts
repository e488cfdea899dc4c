// The Nuvio stand-in answers as PostgREST does, and stores data as the service does.
import t from 'tap'
import { type Nuvio, startNuvio } from './nuvio.ts'

async function ask(
  nuvio: Nuvio,
  path: string,
  body: object = {},
  { key = nuvio.clientKey, bearer = nuvio.signIn().access_token } = {},
) {
  const headers = { apikey: key, authorization: `Bearer ${bearer}`, 'content-type': 'application/json' }
  const response = await fetch(nuvio.url + path, { method: 'POST', headers, body: JSON.stringify(body) })
  const text = await response.text()
  return { status: response.status, json: (text === '' ? undefined : JSON.parse(text)) as any }
}
const rpc = (nuvio: Nuvio, name: string, args: object, who?: { key?: string; bearer?: string }) =>
  ask(nuvio, `/rest/v1/rpc/${name}`, args, who)
const movie = (id: string) => ({ content_id: id, content_type: 'movie' })

t.test('functions are found by name and set of arguments', async (t) => {
  await using nuvio = await startNuvio({ abilities: { origin: false } })
  t.strictSame(await rpc(nuvio, 'health_ping', {}), { status: 200, json: true })
  t.strictSame(await rpc(nuvio, 'sync_push_watched_items', { p_profile_id: 1, p_items: [] }), {
    status: 204,
    json: undefined,
  })
  for (const args of [
    { p_profile_id: 1 },
    { p_profile_id: 1, p_items: [], p_more: 1 },
    { p_profile_id: 1, p_items: [], p_origin_client_id: 'a'.repeat(16) },
  ]) {
    t.match(await rpc(nuvio, 'sync_push_watched_items', args), { status: 404, json: { code: 'PGRST202' } })
  }
  t.match(await rpc(nuvio, 'sync_pull_watched_items', { p_profile_id: 4, p_page: 1, p_page_size: 5 }), {
    status: 400,
    json: { code: 'P0001', message: 'Invalid profile id' },
  })
})

t.test('keys and tokens determine the caller; a reused refresh token ends the sign-in', async (t) => {
  await using nuvio = await startNuvio()
  t.equal((await rpc(nuvio, 'sync_pull_profiles', {}, { key: 'wrong' })).status, 401)
  t.match(await rpc(nuvio, 'sync_pull_profiles', {}, { bearer: 'wrong' }), { status: 401, json: { code: 'PGRST301' } })
  t.match(await rpc(nuvio, 'sync_pull_profiles', {}, { bearer: nuvio.clientKey }), {
    status: 403,
    json: { code: '42501' },
  })
  t.match((await rpc(nuvio, 'sync_pull_profiles', {})).json, [
    { profile_index: 1, name: 'Main', user_id: 'user-of-ada' },
  ])
  const { refresh_token: token } = nuvio.signIn()
  const first = await ask(nuvio, '/auth/v1/token', { refresh_token: token })
  t.equal(first.status, 200)
  t.equal((await ask(nuvio, '/auth/v1/token', { refresh_token: token })).status, 400)
  t.equal((await rpc(nuvio, 'sync_pull_profiles', {}, { bearer: first.json.access_token })).status, 401)
})

t.test('replacing a library removes every row that was not sent, and the log records it', async (t) => {
  await using nuvio = await startNuvio()
  for (const id of ['tmdb:1', 'kitsu:2']) nuvio.user.put('library', { ...movie(id), added_at: 1 })
  const cursor = (await rpc(nuvio, 'sync_get_library_delta_cursor', { p_profile_id: 1 })).json as number
  await rpc(nuvio, 'sync_push_library', { p_profile_id: 1, p_items: [movie('tmdb:1')] })
  t.strictSame(
    nuvio.user.rows('library').map(({ content_id: id }) => id),
    ['tmdb:1'],
  )
  const events = (
    await rpc(nuvio, 'sync_pull_library_delta', { p_profile_id: 1, p_since_event_id: cursor, p_limit: 10 })
  ).json
  t.match(events, [
    { operation: 'delete', content_id: 'kitsu:2' },
    { operation: 'upsert', content_id: 'tmdb:1' },
  ])
  t.match((await rpc(nuvio, 'get_sync_overview', {})).json, { library_items: { 1: 1 }, watched_items: {} })
})

t.test(
  'positions come newest first, at most 200 without a start time; small moves are dropped, the end is a play',
  async (t) => {
    await using nuvio = await startNuvio()
    const at = Date.UTC(2026, 0, 1)
    const push = (entry: object) =>
      rpc(nuvio, 'sync_push_watch_progress', {
        p_profile_id: 1,
        p_entries: [{ ...movie('tmdb:0'), duration: 6_000_000, last_watched: at, ...entry }],
      })
    for (let index = 1; index <= 210; index += 1)
      nuvio.user.put('progress', { ...movie(`tmdb:${index}`), position: 1, duration: 2, last_watched: at - index })
    const pull = async (since: number | null) =>
      (await rpc(nuvio, 'sync_pull_watch_progress', { p_profile_id: 1, p_since_last_watched: since, p_limit: 1_000 }))
        .json
    t.equal((await pull(null)).length, 200)
    t.equal((await pull(0)).length, 210)
    t.match(
      (await pull(at - 3)).map(({ content_id: id }: { content_id: string }) => id),
      ['tmdb:1', 'tmdb:2'],
    )
    await push({ position: 100_000 })
    await push({ position: 114_000, last_watched: at + 1_000 })
    t.match((await pull(0))[0], { position: 100_000 })
    await push({ position: 5_500_000 })
    t.match(nuvio.user.rows('watched'), [{ content_id: 'tmdb:0', watched_at: at }])
  },
)

t.test('a television signs in with a code and its own secret', async (t) => {
  await using nuvio = await startNuvio()
  const { json: caller } = await ask(nuvio, '/auth/v1/signup', {}, { bearer: nuvio.clientKey })
  const asCaller = { bearer: caller.access_token as string }
  const start = (nonce: string, page = 'https://nuvio.tv/tv-login') =>
    rpc(
      nuvio,
      'start_tv_login_session',
      { p_device_nonce: nonce, p_redirect_base_url: page, p_device_name: 'x' },
      asCaller,
    )
  t.equal((await start('short')).status, 400)
  t.equal((await start('a long enough secret', 'https://nuvio.tv/else')).status, 400)
  const {
    json: [{ code }],
  } = await start('a long enough secret')
  const poll = (nonce: string) => rpc(nuvio, 'poll_tv_login_session', { p_code: code, p_device_nonce: nonce }, asCaller)
  t.match((await poll('a long enough secret')).json, [{ status: 'pending' }])
  t.equal((await poll('another secret of it')).status, 400)
  nuvio.approve(code)
  t.match((await poll('a long enough secret')).json, [{ status: 'approved' }])
  const exchange = () =>
    ask(
      nuvio,
      '/functions/v1/tv-logins-exchange',
      { code, device_nonce: 'a long enough secret' },
      { bearer: nuvio.clientKey },
    )
  t.match((await exchange()).json, { access_token: String, user: { id: 'user-of-ada' } })
  t.equal((await exchange()).status, 400, 'once')
})

t.test('requests above the rate limit are refused', async (t) => {
  await using nuvio = await startNuvio({ mostPerSecond: 2, nowMs: () => 1_000 })
  t.strictSame(
    [
      (await rpc(nuvio, 'health_ping', {})).status,
      (await rpc(nuvio, 'health_ping', {})).status,
      (await rpc(nuvio, 'health_ping', {})).status,
    ],
    [200, 200, 429],
  )
})
