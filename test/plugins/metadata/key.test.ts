// The TMDB key: tested before it is stored, and never shown.
import t from 'tap'
import { CATALOG } from '@playhead/sdk'
import { startBench } from './support.ts'

t.test('a valid key is stored, and works at once', async (t) => {
  await using bench = await startBench({ hasKey: false })
  const { tmdb, post, get } = bench
  t.match((await get('/api/metadata/providers')).body, [{ id: 'METAA', name: 'TMDB', enabled: true, ready: false }])
  t.match(await get('/api/metadata/search?q=the'), { status: 400, body: { ok: false, error: 'metadata_key_missing' } })
  t.same((await post('/api/metaA/verify', { api_key: tmdb.apiKey })).body, { ok: true, valid: true, error: '' })
  t.match(await get('/api/metadata/search?q=the'), { status: 400 }, 'trying stores nothing')

  t.same((await post('/api/metaA/save', { api_key: tmdb.apiKey })).body, { ok: true })
  t.match((await get('/api/metadata/providers')).body, [{ ready: true }])
  t.match(await get('/api/metadata/search?q=the'), { status: 200, body: { ok: true } })
  t.same(
    (await post('/api/metaA/verify', { api_key: '••••••••' })).body,
    { ok: true, valid: true, error: '' },
    'the mask means the stored one',
  )
  t.same((await post('/api/metaA/save', { api_key: '••••••••' })).body, { ok: true })
  t.equal(await bench.metadata.ready(), true)

  t.same((await post('/api/metaA/disconnect')).body, { ok: true })
  t.same((await post('/api/metaA/verify', {})).body, { ok: false, valid: false, error: 'api_key_required' })
  t.notOk(JSON.stringify(bench.host.logs).includes(tmdb.apiKey), 'no key in the log')
})

t.test('without a key the titles of the accounts are searched', async (t) => {
  await using bench = await startBench({ hasKey: false })
  const queries: object[] = []
  await bench.host.provide(CATALOG, {
    async search(query: object) {
      queries.push(query)
      return [
        { type: 'movie', title: 'Heat', year: 1995, ids: { tmdb: '949' } },
        { type: 'show', title: 'Heat', year: null, ids: { tvdb: '7' } },
      ]
    },
  })
  const found = { type: 'movie', title: 'Heat', year: 1995, tmdb: 949, ids: { tmdb: '949' }, source: 'library' }
  t.match((await bench.get('/api/metadata/search?q=%20heat&typ=multi&limit=7')).body, {
    ok: true,
    results: [found, { type: 'show', tmdb: null, ids: { tvdb: '7' } }],
  })
  await bench.get('/api/metadata/search?q=heat&typ=tv&year=1995')
  await bench.get('/api/metadata/search?q=heat')
  t.match(queries, [
    { title: 'heat', limit: 7 },
    { title: 'heat', type: 'show', year: 1995 },
    { title: 'heat', type: 'movie' },
  ])
  t.notMatch(queries[0], { type: /./ })
})

t.test('an invalid key is refused with a code and not stored', async (t) => {
  await using bench = await startBench()
  const { tmdb, post, get } = bench
  for (const [api_key, error] of [
    [tmdb.bearer, 'v4_token_given'],
    [`Bearer ${tmdb.apiKey}`, 'bearer_prefix'],
    ['abc', 'invalid_format'],
    ['f'.repeat(32), 'invalid_api_key'],
  ] as const) {
    t.same((await post('/api/metaA/verify', { api_key })).body, { ok: false, valid: false, error })
    t.same((await post('/api/metaA/save', { api_key })).body, { ok: false, error })
  }
  t.same((await post('/api/metaA/save', {})).body, { ok: false, error: 'api_key_required' })
  tmdb.faults.add({ kind: 'html', status: 403, match: '/3/authentication' })
  t.same((await post('/api/metaA/save', { api_key: tmdb.apiKey })).body, { ok: false, error: 'upstream_error' })
  t.match((await get('/api/metadata/search?q=the')).body, { ok: true }, 'the key from before is still there')
  t.same((await post('/api/metaA/save', { api_key: '' })).body, { ok: true }, 'an empty one takes it away')
  t.match((await get('/api/metadata/providers')).body, [{ ready: false }])
})

t.test('the card of the service is a page without active content', async (t) => {
  await using bench = await startBench()
  const { headers, text } = await bench.get('/api/metadata/providers/html')
  t.match(headers['content-type'], /^text\/html/)
  t.match(text, /TMDB.*Ready/s)
  t.notOk(text.includes(bench.tmdb.apiKey))
})
