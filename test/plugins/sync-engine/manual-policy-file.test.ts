// slow: the whole service, or very many cases
// The manual policy file: round trips, merges, edited files, and other files.
import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import fc, { runsOf } from '../../fast-check.ts'
import { Kysely, SqliteDialect } from 'kysely'
import t from 'tap'
import { type Feature, FEATURES, isPlayheadError, type Tables } from '@playhead/sdk'
import { blockName, blockNames } from '@playhead/sdk/items'
import { createManualPolicy } from '../../../plugins/services/sync/policy/service.ts'
import { createPolicyWork, type PolicyWork } from '../../../plugins/services/sync/policy/work.ts'
import { migrations } from '../../../plugins/services/sync/store/migrations.ts'

const RUNS = { numRuns: runsOf(100) }

async function open() {
  const sqlite = new DatabaseSync(':memory:')
  const db: Tables = new Kysely({
    dialect: new SqliteDialect({
      database: {
        close: () => sqlite.close(),
        prepare: (sql) => {
          const statement = sqlite.prepare(sql)
          type Values = Parameters<typeof statement.all>
          return {
            reader: statement.columns().length > 0,
            all: (values) => statement.all(...(values as Values)) as never,
            run: (values) => statement.run(...(values as Values)) as never,
            iterate: (values) => statement.iterate(...(values as Values)) as never,
          }
        },
      },
    }),
  })
  for (const migration of migrations) await migration.up(db)
  let nowMs = Date.UTC(2026, 5, 1)
  return { work: createPolicyWork(db, () => (nowMs += 1_000)), db, [Symbol.asyncDispose]: () => db.destroy() }
}

async function textOf(work: PolicyWork): Promise<string> {
  let text = ''
  for await (const piece of work.export()) text += piece
  return text
}

const replace = (work: PolicyWork, text: string) => work.import(text, { mode: 'replace' }, [])
const merge = (work: PolicyWork, text: string) => work.import(text, { mode: 'merge' }, [])
const fileOf = (providers: object) => JSON.stringify({ version: 1, providers })

/** Rows as written by people, other programs and older files. */
const words = fc.oneof(fc.string({ maxLength: 12 }), fc.constantFrom('Heat', 'Amélie', 'İ', '愛', '\u{1F3AC}', 'a|b:c'))
const anything = fc.oneof(words, fc.integer(), fc.boolean(), fc.constant(null), fc.array(words, { maxLength: 2 }))
const ids = fc.record(
  {
    tmdb: fc.oneof(
      fc.integer({ min: 1, max: 40 }),
      fc.integer({ min: 1, max: 40 }).map((id) => String(id)),
    ),
    imdb: fc.integer({ min: 1, max: 40 }).map((id) => `tt${String(id).padStart(7, '0')}`),
    trakt: fc.integer({ min: 1, max: 40 }),
    guid: fc.constantFrom('plex://movie/5d77@x%40', 'plex://show/1 2'.replace(' ', '_')),
  },
  { requiredKeys: [] },
)
const hasId = (value: object) => Object.keys(value).length > 0
const extra = fc.dictionary(
  fc.constantFrom('bucket', 'provider_event_id', '_simkl_history_id', '__proto__', '10', '9', 'is_rewatch'),
  anything,
  { maxKeys: 3 },
)
const at = fc
  .integer({ min: Date.UTC(2000, 0, 1), max: Date.UTC(2030, 0, 1) })
  .map((ms) => new Date(Math.floor(ms / 1_000) * 1_000).toISOString())

const rowOf = (feature: Feature) =>
  fc
    .record({
      own: fc.oneof(
        fc.record({ type: fc.constantFrom('movie', 'movies', 'show', 'anime'), title: words, ids: ids.filter(hasId) }),
        fc.record({
          type: fc.constantFrom('episode', 'episodes'),
          show_ids: ids.filter(hasId),
          ids,
          season: fc.nat({ max: 3 }),
          episode: fc.integer({ min: 1, max: 4 }),
        }),
      ),
      values: fc.record({
        ...(feature === 'ratings' ? { rating: fc.integer({ min: 1, max: 10 }) } : {}),
        ...(feature === 'history' ? { watched_at: at } : {}),
      }),
      extra,
    })
    .map(({ own, values, extra: more }) => ({ ...more, ...own, ...values }))

const block = fc.oneof(
  fc.integer({ min: 1, max: 30 }).map((id) => `tmdb:${id}`),
  fc.integer({ min: 1, max: 30 }).map((id) => `TMDB:${id}`),
  fc.integer({ min: 1, max: 30 }).map((id) => `show:tmdb:${id}#s01e02`),
  fc.integer({ min: 1, max: 30 }).map((id) => `tmdb:${id}#season:2`),
  fc.constantFrom(
    'movie|title:heat|year:1995',
    'title:Heat|year:1995',
    'title:a|b:c|year:',
    'movie:title:heat:1995',
    'tmdb:603@1782936900',
    'Title:Amélie|Year:2001',
  ),
)
const scope = fc
  .record({
    provider: fc.constantFrom('TRAKT', 'PLEX', 'SIMKL'),
    instance: fc.constantFrom('default', 'PLEX-P02', 'TRAKT-P01'),
    feature: fc.constantFrom(...FEATURES),
  })
  .chain((name) =>
    fc.record({
      name: fc.constant(name),
      adds: fc.array(rowOf(name.feature), { maxLength: 6 }),
      blocks: fc.array(block, { maxLength: 6 }),
    }),
  )
const policies = fc.array(scope, { maxLength: 6 })
type Policy = typeof policies extends fc.Arbitrary<infer Value> ? Value : never

const fill = async (work: PolicyWork, policy: Policy) => {
  for (const { name, adds, blocks } of policy) await work.change(name, { setAdds: adds, addBlocks: blocks })
}

t.test('property 25: an imported export is exported byte-identically, and merging the own export does nothing', () =>
  fc.assert(
    fc.asyncProperty(policies, async (policy) => {
      await using one = await open()
      await using two = await open()
      await fill(one.work, policy)
      const text = await textOf(one.work)
      await replace(two.work, text)
      assert.equal(await textOf(two.work), text)
      const revision = await one.work.revision()
      const merged = await merge(one.work, text)
      assert.deepEqual(merged.changes, { addsNew: 0, addsChanged: 0, addsRemoved: 0, blocksNew: 0, blocksRemoved: 0 })
      assert.equal(await textOf(one.work), text)
      assert.equal(await one.work.revision(), revision, 'no run has to look again')
      // Sorting or indenting the file changes nothing.
      await replace(two.work, JSON.stringify(JSON.parse(text), null, 2))
      assert.equal(await textOf(two.work), text)
    }),
    RUNS,
  ),
)

t.test('property 25: a merge is idempotent and loses no block, no add and no value', () =>
  fc.assert(
    fc.asyncProperty(policies, policies, async (first, second) => {
      await using one = await open()
      await using two = await open()
      await fill(one.work, first)
      await fill(two.work, second)
      const [before, more] = [await textOf(one.work), await textOf(two.work)]
      await merge(one.work, more)
      const after = await textOf(one.work)
      const again = await merge(one.work, more)
      assert.equal(await textOf(one.work), after)
      assert.equal(again.copy, null)
      for (const [name, own] of scopesOf(before)) {
        const now = scopesOf(after).get(name)!
        for (const text of own.blocks) assert.ok(now.blocks.includes(text), text)
        for (const [key, row] of Object.entries(own.adds))
          for (const [field, value] of Object.entries(row)) {
            if (value === null || value === '') continue
            if (field === 'ids' || field === 'show_ids')
              assert.deepEqual({ ...(now.adds[key]![field] as object), ...(value as object) }, now.adds[key]![field])
            else assert.deepEqual(now.adds[key]![field], value, `${key} ${field}`)
          }
      }
      for (const [name, own] of scopesOf(more)) {
        const now = scopesOf(after).get(name)!
        const names = now.blocks.map(blockName)
        for (const text of own.blocks) assert.ok(names.includes(blockName(text)))
        for (const key of Object.keys(own.adds)) assert.ok(key in now.adds)
      }
    }),
    RUNS,
  ),
)

interface ScopeText {
  readonly blocks: readonly string[]
  readonly adds: Readonly<Record<string, Readonly<Record<string, unknown>>>>
}

function scopesOf(text: string): Map<string, ScopeText> {
  const { providers } = JSON.parse(text) as { providers: Record<string, Record<string, unknown>> }
  const found = new Map<string, ScopeText>()
  const take = (name: string, node: object) => {
    for (const [feature, own] of Object.entries(node)) {
      if (feature === 'instances') {
        for (const [instance, more] of Object.entries(own as object)) take(`${name} ${instance}`, more as object)
        continue
      }
      const { blocks, adds } = own as { blocks: string[]; adds: { items: ScopeText['adds'] } }
      found.set(`${name} ${feature}`, { blocks, adds: adds.items })
    }
  }
  for (const [provider, node] of Object.entries(providers)) take(provider, node)
  return found
}

t.test('property 25: a dry run lists the changes of an import, and makes none', () =>
  fc.assert(
    fc.asyncProperty(policies, policies, fc.constantFrom('merge', 'replace'), async (first, second, mode) => {
      await using one = await open()
      await using two = await open()
      await fill(one.work, first)
      await fill(two.work, second)
      const [before, text] = [await textOf(one.work), await textOf(two.work)]
      const revision = await one.work.revision()
      const promised = await one.work.import(text, { mode: mode as 'merge', dryRun: true }, [])
      assert.equal(await textOf(one.work), before)
      assert.equal(await one.work.revision(), revision)
      assert.deepEqual(await one.work.copies(), [])
      const done = await one.work.import(text, { mode: mode as 'merge' }, [])
      assert.deepEqual({ ...done, dryRun: true, copy: null }, promised)
      // Importing the copy restores everything.
      if (done.copy !== null) {
        await one.work.restore(done.copy, [])
        assert.equal(await textOf(one.work), before)
      }
    }),
    RUNS,
  ),
)

const HEAT = { type: 'movie', title: 'Heat', year: 1995, ids: { tmdb: 949 } }

t.test('accepted forms of a file', async (t) => {
  const variants: Readonly<Record<string, object>> = {
    'features below "manual"': {
      trakt: { manual: { watchlist: { adds: { items: { x: HEAT } }, blocks: ['tmdb:1'] } } },
    },
    'blocks as an object': { Trakt: { watchlist: { adds: { items: { x: HEAT } }, blocks: { 'tmdb:1': true } } } },
    'items as a list': {
      TRAKT: { watchlist: { adds: { items: [{ key: 'tmdb:949', ...HEAT }] }, blocks: ['tmdb:1'] } },
    },
    'the profile by name': {
      TRAKT: { instances: { Default: { watchlist: { adds: { items: { x: HEAT } }, blocks: ['tmdb:1', 'TMDB:1'] } } } },
    },
    'spelled twice': {
      TRAKT: { watchlist: { blocks: ['tmdb:1'] } },
      trakt: { Watchlist: { adds: { items: { x: HEAT } } } },
    },
    'an id in the key alone': {
      TRAKT: {
        watchlist: {
          adds: { items: { 'tmdb:949': { type: 'movie', title: 'Heat', year: 1995 } } },
          blocks: ['tmdb:1'],
        },
      },
    },
  }
  for (const [what, providers] of Object.entries(variants)) {
    await using store = await open()
    t.match(await merge(store.work, `\uFEFF${fileOf(providers)}`), { providers: 1, adds: 1, blocks: 1 }, what)
    const name = { provider: 'TRAKT', instance: 'default', feature: 'watchlist' } as const
    t.same(await store.work.blocks(name), ['tmdb:1'], what)
    const rows = []
    for await (const page of store.work.adds(name)) rows.push(...page)
    t.match(rows, [{ key: 'movie:tmdb:949', item: { type: 'movie', ids: { tmdb: '949' } } }], what)
    const text = await textOf(store.work)
    await replace(store.work, text)
    t.equal(await textOf(store.work), text, what)
  }
})

t.test('a wrong file is refused as a whole, with the place', async (t) => {
  const watchlist = (node: object) => fileOf({ TRAKT: { watchlist: node } })
  const items = (row: unknown) => watchlist({ adds: { items: { x: row } } })
  const wrong: Readonly<Record<string, readonly [text: string, wire: string, path?: string]>> = {
    'no JSON': ['{', 'invalid_json'],
    nothing: ['', 'invalid_json'],
    'a number': ['5', 'invalid_policy'],
    'no providers': ['{"version":1}', 'invalid_policy', 'providers'],
    'a list of providers': ['{"version":1,"providers":[]}', 'invalid_policy', 'providers'],
    'no version': ['{"providers":{}}', 'unknown_version'],
    'a newer version': ['{"version":2,"providers":{}}', 'unknown_version'],
    'too deep': [`{"version":1,"providers":${'['.repeat(5_000)}${']'.repeat(5_000)}}`, 'invalid_json'],
    'another provider node': [fileOf({ TRAKT: [] }), 'invalid_policy', 'providers.TRAKT'],
    'a provider that is none': [fileOf({ '../x': {} }), 'invalid_policy', 'providers.../x'],
    'a profile that is none': [fileOf({ TRAKT: { instances: { 'a b': {} } } }), 'invalid_policy'],
    'an unknown feature': [fileOf({ TRAKT: { likes: {} } }), 'invalid_policy', 'providers.TRAKT.likes'],
    'an unknown field': [watchlist({ adds: {}, removes: {} }), 'invalid_policy', 'providers.TRAKT.watchlist.removes'],
    'a block that is none': [watchlist({ blocks: ['heat'] }), 'invalid_policy', 'providers.TRAKT.watchlist.blocks[0]'],
    'a block of another type': [watchlist({ blocks: [5] }), 'invalid_policy'],
    'a type that is none': [items({ ...HEAT, type: 'book' }), 'invalid_policy'],
    'no type': [items({ ...HEAT, type: undefined }), 'invalid_policy'],
    'an id that is none': [items({ ...HEAT, ids: { tmdb: '12-abc3' } }), 'invalid_policy'],
    'a rating out of range': [
      items({ ...HEAT, rating: 11 }),
      'invalid_policy',
      'providers.TRAKT.watchlist.adds.items["x"].rating',
    ],
    'half a rating': [items({ ...HEAT, rating: 7.5 }), 'invalid_policy'],
    'a day that does not exist': [items({ ...HEAT, watched_at: '2026-02-30' }), 'invalid_policy'],
    'a time without a zone': [items({ ...HEAT, watched_at: '2026-02-03T10:00:00' }), 'invalid_policy'],
    'a season below 0': [items({ type: 'episode', show_ids: { tmdb: 1 }, season: -1, episode: 1 }), 'invalid_policy'],
    'progress beyond the end': [items({ ...HEAT, progress_percent: 101 }), 'invalid_policy'],
    'nothing to know it by': [items({ type: 'movie', ids: {} }), 'invalid_policy'],
    'a row that is none': [items('Heat'), 'invalid_policy'],
    'a rating without a rating': [fileOf({ TRAKT: { ratings: { adds: { items: { x: HEAT } } } } }), 'invalid_policy'],
  }
  await using store = await open()
  await merge(store.work, watchlist({ adds: { items: { x: HEAT } }, blocks: ['tmdb:1'] }))
  const before = await textOf(store.work)
  for (const [what, [text, wire, path]] of Object.entries(wrong))
    for (const mode of ['merge', 'replace'] as const) {
      const error = await store.work.import(text, { mode }, []).then(
        () => undefined,
        (reason: unknown) => reason,
      )
      t.ok(isPlayheadError(error, 'PLH_INVALID'), what)
      t.match(error, { wire, status: 400, ...(path === undefined ? {} : { details: { errors: [{ path }] } }) }, what)
      t.equal(await textOf(store.work), before, what)
    }
  await t.rejects(store.work.import(' '.repeat(20 * 1024 * 1024 + 1), { mode: 'replace' }, []), {
    code: 'PLH_INVALID',
    wire: 'policy_too_large',
    status: 413,
  })
  const many = watchlist({ blocks: Array.from({ length: 300 }, () => 'x') })
  await t.rejects(store.work.import(many, { mode: 'merge' }, []), { code: 'PLH_INVALID', details: { more: 280 } })
})

t.test('property 24: an absent part is unchanged, and a wrong change changes nothing', async (t) => {
  await using store = await open()
  const name = { provider: 'TRAKT', instance: 'default', feature: 'watchlist' } as const
  await store.work.change(name, { setAdds: [HEAT], blocks: ['tmdb:1', 'TMDB:1', 'Title:Heat|Year:1995'] })
  const before = await textOf(store.work)
  const revision = await store.work.revision(name)
  t.same(await store.work.change(name, {}), { adds: 1, blocks: 2, revision })
  for (const change of [
    { blocks: ['tmdb:5', 'nonsense'] },
    { adds: [{ ...HEAT, ids: {} }] },
    { setAdds: [{ ...HEAT, rating: 0 }] },
    { adds: [], blocks: [''] },
    { setAdds: [null as never] },
  ])
    await t.rejects(store.work.change(name, change), { code: 'PLH_INVALID', wire: 'invalid_policy' })
  await t.rejects(store.work.change(name, { adds: [], ifRevision: '0' }), { code: 'PLH_CONFLICT' })
  t.equal(await textOf(store.work), before)
  t.match(await store.work.change(name, { adds: [], ifRevision: revision }), { adds: 0, blocks: 2 })
  t.match(await store.work.change(name, { removeBlocks: ['TMDB:1', 'tmdb:77'] }), { blocks: 1 })
  t.same(await store.work.blocks(name), ['Title:Heat|Year:1995'])
  t.match(await store.work.change(name, { blocks: [] }), { adds: 0, blocks: 0 })
  t.same(await store.work.scopes(), [])
})

t.test('the last five copies are kept, the newest first', async (t) => {
  await using store = await open()
  for (let n = 1; n <= 12; n += 1)
    await replace(store.work, fileOf({ TRAKT: { watchlist: { blocks: [`tmdb:${n}`] } } }))
  const copies = await store.work.copies()
  t.same(
    copies.map(({ id }) => id),
    ['11', '10', '9', '8', '7'],
  )
  await store.work.restore('7', [])
  t.same(await store.work.blocks({ provider: 'TRAKT', instance: 'default', feature: 'watchlist' }), ['tmdb:7'])
})

t.test('names of accounts', async (t) => {
  await using store = await open()
  const accounts = {
    list: async () => [
      { provider: 'TRAKT', instance: 'default' },
      { provider: 'TRAKT', instance: 'TRAKT-P02' },
    ],
    providers: async () => [{ id: 'TRAKT' }],
  }
  const policy = createManualPolicy({ work: store.work as never, accounts: accounts as never })
  await policy.change({ provider: ' trakt ', instance: '', feature: 'watchlist' }, { blocks: ['tmdb:1'] })
  await policy.change({ provider: 'Trakt', instance: 'trakt-p02:8', feature: 'watchlist' }, { blocks: ['tmdb:2'] })
  t.same(await policy.scopes(), [
    { provider: 'TRAKT', instance: 'TRAKT-P02', feature: 'watchlist', adds: 0, blocks: 1 },
    { provider: 'TRAKT', instance: 'default', feature: 'watchlist', adds: 0, blocks: 1 },
  ])
  const change = (provider: string, instance: string, feature = 'watchlist') =>
    policy.change({ provider, instance, feature: feature as Feature }, { blocks: [] })
  await t.rejects(change('TRACT', 'default'), { code: 'PLH_NOT_FOUND', wire: 'unknown_provider' })
  await t.rejects(change('TRAKT', 'TRAKT-P03'), { code: 'PLH_NOT_FOUND', wire: 'unknown_instance' })
  await t.rejects(change('TRAKT', 'default', 'likes'), { code: 'PLH_INVALID', wire: 'unknown_feature' })
  const file = fileOf({
    TRAKT: { instances: { 'TRAKT-P09': { watchlist: { blocks: ['tmdb:3'] } } } },
    PLEX: { history: {} },
  })
  t.match(await policy.import(file, { mode: 'merge' }), { warnings: [{ code: 'unknown_account', count: 2 }] })
  t.same(await policy.blocks({ provider: 'TRAKT', instance: 'TRAKT-P09', feature: 'watchlist' }), ['tmdb:3'])
})

t.test('property 26: a block means the same in every case', async (t) => {
  const episode = {
    type: 'episode',
    ids: { tvdb: '349232', tmdb: '76479' },
    show_ids: { tmdb: '76479', trakt: '5' },
    season: 1,
    episode: 2,
    title: 'Pilot',
    series_title: 'The Boys',
    series_year: 2019,
  } as const
  const heat = {
    type: 'movie',
    title: 'Heat',
    year: 1995,
    ids: { tmdb: '949', imdb: 'tt0113277', mediab: 'aB12' },
  } as const
  const means = (text: string, item: object, plays = false) =>
    blockNames(item as never, plays).includes(blockName(text)!)
  for (const text of [
    'tmdb:949',
    'movie:tmdb:949',
    'themoviedb:949',
    'tmdb:0949',
    'imdb:0113277',
    'TT'.toLowerCase() === 'tt' ? 'imdb:TT0113277' : '',
    'jellyfin:AB12',
    'movie|title:heat|year:1995',
    'movies|title: HEAT |year:1995',
    'title:heat|year:1995',
  ])
    for (const each of [text, text.toUpperCase()]) t.ok(means(each, heat), each)
  for (const text of ['show:tmdb:949', 'tmdb:9490', 'title:heat|year:', 'show|title:heat|year:1995', 'tmdb:949#s01e01'])
    t.notOk(means(text, heat), text)
  for (const text of [
    'tmdb:76479#s01e02',
    'TMDB:76479#S1E2',
    'show:tmdb:76479#s01e02',
    'tvdb:349232',
    'title:the boys|year:2019#s01e02',
  ])
    t.ok(means(text, episode), text)
  for (const text of [
    'tmdb:76479',
    'tmdb:76479#s01e01',
    'tmdb:76479#season:1',
    'title:pilot|year:',
    'title:the boys|year:2019',
  ])
    t.notOk(means(text, episode), text)
  const play = { ...heat, watched_at: '2026-07-01T20:15:00Z' }
  t.ok(means('tmdb:949@1782936900', play, true))
  t.ok(means('TMDB:949', play, true), 'every play')
  t.notOk(means('tmdb:949@1782936901', play, true))
  t.ok(means('title:STRASSE|year:2000', { type: 'movie', title: 'Straße', year: 2000, ids: {} }))
  for (const text of [
    '',
    'heat',
    'tmdb:',
    'tmdb:abc',
    'tmdb:1#s1',
    'unknown:',
    'book|title:x|year:1',
    'title: |year:1',
    'a'.repeat(600),
    'title:\u0000|year:1',
  ])
    t.equal(blockName(text), undefined, text)
})
