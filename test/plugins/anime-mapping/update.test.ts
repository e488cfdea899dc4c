// slow: the whole service, or very many cases
// Updates from real-world servers: unchanged data, redirects, broken and truncated responses, slow and missing servers. The
// last good index is always kept.
import t from 'tap'
import type { Item } from '@playhead/sdk'
import { startServer } from '@playhead/sdk/testing'
import { IDENTITIES, MAPPINGS, SAMPLE, STATS } from './sample.ts'
import { type Bench, startBench } from './support.ts'

const newer = { meta: { generated_on: '2026-07-08T03:00:00Z' } }
const more = { ...MAPPINGS, 'tvdb_show:990700:s1': { 'anilist:9170': { '1-12': '1-12' } } }
const episode: Item = { type: 'episode', ids: {}, show_ids: { tvdb: '990200' }, season: 2, episode: 13 }

async function works({ mapping }: Bench): Promise<boolean> {
  const [answer] = await mapping.coordinates([episode])
  return (
    answer?.entries.some(({ scheme, id, episode: at }) => scheme === 'anilist' && id === '9101' && at === 52) === true
  )
}

t.test('unchanged data is not downloaded again', async (t) => {
  await using bench = await startBench({ isInstalled: true })
  const { source, post, mapping } = bench
  const first = await mapping.revision()
  const before = source.assets.count()
  t.match((await post('update')).body, { ok: true, updated: false, status: 'installed' })
  t.equal(source.assets.count(), before + 1, 'only stats.json')
  t.equal(source.assets.requests.at(-1)?.status, 304)
  t.equal(await mapping.revision(), first)

  source.publish('v3', { ...SAMPLE, stats: newer, mappings: more })
  t.match((await post('update')).body, { ok: true, updated: true, rebuild: { source_count: 6, edge_count: 22 } })
  t.equal(source.front.requests.at(-1)?.status, 304, 'the table is the same')
  t.not(await mapping.revision(), first)
  t.match(await bench.status(), {
    identity_count: 4,
    identity_installed: true,
    dataset_generated_on: newer.meta.generated_on,
  })

  const forced = await post('update', { force: true })
  t.match(forced.body, { updated: true, download: { size: JSON.stringify(more).length + IDENTITIES.length } })
  t.ok(await works(bench))
  const names = (await bench.host.files.list()).map(({ name }) => name)
  t.equal(names.length, 2, `old files are removed: ${names.join()}`)
})

t.test('bad data never replaces good data', async (t) => {
  await using bench = await startBench({ isInstalled: true })
  const { source, post, mapping } = bench
  const revision = await mapping.revision()
  const text = JSON.stringify(more)
  const cases: readonly [what: string, mappings: object | string, stats: object | string][] = [
    ['cut', text.slice(0, text.length - 40), newer],
    ['a page', '<html><body>Sign in</body></html>', newer],
    ['a list', '[]', newer],
    ['empty', '', newer],
    ['no edges', {}, newer],
    ['much less than before', { 'tvdb_show:990200:s1': MAPPINGS['tvdb_show:990200:s1'] }, newer],
    ['not the format', { 'tvdb_show:990200:s1': 'anilist:1' }, newer],
    ['statistics without a date', more, { entries: 5 }],
    ['statistics that are none', more, 'null'],
  ]
  for (const [what, mappings, stats] of cases) {
    source.publish('v3', { stats, mappings, identities: IDENTITIES })
    for (const force of [false, true])
      t.match(await post('update', { force }), { status: 502, body: { ok: false, error: 'dataset_invalid' } }, what)
    t.equal(await mapping.revision(), revision, what)
    t.match(await bench.status(), {
      status: 'installed',
      edge_count: 20,
      auto_update_status: { last_error: /^dataset_invalid: / },
    })
  }
  t.ok(await works(bench))
  t.match(
    (await post('rebuild-index')).body,
    { ok: true, rebuild: { edge_count: 20 } },
    'the files of before are there',
  )
  source.publish('v3', { ...SAMPLE, stats: newer })
  t.match((await post('update')).body, { updated: true, auto_update_status: { last_error: '' } })
})

t.test('servers that fail, truncate, or redirect elsewhere change nothing', async (t) => {
  await using bench = await startBench({ isInstalled: true })
  const { source, post } = bench
  source.publish('v3', { ...SAMPLE, stats: newer, mappings: more })
  const fails = async (what: string, error: string, status: number) => {
    const answer = await post('update')
    t.match(answer, { status, body: { ok: false, error } }, what)
    t.notMatch(answer.text, /sig=/, 'no signed address')
    t.ok(await works(bench), what)
    source.front.faults.clear()
    source.assets.faults.clear()
  }
  source.assets.faults.add({ kind: 'status', status: 500, match: /mappings/ })
  await fails('500', 'download_failed', 502)
  source.assets.faults.add({ kind: 'truncate', match: /mappings/ })
  await fails('cut in the middle', 'download_failed', 502)
  source.assets.faults.add({ kind: 'reset', match: /stats/ })
  await fails('no answer', 'download_failed', 502)
  source.front.faults.add({ kind: 'html', status: 200, match: /stats/ })
  await fails('a proxy', 'dataset_invalid', 502)
  source.front.faults.add({ kind: 'status', status: 404, match: /stats/ })
  await fails('gone', 'download_failed', 502)

  await using elsewhere = await startServer(() => ({ json: newer }))
  // The same machine with another name, which is not an allowed host.
  source.redirectTo(elsewhere.url.replace('127.0.0.1', 'localhost'))
  await fails('another host', 'download_failed', 502)
  t.equal(elsewhere.requests.length, 0)
  source.redirectTo('ftp://127.0.0.1')
  await fails('no web address', 'download_failed', 502)
  source.redirectTo(source.front.url)
  await fails('a release that is not there', 'download_failed', 502)
  source.redirectTo(source.assets.url)
  t.match((await post('update', { release_tag: 'v99' })).body, { error: 'download_failed' })
  t.match((await post('update')).body, { updated: true })
})

t.test('the identity table may fail', async (t) => {
  const { identities: _identities, ...without } = SAMPLE
  await using bench = await startBench({ isInstalled: true, data: without })
  const { source, post } = bench
  t.match(await bench.status(), {
    status: 'installed',
    identity_installed: false,
    identity_count: 0,
    identity_error: /^download_failed: /,
  })
  t.ok(await works(bench))
  source.publish('v3', { ...SAMPLE, stats: newer })
  await post('update')
  t.match(await bench.status(), { identity_installed: true, identity_count: 4, identity_error: '' })

  source.publish('v3', { ...SAMPLE, stats: STATS, identities: 'title\tanidb\nx\t1' })
  await post('update')
  t.match(await bench.status(), {
    status: 'installed',
    edge_count: 20,
    identity_installed: false,
    identity_error: /column/,
  })
  source.publish('v3', { ...SAMPLE, stats: newer, identities: IDENTITIES.split('\n')[0] as string })
  await post('update')
  t.match(await bench.status(), { identity_error: /no usable row/ })
})

t.test('only one update runs at a time', async (t) => {
  await using bench = await startBench({ isInstalled: true })
  const { source, post } = bench
  source.publish('v3', { ...SAMPLE, stats: newer })
  source.assets.faults.add({ kind: 'slow', delayMs: 500, match: /mappings/ })
  const slow = post('update')
  while (source.assets.requests.at(-1)?.path.includes('mappings') !== true)
    await new Promise((done) => setTimeout(done, 5))
  t.match(await post('update'), { status: 409, body: { error: 'update_running' } })
  t.match(await post('rebuild-index'), { status: 409, body: { error: 'update_running' } })
  t.match(await bench.status(), { status: 'updating', auto_update_status: { running: true } })
  t.ok(await works(bench), 'the old index answers meanwhile')
  t.match(await slow, { status: 200, body: { updated: true } })
})

t.test('a lost, damaged or older index is built from the existing files', async (t) => {
  await using bench = await startBench({ isInstalled: true })
  const { host, mapping, source } = bench
  const asked = source.front.count()
  const state = (await host.store.get<{ index: { slot: string } }>('state'))!
  await host.ownTables(`index-${state.index.slot}`).deleteFrom('meta').execute()
  t.match(await mapping.coordinates([episode]), [{ reason: 'no_index' }])
  t.equal(await mapping.revision(), null)
  await host.runJob('update')
  t.equal(await works(bench), false, 'not in the first minutes of the service')
  t.match((await bench.post('rebuild-index')).body, { rebuild: { edge_count: 20 } })
  t.ok(await works(bench))

  const again = (await host.store.get<{ index: object }>('state'))!
  await host.store.set('state', { ...again, index: { ...again.index, schema: 0 } })
  t.match(await bench.status(), { status: 'stale_schema', index_ready: false, installed: true })
  t.match(await mapping.coordinates([episode]), [{ reason: 'no_index' }])
  t.match((await bench.post('update')).body, { updated: false, rebuilt: true, rebuild: { edge_count: 20 } })
  t.ok(await works(bench))
  t.ok(source.front.count() <= asked + 1, 'nothing but a check')
})

t.test('a file that was changed on disk is refused, and a missing one is named', async (t) => {
  await using bench = await startBench({ isInstalled: true })
  const { host, post } = bench
  const { file } = (await host.store.get<any>('state')).installed.mappings
  const text = String(await host.files.read(file))
  await host.files.write(file, text.replace('9101', '9102'))
  t.match(await post('rebuild-index'), { status: 502, body: { error: 'dataset_invalid' } })
  t.ok(await works(bench))
  await host.files.remove(file)
  t.match(await post('rebuild-index'), { status: 404, body: { error: 'dataset_missing' } })
  t.ok(await works(bench), 'the index needs no file')
  t.match((await post('update')).body, { updated: true }, 'the missing file is downloaded although nothing changed')
})

t.test('a reload keeps the installed data', async (t) => {
  await using bench = await startBench({ isInstalled: true })
  const revision = await bench.mapping.revision()
  await bench.host.reload()
  t.equal(await bench.mapping.revision(), revision)
  t.ok(await works(bench))
  t.match((await bench.post('rebuild-index')).status, 200)
  await bench.host.reload()
  t.ok(await works(bench))
  t.same(bench.host.failures, [])
})
