// The settings, the first download, and the user's rules.
import t from 'tap'
import type { Item } from '@playhead/sdk'
import { SAMPLE } from './sample.ts'
import { startBench } from './support.ts'

const rule = {
  media_type: 'show',
  match_provider: 'tvdb',
  match_id: '990300',
  match_season: 4,
  target_namespace: 'anilist',
  target_id: '9108',
  episode_from: 17,
  episode_to: 20,
  episode_start_at: 3,
}
const episode = (show_ids: Item['show_ids'], season: number, number: number): Item => ({
  type: 'episode',
  ids: {},
  show_ids,
  season,
  episode: number,
})

t.test('no request is sent before the mapping is turned on', async (t) => {
  await using bench = await startBench()
  t.match(await bench.status(), {
    ok: true,
    enabled: false,
    auto_update: true,
    provider: 'anibridge',
    release_tag: 'v3',
    status: 'missing',
    installed: false,
    dataset_generated_on: '',
    age_hours: null,
    last_checked_at: 0,
    stats: {},
    overrides: 0,
    auto_update_status: { running: false, enabled: false, next_check_at: 0, last_error: '' },
  })
  t.match(await bench.post('update'), { status: 409, body: { error: 'mapping_off' } })
  t.match(await bench.post('rebuild-index'), { status: 404, body: { error: 'dataset_missing' } })
  await bench.host.runJob('update')
  t.match((await bench.post('settings', { refresh_hours: 12 })).body, { ok: true, bootstrap: null })
  await bench.host.runJob('update')
  await bench.host.reload()
  t.same(bench.requests(), [])
})

t.test('turning it on downloads in the background', async (t) => {
  await using bench = await startBench()
  const answer = await bench.post('settings', { enabled: true })
  t.match(answer, {
    status: 200,
    body: {
      ok: true,
      anime_mapping: {
        enabled: true,
        use_for_pairs: ['animeA', 'trackB'],
        features: ['watchlist', 'ratings', 'history'],
      },
      bootstrap: { job: 'started' },
      bootstrap_error: '',
      status: { enabled: true },
    },
  })
  await bench.host.runJob('update')
  const status = await bench.status()
  t.match(status, { status: 'installed', installed_tag: 'v3', stats: SAMPLE.stats, stale: true })
  t.ok(status.last_updated_at > 0 && status.index_built_at > 0 && status.db_size > 0 && status.mappings_size > 0)
  t.ok(status.auto_update_status.next_check_at >= status.last_checked_at + 23 * 3_600)
  t.notMatch(JSON.stringify(status), /index-[ab]|\/tmp|\.sqlite|127\.0\.0\.1/, 'no path and no address')
  t.match(await bench.mapping.scope(), { providers: [], features: ['watchlist', 'ratings', 'history'] })
  t.match((await bench.post('settings', {})).body, { bootstrap: null })
  t.match(bench.host.events.recent({ name: 'anime_mapping.updated' }), [
    { data: { release_tag: 'v3', edge_count: 20 } },
  ])

  await bench.post('settings', { enabled: false })
  t.equal(await bench.mapping.revision(), null)
  t.match(await bench.status(), { status: 'installed', auto_update_status: { next_check_at: 0 } }, 'the data stays')
  const asked = bench.requests().length
  await bench.host.runJob('update')
  t.equal(bench.requests().length, asked)
})

t.test('a failed first download is in the status, and retried later', async (t) => {
  await using bench = await startBench({ data: null })
  t.match((await bench.post('settings', { enabled: true })).body, { bootstrap: { job: 'started' } })
  await bench.host.runJob('update')
  const { status, auto_update_status: auto } = await bench.status()
  t.match({ status, auto }, { status: 'error', auto: { last_error: /^download_failed: / } })
  t.ok(auto.next_check_at >= Date.now() / 1_000 + 290)
  t.same(bench.host.failures, [])
})

t.test("settings are validated, and a person's choices stay", async (t) => {
  await using bench = await startBench()
  for (const [body, status, error] of [
    [{ release_tag: 'a/b' }, 400, 'invalid_release_tag'],
    [{ release_tag: '..' }, 400, 'invalid_release_tag'],
    [{ release_tag: '' }, 400, 'invalid_release_tag'],
    [{ release_tag: 'x'.repeat(65) }, 400, 'invalid_release_tag'],
    [{ use_for_pairs: ['nobody'] }, 400, 'unknown_provider'],
    [{ provider: 'other' }, 422],
    [{ refresh_hours: 0 }, 422],
    [{ refresh_hours: 'often' }, 422],
    [{ stale_after_days: 1.5 }, 422],
    [{ enabled: 'maybe' }, 422],
    [{ use_for_pairs: 'animeA' }, 422],
    [{ features: ['films'] }, 422],
    [{ enabled: true, release_tag: '%2e%2e' }, 400, 'invalid_release_tag'],
  ] as const) {
    const answer = await bench.post('settings', body)
    t.equal(answer.status, status, JSON.stringify(body))
    if (error !== undefined) t.equal(answer.body.error, error)
  }
  t.match(await bench.post('update', { release_tag: 'a b' }), { status: 400, body: { error: 'invalid_release_tag' } })
  t.match(await bench.post('rebuild-index', { release_tag: '../x' }), { status: 400 })
  t.match(await bench.status(), { enabled: false, release_tag: 'v3' }, 'nothing of it was stored')

  const saved = async (body: object) => (await bench.post('settings', body)).body.anime_mapping
  t.same((await saved({ use_for_pairs: ['TRACKB', 'trackB'] })).use_for_pairs, ['trackB'])
  t.same((await saved({ stale_after_days: 3 })).use_for_pairs, ['trackB'], 'the defaults do not come back')
  await bench.host.reload()
  t.same((await saved({})).use_for_pairs, ['trackB'])
  t.same((await saved({ use_for_pairs: [] })).use_for_pairs, ['animeA', 'trackB'])
  t.same((await saved({ use_for_pairs: ['*'], features: [] })).features, [])
  await bench.post('settings', { enabled: true })
  t.same(await bench.mapping.scope(), { providers: ['*'], features: [] })
  t.same(bench.requests(), [])
})

t.test('rules apply without data, have priority over it, and survive everything', async (t) => {
  await using bench = await startBench({ data: null })
  const whole = {
    media_type: 'show',
    match_provider: 'tvdb',
    match_id: '990300',
    target_namespace: 'mal',
    target_id: '77',
  }
  const off = { ...rule, match_id: '990301', enabled: false }
  await bench.post('settings', { enabled: true })
  t.equal(await bench.mapping.revision(), null)
  const { body } = await bench.post('settings', { overrides: [rule, whole, off] })
  t.match(body.anime_mapping.overrides, [
    { target_id: '9108', title: '', enabled: true },
    { match_season: null },
    { enabled: false },
  ])
  t.match(await bench.status(), { overrides: 3 })
  t.type(await bench.mapping.revision(), 'string')

  const check = async () => {
    const [forward, outside, disabled] = await bench.mapping.toEntries([
      { showIds: { tvdb: '990300' }, season: 4, episode: 18, scheme: 'anilist' },
      { showIds: { tvdb: '990300' }, season: 4, episode: 21, scheme: 'anilist' },
      { showIds: { tvdb: '990301' }, season: 4, episode: 18 },
    ])
    t.match(forward, { found: true, id: '9108', episode: 4, basis: 'user_override' })
    t.equal((disabled as { found: boolean }).found, false)
    const [back] = await bench.mapping.toAired([{ ids: { anilist: '9108' }, episode: 4 }])
    t.match(back, { scheme: 'tvdb', id: '990300', season: 4, episode: 18, basis: 'user_override' })
    const [from, to] = await bench.mapping.coordinates([
      episode({ tvdb: '990300' }, 4, 17),
      episode({ anilist: '9108' }, 1, 3),
    ])
    const positions = {
      aired: [{ scheme: 'tvdb', id: '990300', season: 4, episode: 17 }],
      entries: [{ scheme: 'anilist', id: '9108', episode: 3 }],
      basis: 'user_override',
    }
    t.match([from, to], [positions, positions])
    const [show] = await bench.mapping.enrich([{ type: 'show', ids: { tvdb: '990300', mal: '5' } }])
    t.match(show, { ids: { tvdb: '990300', mal: '77' }, replaced: ['mal'], basis: 'user_override' })
    return outside
  }
  t.match(await check(), { found: false, reason: 'no_index' })

  bench.source.publish('v3', SAMPLE)
  t.equal((await bench.post('update')).status, 200)
  t.match(await check(), { found: true, id: '9107', episode: 5, basis: 'anibridge' }, 'the data applies beside them')
  const [claimed] = await bench.mapping.toAired([{ ids: { anilist: '9107' }, episode: 1 }])
  t.match(claimed, { found: false, reason: 'ambiguous' }, 'the data says it of an episode that a rule maps elsewhere')
  t.match(await bench.mapping.coordinates([episode({ anilist: '9107' }, 1, 1)]), [{ reason: 'ambiguous' }])

  const before = await bench.mapping.revision()
  await bench.post('rebuild-index')
  await bench.host.reload()
  await check()
  t.not(await bench.mapping.revision(), before)
  const stored = (await bench.post('settings', {})).body.anime_mapping.overrides
  t.same((await bench.post('settings', { overrides: stored })).body.anime_mapping.overrides, stored, 'as they were')
  await bench.post('settings', { overrides: [] })
  t.match(await bench.mapping.toEntries([{ showIds: { tvdb: '990300' }, season: 4, episode: 18 }]), [
    { id: '9107', episode: 2 },
  ])
})

t.test('contradicting rules are reported', async (t) => {
  await using bench = await startBench({ settings: { enabled: true } })
  await bench.post('settings', { overrides: [rule, { ...rule, target_id: '9109', episode_from: 20 }] })
  const of = (number: number) => ({
    showIds: { tvdb: '990300' },
    season: 4,
    episode: number,
    scheme: 'anilist' as const,
  })
  const [one, both] = await bench.mapping.toEntries([of(19), of(20)])
  t.match(one, { found: true, id: '9108', episode: 5 })
  t.match(both, { found: false, reason: 'ambiguous' })
  t.match(await bench.mapping.coordinates([episode({ tvdb: '990300' }, 4, 20)]), [
    { reason: 'ambiguous', ambiguous: ['anilist'] },
  ])
})

t.test('wrong rules are refused as a whole, with the place', async (t) => {
  await using bench = await startBench()
  await bench.post('settings', { overrides: [rule] })
  const { match_season: _season, ...noSeason } = rule
  for (const [bad, status] of [
    [{ ...rule, media_type: 'movie' }, 400],
    [noSeason, 400],
    [{ ...rule, episode_from: null }, 400],
    [{ ...rule, episode_to: 3 }, 400],
    [{ ...rule, match_id: 'abc' }, 400],
    [{ ...rule, target_id: '0' }, 400],
    [{ ...rule, match_provider: 'anilist' }, 400],
    [{ ...rule, id: 'same' }, 400],
    [{ ...rule, match_id: '../x' }, 422],
    [{ ...rule, match_provider: 'title' }, 422],
    [{ ...rule, episode_from: 0 }, 422],
    [{ ...rule, title: 'x'.repeat(301) }, 422],
    [null, 422],
  ] as const) {
    const answer = await bench.post('settings', { refresh_hours: 99, overrides: [{ ...rule, id: 'same' }, bad] })
    t.equal(answer.status, status, JSON.stringify(bad))
    if (status === 400) t.match(answer.body, { error: 'invalid_override', index: 1, detail: /^Override 2: / })
  }
  const { anime_mapping: now } = (await bench.post('settings', {})).body
  t.match(now, { refresh_hours: 24, overrides: [{ target_id: '9108' }] })
  const many = Array.from({ length: 5_001 }, () => rule)
  t.equal((await bench.post('settings', { overrides: many })).status, 422)
  const most = Array.from({ length: 5_000 }, (_, at) => ({
    ...rule,
    match_id: String(at + 1),
    title: 'ü'.repeat(300),
    note: 'ü'.repeat(300),
  }))
  t.equal((await bench.post('settings', { overrides: most })).status, 200)
  t.match(await bench.status(), { overrides: 5_000 })
})
