// The Tautulli stand-in: the envelope of its responses, its refusals, and the rows among the plays.
import t from 'tap'
import { startTautulli, type Tautulli } from './tautulli.ts'

async function ask(tautulli: Tautulli, parameters: Record<string, string>, method = 'POST') {
  const form = new URLSearchParams({ apikey: tautulli.apiKey, ...parameters })
  const address = `${tautulli.url}/api/v2`
  const response = method === 'POST' ? await fetch(address, { method, body: form }) : await fetch(`${address}?${form}`)
  return { status: response.status, ...((await response.json()) as any).response }
}

t.test('commands answer in an envelope, by GET and POST, including refusals', async (t) => {
  await using tautulli = await startTautulli({ basePath: '/tautulli' })
  for (const method of ['GET', 'POST']) {
    t.match(await ask(tautulli, { cmd: 'get_server_info' }, method), {
      status: 200,
      result: 'success',
      data: { pms_identifier: tautulli.serverId },
    })
  }
  t.match(await ask(tautulli, { cmd: 'nothing' }), { status: 400, result: 'error', data: {} })
  t.match(await ask(tautulli, { apikey: '', cmd: 'get_server_info' }), {
    status: 401,
    message: 'Parameter apikey is required',
  })
  t.match(await ask(tautulli, { apikey: 'wrong', cmd: 'get_server_info' }), { status: 401, message: 'Invalid apikey' })
  tautulli.quirks.isEnabled = false
  t.match(await ask(tautulli, { cmd: 'get_server_info' }), { status: 404, message: 'API not enabled' })
})

t.test(
  'the log is newest first, grouped, filtered by person and kind, and contains running plays on request',
  async (t) => {
    await using tautulli = await startTautulli({ users: [1, 2] })
    const first = tautulli.play(tautulli.movie(0), { atMs: 1e12, percent: 30 })
    tautulli.play(tautulli.movie(0), { atMs: 1e12 + 1e7, percent: 90, after: first })
    tautulli.play(tautulli.episode(0, 1, 1), { atMs: 1e12 + 2e7, user: 2, percent: 60 })
    tautulli.startPlaying(tautulli.movie(5))
    const history = async (parameters: Record<string, string> = {}) =>
      (await ask(tautulli, { cmd: 'get_history', include_activity: '0', ...parameters })).data
    t.match(await history(), {
      recordsFiltered: 2,
      data: [
        { media_type: 'episode', watched_status: 0.5 },
        { media_type: 'movie', group_count: 2, watched_status: 1 },
      ],
    })
    t.match(await history({ grouping: '0' }), { recordsFiltered: 3 })
    t.match(await history({ user_id: '2' }), { recordsFiltered: 1 })
    t.match(await history({ media_type: 'movie' }), { recordsFiltered: 1 })
    t.match(await history({ start: '1', length: '1' }), { data: [{ media_type: 'movie' }] })
    t.match(await history({ include_activity: '1' }), { data: [{ row_id: null, state: 'playing' }, {}, {}] })
    tautulli.quirks.writesText = true
    t.match(await history(), { recordsFiltered: '2' })
  },
)

t.test('metadata contains the ids of the item and of its show, and nothing after a deletion', async (t) => {
  await using tautulli = await startTautulli()
  const episode = tautulli.episode(0, 1, 1)
  const metadata = async () =>
    (await ask(tautulli, { cmd: 'get_metadata', rating_key: String(episode.ratingKey) })).data
  t.match(await metadata(), {
    media_type: 'episode',
    guid: episode.guid,
    grandparent_guids: ['imdb://tt8800000', 'tmdb://900000', 'tvdb://8300000'],
  })
  tautulli.deleteItem(episode)
  t.strictSame(await metadata(), {})
})
