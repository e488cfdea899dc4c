// slow: the whole service, or very many cases
// Captures as files: complete or absent, listed, read in pages, deleted.
import fc, { runsOf } from '../../fast-check.ts'
import { execFileSync } from 'node:child_process'
import { appendFile, mkdir, readFile, rename, rm, symlink, truncate, writeFile } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { atEndOfFile } from '../../at-end-of-file.ts'
import { createTypeCounts } from '../../../plugins/services/captures/file/write.ts'
import { ALL, API, fill, startCaptures } from './world.ts'

t.setTimeout(900_000)

const world = await startCaptures()
atEndOfFile(() => world[Symbol.asyncDispose]())
const ann = world.account()
const path = (text: string) => `/read?path=${encodeURIComponent(text)}`

async function clean(): Promise<void> {
  ann.entries = []
  ann.readFaults.length = 0
  ann.readFault = undefined
  await world.expect('/clear', {})
}

t.test('the manifest lists what can be captured, connected accounts first', async (t) => {
  await clean()
  const { providers } = await world.expect('/manifest')
  const own = providers.find(({ id }: { id: string }) => id === 'ANN')
  t.match(own, { configured: true, features: { watchlist: true, history: true, ratings: true, progress: true } })
  t.match(own.instances, [{ id: 'default', configured: true }])
  t.match(providers.find(({ id }: { id: string }) => id === 'METAB').features, { ratings: false })
  const configured = providers.map((one: { configured: boolean }) => one.configured)
  t.same(
    configured,
    configured.toSorted((a: boolean, b: boolean) => Number(b) - Number(a)),
  )
})

t.test(
  'property 35: a capture has as many rows as the provider reported, with equal numbers, keys and titles',
  async () => {
    await clean()
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('watchlist', 'history', 'ratings', 'progress'),
        fc.subarray([...ALL], { maxLength: 25 }),
        fc.boolean(),
        async (feature, works, twice) => {
          ann.entries = []
          fill(ann, works, [feature])
          if (feature === 'history') fill(ann, works.slice(0, 5), [feature], Date.UTC(2020, 1, 1))
          if (twice) ann.readFaults.push('duplicates')
          const made = await world.create({ feature })
          const expected = ann.of(feature).length * (twice ? 2 : 1)
          const rows = await world.rows(made.path)
          if (made.count !== expected || rows.length !== expected || made.stats.collapsed !== 0)
            throw new Error(`${rows.length} rows, ${made.count} counted, ${expected} reported`)
        },
      ),
      { numRuns: runsOf(25) },
    )
  },
)

t.test('the list is limited to a period, omits files of bundles, and counts by day of a time zone', async (t) => {
  await clean()
  fill(ann, ALL.slice(0, 4), ['watchlist', 'history'])
  await world.create({ feature: 'all' })
  const single = await world.create({ feature: 'watchlist' })
  const atS = Math.floor(Date.parse(single.created_at) / 1_000)
  const all = await world.expect('/list')
  t.ok(all.total > 2, 'a bundle, its files and one more')
  const zone = 'Pacific/Kiritimati'
  const own = await world.expect(`/list?children=false&days=${encodeURIComponent(zone)}`)
  t.equal(own.total, 2)
  const day = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short' }).format(
    Date.parse(single.created_at),
  )
  t.same(own.days, [{ day, provider: 'ANN', count: 2 }])
  t.equal((await world.expect(`/list?since=${atS + 60}`)).total, 0)
  t.equal((await world.expect(`/list?until=${atS - 3_600}`)).total, 0)
  t.equal((await world.expect(`/list?since=${atS - 3_600}&until=${atS + 60}&children=false`)).total, 2)
  t.match(await world.get('/list?days=Atlantis/Capital'), { status: 400, body: { error: 'invalid_time_zone' } })
})

t.test('files of an unfinished bundle are not in the list of captures', async (t) => {
  await clean()
  fill(ann, ALL.slice(0, 4))
  const [begun, free] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const { read } = ann
  ann.read = async function* (instance, request) {
    if (request.feature === 'progress') {
      begun.resolve()
      await free.promise
    }
    yield* read.call(ann, instance, request)
  }
  const asked = world.post('/create', { provider: 'ANN', feature: 'all' })
  await begun.promise
  const during = await world.expect('/list?children=false')
  const files = await world.expect('/list')
  free.resolve()
  ann.read = read
  t.match(await asked, { status: 200 })
  t.same([during.total, files.total], [0, 3])
  t.match((await world.expect('/list?children=false')).snapshots, [{ is_bundle: true }])
})

t.test('rows of a capture are searched, in pages', async (t) => {
  await clean()
  fill(ann, ALL.slice(0, 12), ['watchlist'])
  const made = await world.create({ feature: 'watchlist' })
  const titles = (await world.rows(made.path)).map(({ item }: { item: { title: string } }) => item.title)
  const word = String(titles[3]).toUpperCase()
  const wanted = titles.filter((title: string) => title.toUpperCase().includes(word))
  const { snapshot } = await world.expect(`${path(made.path)}&q=${encodeURIComponent(word)}`)
  t.equal(snapshot.total, wanted.length)
  t.same(
    snapshot.rows.map(({ item }: { item: { title: string } }) => item.title),
    wanted,
  )
  const later = await world.expect(`${path(made.path)}&q=${encodeURIComponent(word)}&offset=${wanted.length}`)
  t.match(later.snapshot, { total: wanted.length, rows: [] })
  t.match(await world.expect(`${path(made.path)}&q=nothing-has-this`), { snapshot: { total: 0, rows: [] } })
  const wide = word.replace(/[!-~]/g, (sign) => String.fromCodePoint(sign.codePointAt(0)! + 0xfee0))
  t.equal((await world.expect(`${path(made.path)}&q=${encodeURIComponent(wide)}`)).snapshot.total, wanted.length)
})

t.test('a file is JSON lines that any tool reads, with a proof of completeness', async (t) => {
  await clean()
  fill(ann, ALL.slice(0, 6), ['history'])
  const made = await world.create({ feature: 'history', label: 'before the move' })
  t.match(made.path, /^\d{4}-\d\d-\d\d\/\d{8}T\d{6}Z__ANN__default__history__before_the_move__[0-9a-f]{8}\.ndjson\.gz$/)
  const file = join(world.folder, made.path)
  const lines = execFileSync('zcat', [file])
    .toString('utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  t.equal(lines.length, made.count + 2)
  t.match(lines[0], {
    kind: 'snapshot',
    schema_version: 2,
    provider: 'ANN',
    feature: 'history',
    label: 'before the move',
    trigger: 'manual',
  })
  t.match(lines.at(-1), {
    kind: 'end',
    complete: true,
    count: made.count,
    sha256: /^[0-9a-f]{64}$/,
    account: /^[0-9a-f]{32}$/,
  })
  t.notMatch(JSON.stringify(lines.at(-1)), ann.identity, 'the account is only a hash')
  const { snapshot } = await world.expect(path(made.path))
  t.match(snapshot, {
    provider: 'ANN',
    complete: true,
    total: made.count,
    rows: [{ key: /^movie:/, native_ids: { event_id: /^ANN/ } }],
  })
})

t.test('an incomplete, failed or endless read leaves no file, not even a temporary one', async (t) => {
  await clean()
  fill(ann, ALL.slice(0, 20))
  for (const [fault, status, error] of [
    ['throw', 502, 'provider_unreachable'],
    ['partial', 502, 'read_incomplete'],
    ['no_end', 502, 'invalid_response'],
    ['malformed', 502, 'invalid_response'],
    ['not_configured', 502, 'provider_unreachable'],
  ] as const) {
    ann.readFaults.push(fault)
    const answer = await world.post('/create', { provider: 'ANN', feature: 'history' })
    t.match([answer.status, answer.body], [status, { ok: false, error }], fault)
  }
  t.same(await world.files(), [])
  t.same(await world.list(), [])
})

t.test('an account that changes while it is read is read again', async (t) => {
  await clean()
  fill(ann, ALL.slice(0, 20))
  const { read } = ann
  let reads = 0
  ann.read = async function* (instance, request) {
    reads += 1
    for await (const part of read.call(ann, instance, request)) {
      const isCut = part.type === 'end' && reads === 1
      yield isCut ? { type: 'end', end: { ...part.end, complete: false, reason: 'changed_while_reading' } } : part
    }
  }
  const { complete, count } = await world.create({ feature: 'ratings' })
  ann.read = read
  t.same([reads, complete, count], [2, true, ann.of('ratings').length])
  t.equal((await world.files()).length, 1, 'of the first try nothing is left')
})

t.test('a bundle with a failed feature is partial, and names it', async (t) => {
  await clean()
  fill(ann, ALL.slice(0, 12))
  const { read } = ann
  ann.read = async function* (instance, request) {
    if (request.feature === 'ratings') ann.readFaults.push('throw')
    yield* read.call(ann, instance, request)
  }
  const { status, body } = await world.post('/create', { provider: 'ANN', feature: 'all' })
  ann.read = read
  t.match([status, body], [200, { ok: false, partial: true, snapshot: { feature: 'all' } }])
  t.match(body.snapshot.children, [
    { feature: 'watchlist', path: /watchlist/ },
    { feature: 'history', path: /history/ },
    { feature: 'ratings', error: 'provider_unreachable' },
    { feature: 'progress', path: /progress/ },
  ])
  const listed = await world.list()
  t.equal(listed.length, 4)
  t.match(
    listed.find(({ is_bundle: isBundle }) => isBundle),
    { complete: false },
  )
  ann.readFault = 'throw'
  t.match(await world.post('/create', { provider: 'ANN', feature: 'all' }), {
    status: 502,
    body: { error: 'provider_unreachable' },
  })
  t.equal((await world.files()).length, 4, 'nothing of a bundle without any feature stays')
})

t.test(
  'property 42: captures of one second are separate files; list, read and delete agree; a bundle is deleted as a whole',
  async () => {
    await clean()
    fill(ann, ALL.slice(0, 8))
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom('watchlist', 'all', 'ratings'), { minLength: 1, maxLength: 4 }),
        fc.nat(),
        async (features, which) => {
          await world.expect('/clear', {})
          const made = await Promise.all(
            features.map(async (feature) => {
              for (;;) {
                const { status, body } = await world.post('/create', { provider: 'ANN', feature, label: 'same__label' })
                if (status === 200) return body.snapshot
                if (status !== 409) throw new Error(`${status} ${JSON.stringify(body)}`)
                await new Promise((resolve) => setTimeout(resolve, 2))
              }
            }),
          )
          const paths = made.flatMap((one) => [
            one.path,
            ...(one.children ?? []).map((child: { path: string }) => child.path),
          ])
          if (new Set(paths).size !== paths.length) throw new Error('a file was overwritten')
          const same = async (expected: readonly string[]) => {
            const [listed, files] = [(await world.list()).map((one) => one.path).sort(), await world.files()]
            if (listed.join() !== [...expected].sort().join() || files.join() !== listed.join())
              throw new Error(`expected ${[...expected].sort()}, listed ${listed}, on disk ${files}`)
            for (const one of paths) {
              const { status } = await world.get(path(one))
              if (status !== (expected.includes(one) ? 200 : 404)) throw new Error(`${one} is read with ${status}`)
            }
          }
          await same(paths)
          const chosen = made[which % made.length]
          const own = [chosen.path, ...(chosen.children ?? []).map((child: { path: string }) => child.path)]
          if (own.length > 1) {
            const child = await world.post('/delete', { path: own[1] })
            if (child.status !== 409 || child.body.bundle_path !== own[0]) throw new Error('a child was deleted alone')
          }
          const dry = await world.expect('/delete', { path: chosen.path, dry_run: true })
          await same(paths)
          const { result } = await world.expect('/delete', { path: chosen.path })
          if ([...result.deleted].sort().join() !== [...own].sort().join()) throw new Error(`deleted ${result.deleted}`)
          if (dry.result.deleted.join() !== result.deleted.join()) throw new Error('the dry run said something else')
          await same(paths.filter((one) => !own.includes(one)))
        },
      ),
      { numRuns: runsOf(12) },
    )
  },
)

t.test('property 43: no path leads outside the captures folder', async (t) => {
  await clean()
  fill(ann, ALL.slice(0, 3))
  const made = await world.create()
  const [day, name] = made.path.split('/')
  const outside = join(world.directory, 'outside')
  await mkdir(outside)
  const secret = join(outside, 'secret.ndjson.gz')
  await writeFile(secret, await readFile(join(world.folder, made.path)))
  await symlink(secret, join(world.folder, day, 'link.ndjson.gz'))
  await symlink(outside, join(world.folder, 'elsewhere'))
  await mkdir(join(world.folder, 'deep', 'deeper'), { recursive: true })
  const before = await world.files()
  const attacks = [
    '',
    '.',
    '..',
    '/',
    '../secret.ndjson.gz',
    `${day}/../../secret.ndjson.gz`,
    `${day}\\..\\..\\secret.ndjson.gz`,
    secret,
    `${day}/link.ndjson.gz`,
    'elsewhere/secret.ndjson.gz',
    `${day}/./${name}`,
    `${day}//${name}`,
    `./${made.path}`,
    `${made.path}/`,
    `${made.path}\u0000`,
    `${made.path}\u0000.json`,
    `${made.path}.txt`,
    made.path.replace('.ndjson.gz', ''),
    'C:/secret.json',
    `${day}%2f${name}`,
    `%2e%2e/secret.ndjson.gz`,
    '..%2fsecret.ndjson.gz',
    'config.json',
    '../config.json',
    `${day}/.playhead-0123456789abcdef.tmp`,
    'x'.repeat(900) + '.json',
    `file:///${secret}`,
  ]
  for (const attack of attacks) {
    for (const answer of [
      await world.get(path(attack)),
      await world.get(
        `/read?path=${attack.startsWith('%') || attack.startsWith('..%') ? attack : encodeURIComponent(attack)}`,
      ),
      await world.post('/delete', { path: attack }),
    ]) {
      const isRefused =
        [400, 404].includes(answer.status) && ['invalid_capture_path', 'capture_not_found'].includes(answer.body.error)
      if (!isRefused) t.fail(`${attack}: ${answer.status} ${JSON.stringify(answer.body).slice(0, 200)}`)
    }
  }
  // Rejected by its text alone, in every path parameter.
  for (const text of [
    '../secret.ndjson.gz',
    `${day}/../../secret.ndjson.gz`,
    `${day}\\..\\..\\secret.ndjson.gz`,
    secret,
    'C:/secret.json',
    `${made.path}\u0000`,
    `${made.path}.txt`,
    `./${made.path}`,
    `${day}//${name}`,
  ]) {
    const encoded = encodeURIComponent(text)
    for (const answer of [
      await world.get(path(text)),
      await world.get(`/diff?a=${encoded}&b=${encodeURIComponent(made.path)}`),
      await world.get(`/diff/extended?a=${encodeURIComponent(made.path)}&b=${encoded}`),
      await world.post('/delete', { path: text }),
      await world.post('/restore', { path: text }),
    ])
      t.match(answer, { status: 400, body: { error: 'invalid_capture_path' } }, JSON.stringify(text))
  }
  for (const wrong of [null, 7, {}, ['a']]) t.equal((await world.post('/delete', { path: wrong })).status, 422)
  t.equal((await world.get('/read')).status, 422)
  t.same(await world.files(), before)
  t.ok((await readFile(secret)).length > 0)
  await rm(join(world.folder, day, 'link.ndjson.gz'))
  await rm(join(world.folder, 'elsewhere'))
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom('..', '.', '/', '\\', day, name, 'a', '%2e', '\u0000', '.json', ' '), { maxLength: 7 }),
      async (parts) => {
        const text = parts.join('')
        const { status } = await world.get(path(text))
        if (text !== made.path && ![400, 404].includes(status))
          throw new Error(`${JSON.stringify(text)} is answered with ${status}`)
      },
    ),
    { numRuns: runsOf(60) },
  )
})

t.test('a truncated or changed file is shown as damaged, never as rows, and can be deleted', async (t) => {
  await clean()
  fill(ann, ALL.slice(0, 40), ['ratings'])
  const whole = await readFile(join(world.folder, (await world.create({ feature: 'ratings' })).path))
  await world.expect('/clear', {})
  const day = join(world.folder, '2026-01-01')
  await mkdir(day)
  await fc.assert(
    fc.asyncProperty(fc.nat({ max: whole.length - 1 }), async (length) => {
      const name = `20260101T000000Z__ANN__default__ratings__x__${length}.ndjson.gz`
      await mkdir(day, { recursive: true })
      await writeFile(join(day, name), whole.subarray(0, length))
      const [listed] = await world.list()
      if (listed?.valid !== false) throw new Error(`a file of ${length} bytes is listed as valid`)
      const read = await world.get(path(listed.path))
      if (read.status !== 400 || read.body.error !== 'invalid_capture') throw new Error(`${read.status}`)
      await world.expect('/delete', { path: listed.path })
    }),
    { numRuns: runsOf(20) },
  )
  t.same(await world.files(), [])
})

t.test('the list matches the folder, for any state of the index', async (t) => {
  await clean()
  fill(ann, ALL.slice(0, 5))
  const one = await world.create()
  await world.create({ feature: 'all' })
  await rename(join(world.folder, one.path), join(world.folder, `${one.path.split('/')[0]}/moved.ndjson.gz`))
  const before = await world.list()
  t.equal(before.length, 6)
  t.ok(
    before.some((entry) => entry.path.endsWith('/moved.ndjson.gz') && entry.label === 'capture'),
    'metadata is that of the file',
  )
  const { DatabaseSync } = await import('node:sqlite')
  const database = new DatabaseSync(join(world.directory, 'data', 'database.sqlite'), { timeout: 5_000 })
  database.exec("delete from captures__file where path like '%moved%'; update captures__file set size = size + 1")
  database.close()
  t.same(
    (await world.list()).map(({ mtime: _m, ...rest }) => rest),
    before.map(({ mtime: _m, ...rest }) => rest),
  )
  await appendFile(join(world.folder, before[0].path), 'x')
  t.equal((await world.list()).find((entry) => entry.path === before[0].path).valid, false)
  await truncate(join(world.folder, before[0].path), before[0].size)
  t.equal((await world.list()).find((entry) => entry.path === before[0].path).valid, true)
})

t.test('captures of the older format are read', async (t) => {
  await clean()
  await mkdir(join(world.folder, '2025-03-01'), { recursive: true })
  const old = {
    kind: 'snapshot',
    created_at: '2025-03-01T10:00:00+00:00',
    provider: 'ann',
    instance_id: 'default',
    feature: 'history',
    label: 'old',
    stats: { feature: 'history', count: 3 },
    app_version: '0.9',
    items: {
      'tmdb:949@1700000000': {
        type: 'movies',
        title: 'Heat',
        year: 1995,
        ids: { tmdb: 949, imdb: '0113277' },
        watched_at: '2023-11-14T22:13:20Z',
      },
      'tmdb:1399#s01e02@1700000060': {
        type: 'episode',
        season: 1,
        episode: 2,
        show_ids: { tmdb: '1399' },
        series_title: 'Thrones',
        watched_at: '2023-11-14T22:14:20Z',
      },
      'tmdb:1399': { type: 'nonsense' },
    },
  }
  const name = '2025-03-01/20250301T100000Z__ANN__history__old.json'
  await writeFile(join(world.folder, name), JSON.stringify(old, null, 2))
  await writeFile(join(world.folder, '2025-03-01/list.json'), '{"no": "capture"}')
  const [listed] = (await world.list()).filter(({ valid }) => valid)
  t.match(listed, {
    path: name,
    provider: 'ANN',
    instance: 'default',
    feature: 'history',
    label: 'old',
    count: 2,
    complete: null,
    stamp: '20250301T100000Z',
  })
  t.equal(listed.unreadable, 1)
  const { snapshot } = await world.expect(path(name))
  t.match(snapshot.rows, [
    { key: 'movie:tmdb:949@1700000000', item: { ids: { imdb: 'tt0113277' } } },
    { key: 'show:tmdb:1399#s01e02@1700000060', item: { type: 'episode' } },
  ])
})

t.test('clear deletes what its filters match, and previews that first', async (t) => {
  await clean()
  fill(ann, ALL.slice(0, 5))
  const bundle = await world.create({ feature: 'all' })
  const single = await world.create({ feature: 'ratings' })
  await writeFile(join(world.folder, 'notes.txt'), 'mine')
  for (const [filter, expected] of [
    [{ provider: 'OTHER' }, 0],
    [{ instance: 'default' }, 6],
    [{ instance: 'ANN-P01' }, 0],
    [{ instance_id: 'ANN-P01' }, 0],
    [{ profile: 'ANN-P01' }, 0],
    [{ feature: 'ratings' }, 1],
    [{ feature: 'all' }, 5],
    [{ older_than_days: 1 }, 0],
    [{ before: '2020-01-01T00:00:00Z' }, 0],
    [{}, 6],
  ] as const) {
    const { result, summary } = await world.expect('/clear', { ...filter, dry_run: true })
    t.same(
      [result.deleted.length, summary.removed_files, result.dry_run],
      [expected, expected, true],
      JSON.stringify(filter),
    )
  }
  t.match(await world.post('/clear', { before: 'yesterday' }), { status: 400, body: { error: 'invalid_time' } })
  // A misspelt filter filters nothing.
  for (const wrong of [{ providr: 'OTHER' }, { features: ['ratings'] }, { older_than: 9 }])
    t.equal((await world.post('/clear', wrong)).status, 422, JSON.stringify(wrong))
  t.equal((await world.list()).length, 6)
  const { result, summary } = await world.expect('/clear', { feature: 'ratings' })
  t.same([result.deleted, summary.freed_bytes > 0], [[single.path], true])
  t.equal((await world.service.call(`${API}/clear`, { method: 'POST' })).status, 200, 'a body is not needed')
  t.same(await world.list(), [])
  t.notOk(JSON.stringify(result).includes(world.directory), 'no absolute path')
  t.same(
    (await world.files()).map((name) => name.split('/').at(-1)),
    ['notes.txt'],
    'other files stay',
  )
  t.ok(bundle.path)
})

t.test('property 44: progress only grows, and ends once, with success, failure or a cancel', async () => {
  await clean()
  fill(ann, ALL.slice(0, 30))
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('watchlist', 'all'),
      fc.constantFrom(undefined, 'throw', 'partial'),
      fc.boolean(),
      async (feature, fault, cancels) => {
        if (fault !== undefined) ann.readFault = fault
        const { status, body } = await world.post('/create', { provider: 'ANN', feature, background: true })
        if (status !== 202 || body.job.job_id !== body.progress_id) throw new Error(`${status} ${JSON.stringify(body)}`)
        if (cancels) await world.post(`/capture-progress/${body.progress_id}/cancel`, {})
        const end = await world.ended(body.progress_id)
        ann.readFault = undefined
        const expected = fault === undefined ? ['succeeded'] : ['failed']
        if (
          ![...expected, ...(cancels ? ['cancelled'] : [])].includes(end.state) ||
          end.ok !== (end.state === 'succeeded') ||
          end.percent !== 100
        )
          throw new Error(JSON.stringify(end))
        const again = await world.ended(body.progress_id)
        if (JSON.stringify(again) !== JSON.stringify(end)) throw new Error('the end changed')
        if (end.state === 'succeeded' && !(await world.list()).some((one) => one.path === end.result_path))
          throw new Error('no file')
      },
    ),
    { numRuns: runsOf(15) },
  )
})

t.test('invalid requests are refused before any work starts', async (t) => {
  await clean()
  for (const [json, status, error] of [
    [{ provider: 'NOPE' }, 404, 'unknown_provider'],
    [{ provider: 'ANN', instance: 'ANN-P07' }, 404, 'unknown_instance'],
    [{ provider: ' ' }, 400, 'missing_provider'],
    [{ provider: 'ANN', feature: 'playlists' }, 400, 'unsupported_feature'],
    [{ provider: 'METAB', feature: 'ratings' }, 400, 'provider_not_configured'],
    [{ provider: 'ANN', progress_id: 'short' }, 400, 'invalid_progress_id'],
    [{ provider: 'ANN', progress_id: '../../../etc/passwd' }, 400, 'invalid_progress_id'],
  ] as const)
    t.match(
      await world.post('/create', { ...json, background: true }),
      { status, body: { ok: false, error } },
      JSON.stringify(json),
    )
  for (const json of [{}, { provider: 7 }, { provider: 'ANN', feature: [] }, { provider: 'ANN', background: 'maybe' }])
    t.match(await world.post('/create', json), {
      status: 422,
      body: { detail: [{ loc: Array, msg: String, type: String }] },
    })
  const unknown = await world.get('/capture-progress/never-heard-of-it')
  t.match(unknown, { status: 200, body: { progress: { stage: 'waiting', done: false, ok: false, percent: 0 } } })
  t.equal((await world.post('/capture-progress/never-heard-of-it/cancel', {})).status, 404)
  const { body } = await world.post('/create', {
    provider: 'ANN',
    feature: 'watchlist',
    progress_id: 'my-own-progress',
  })
  t.equal(body.progress_id, 'my-own-progress')
  t.match(await world.post('/create', { provider: 'ANN', feature: 'watchlist', progress_id: 'my-own-progress' }), {
    status: 409,
    body: { error: 'progress_id_used' },
  })
  t.equal((await world.list()).length, 1)
  // The alternative names of the same fields.
  for (const json of [
    { async: true },
    { async_job: true, instance_id: 'DEFAULT' },
    { background: true, profile: '' },
  ]) {
    const answer = await world.post('/create', { provider: 'ann', feature: 'watchlist', ...json })
    t.match(answer, { status: 202, body: { ok: true, job: { ok: true, stage: 'queued' } } }, JSON.stringify(json))
    t.match(await world.ended(answer.body.progress_id), {
      operation: 'capture',
      state: 'succeeded',
      instance: 'default',
    })
  }
  for (const name of ['instance', 'instance_id', 'profile'])
    t.match(await world.post('/create', { provider: 'ANN', [name]: 'ANN-P02' }), { status: 404 }, name)
})

t.test('a bundle without its files, files without their bundle, and the folder of the day', async (t) => {
  await clean()
  fill(ann, ALL.slice(0, 4))
  const { path: bundle, children } = await world.create({ feature: 'all' })
  const { result } = await world.expect('/delete', { path: bundle, delete_children: false })
  t.same(result.deleted, [bundle])
  const left = await world.list()
  t.same(left.map((one) => one.path).sort(), children.map((one: { path: string }) => one.path).sort())
  t.ok(
    left.every(({ is_child: isChild, bundle_path: of }) => !isChild && of === null),
    'they are captures of their own',
  )
  for (const { path: one } of left) t.equal((await world.expect('/delete', { path: one })).ok, true)
  t.notOk(existsSync(join(world.folder, bundle.split('/')[0])), 'an empty folder goes')
})

t.test('rows are counted by kind: most first, then by name', async (t) => {
  const counts = createTypeCounts()
  for (const type of ['episode', 'movie', 'show', 'season', 'anime', 'movie', 'nonsense', undefined]) counts.add(type)
  t.same(Object.entries(counts.sorted()), [
    ['tv', 4],
    ['movie', 2],
    ['unknown', 2],
  ])
})
