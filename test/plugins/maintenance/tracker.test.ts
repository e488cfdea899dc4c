// slow: the whole service, or very many cases
// The tracker: export, clearing and import of a profile, malicious archives, and the following run of a pair.
import { randomBytes } from 'node:crypto'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { TextReader, Uint8ArrayWriter, ZipWriter } from '@zip.js/zip.js'
import fc, { runsOf } from '../../fast-check.ts'
import t, { type Test } from 'tap'
import { startService } from '../../harness.ts'
import {
  differences,
  exportTracker,
  importZip,
  lookAtEverything,
  openWorld,
  runSync,
  stateFiles,
  tracker,
  zipOf,
} from './world.ts'

t.test('the tracker', async (t) => {
  const service = await openWorld(t)
  const states = (files: Readonly<Record<string, string>>) =>
    Object.fromEntries(
      Object.entries(files)
        .filter(([name]) => /^[a-z]+\.json$/.test(name) && name !== 'manifest.json')
        .map(([name, text]) => [name, Object.entries(JSON.parse(text).items)]),
    )

  await t.test('property 62: export, clear, import and export give the same rows with the same keys', async (t) => {
    const first = await exportTracker(service)
    t.match(JSON.parse(first['manifest.json']!), {
      kind: 'playhead_tracker',
      schema_version: 2,
      profile: 'default',
      rows: { watchlist: 30, history: 50, ratings: 20, progress: 4 },
      snapshots: { watchlist: 0, progress: 0 },
    })
    const cleared = await service.json('/api/maintenance/svc-tracker/clear', { json: { confirm: true } })
    t.match(cleared, {
      status: 200,
      body: {
        ok: true,
        removed: { state_files: ['watchlist.json', 'history.json', 'ratings.json', 'progress.json'] },
        summary: { removed_items: 104 },
        after: { counts: { state_files: 0 } },
        advice: 'dry_run',
      },
    })
    t.same(states(await exportTracker(service))['history.json'], [])
    t.ok((await tracker().snapshots('default', 'history')).length > 0, 'a snapshot keeps what was there')
    const again = await service.json('/api/maintenance/svc-tracker/clear', { json: { confirm: true } })
    t.equal(again.body.summary.removed_items, 0)
    const archive = await zipOf(first)
    t.match((await importZip(service, archive, '?dry_run=true')).body, { dry_run: true, rows: { history: 50 } })
    t.same(states(await exportTracker(service))['history.json'], [])
    const imported = await importZip(service, archive)
    t.match(imported, {
      status: 200,
      body: {
        ok: true,
        mode: 'zip',
        states: 4,
        overwritten: 0,
        rows: { watchlist: 30, history: 50, ratings: 20, progress: 4 },
      },
    })
    t.same(states(await exportTracker(service)), states(first))
  })

  await t.test('all profiles are exported as one, and each is imported from it', async (t) => {
    const [one, other] = (await tracker().profiles()) as [string, string]
    const own = await exportTracker(service, `?provider_instance=${other}`)
    const all = await exportTracker(service, '?profile=all')
    t.match(JSON.parse(all['manifest.json']!), {
      kind: 'playhead_tracker',
      profiles: [
        { profile: one, rows: { history: 50 } },
        { profile: other, rows: JSON.parse(own['manifest.json']!).rows },
      ],
    })
    t.equal(Object.keys(all).filter((name) => !name.includes('/snapshots/')).length, 9)
    const snapshots = JSON.parse(all[`profiles/${one}/snapshots/history.json`]!).snapshots
    t.same(
      snapshots.map(({ name }: { name: string }) => name).reverse(),
      (await tracker().snapshots(one, 'history')).map(({ name }) => name),
    )
    const archive = await zipOf(all)
    await service.json('/api/maintenance/svc-tracker/clear', { json: { confirm: true, provider_instance: other } })
    t.match(await importZip(service, archive, `?provider_instance=${other}`), { status: 200, body: { states: 4 } })
    t.same(states(await exportTracker(service, `?provider_instance=${other}`)), states(own))
    const first = states(await exportTracker(service))
    t.match((await importZip(service, archive, `?provider_instance=${other}&from=${one}`)).body, {
      rows: { history: 50, ratings: 20 },
    })
    t.same(states(await exportTracker(service)), first, 'the other profile is left alone')
    t.match(await importZip(service, archive, '?from=unknown'), {
      status: 400,
      body: { error: 'invalid_import', detail: /default/ },
    })
    t.match(await importZip(service, await zipOf(own), `?provider_instance=${other}`), { status: 200 })
    t.match(await importZip(service, archive, '?provider_instance=unknown'), { status: 404 })
    t.same(await readdir(join(service.directory, 'data/run/scratch/maintenance')), [], 'no upload is left')
  })

  await t.test('cleared rows are not removed elsewhere, and return', async (t) => {
    const second = (await tracker().profiles()).find((id) => id !== 'default')!
    const countOf = async (query = '') => states(await exportTracker(service, query))['watchlist.json']!.length
    const before = await countOf(`?provider_instance=${second}`)
    await service.json('/api/maintenance/svc-tracker/clear', { json: { confirm: true } })
    t.match(await runSync(service), { result: 'ok', removed_last: 0 })
    t.equal(await countOf(`?provider_instance=${second}`), before)
    t.equal(await countOf(), before)
  })

  await t.test('property 62: a bad archive changes nothing, and the response states why', async (t) => {
    const before = await lookAtEverything()
    const item = { type: 'movie', title: 'Heat', ids: { tmdb: '949' } }
    const good = { ts: 1, items: { a: item } }
    const raw = async (write: (zip: ZipWriter<Uint8Array>) => Promise<unknown>) => {
      const zip = new ZipWriter(new Uint8ArrayWriter())
      await write(zip)
      return zip.close()
    }
    const flipped = await zipOf({ 'watchlist.json': stateFiles['watchlist.json'] })
    flipped[80]! ^= 0xff
    const noise = { items: {}, noise: randomBytes(1_000_000).toString('hex') }
    const large = Buffer.from(await zipOf({ 'watchlist.json': noise }))
    // The size in the central directory.
    large.writeUInt32LE(129 * 1024 * 1024, large.lastIndexOf('PK\u0001\u0002') + 24)
    const link = { externalFileAttributes: (0o120777 << 16) >>> 0 }
    const attacks: Readonly<Record<string, Uint8Array>> = {
      'a path out of the folder': await zipOf({ '../../config.json': good, 'watchlist.json': good }),
      'an absolute path': await zipOf({ '/etc/watchlist.json': good }),
      'a drive letter': await zipOf({ 'C:\\watchlist.json': good }),
      'a file of another profile': await zipOf({ 'profiles/other/watchlist.json': good }),
      'an unknown file': await zipOf({ 'watchlist.json': good, 'evil.js': 'x' }),
      'nothing of the tracker': await zipOf({ 'manifest.json': {} }),
      'an encrypted file': await zipOf({ 'watchlist.json': good }, { password: 'x', zipCrypto: true }),
      'a symbolic link': await raw((zip) => zip.add('watchlist.json', new TextReader('/etc/passwd'), link)),
      'a device': await raw((zip) =>
        zip.add('watchlist.json', new TextReader('{}'), { externalFileAttributes: (0o020666 << 16) >>> 0 }),
      ),
      'rows of all profiles among those of one': await zipOf({
        'watchlist.json': good,
        'profiles/default/watchlist.json': good,
      }),
      'a bomb': await zipOf({ 'watchlist.json': `{"items":{"a":"${'x'.repeat(8 * 1024 * 1024)}"}}` }),
      'a file that does not fit into memory': large,
      'more than 500 files': await raw(async (zip) => {
        for (let index = 0; index < 501; index += 1)
          await zip.add(`snapshots/${index}-watchlist.json`, new TextReader('{}'))
      }),
      'a flipped byte': flipped,
      'a cut-off archive': (await zipOf({ 'watchlist.json': stateFiles['watchlist.json'] })).slice(0, 300),
      'no archive at all': new TextEncoder().encode('PK\u0003\u0004 but not really'),
      'no JSON': await zipOf({ 'watchlist.json': '{"items": {' }),
      'something that is no item': await zipOf({ 'watchlist.json': { items: { a: item, b: 7 } } }),
      'an item without ids': await zipOf({ 'watchlist.json': { items: { a: { ...item, ids: {} } } } }),
      'an item of an unknown kind': await zipOf({ 'watchlist.json': { items: { a: { ...item, type: 'book' } } } }),
      'a rating without a value': await zipOf({ 'watchlist.json': good, 'ratings.json': { items: { a: item } } }),
      'a play without a time, after pages of good ones that were written': await zipOf({
        'history.json': { items: [...Array(14).fill(Object.values(stateFiles['history.json'].items)).flat(), item] },
      }),
      'a broken snapshot beside good states': await zipOf({
        'watchlist.json': good,
        'snapshots/20260101T000000Z-watchlist.json': '[',
      }),
    }
    for (const [what, bytes] of Object.entries(attacks)) {
      const { status, body } = await importZip(service, bytes)
      const refused = { ok: false, error: /^(invalid_import|upload_too_large)$/ }
      t.ok(status === 400 || status === 413, `${what}: ${status} ${JSON.stringify(body)}`)
      t.match(body, refused, what)
    }
    t.match(await importZip(service, large), {
      status: 413,
      body: { detail: /"watchlist.json" is larger than 128 MiB/ },
    })
    t.match(await importZip(service, new TextEncoder().encode('{}'), '?filename=../watchlist.txt'), { status: 400 })
    t.match(await service.json('/api/maintenance/svc-tracker/import', { json: {} }), { status: 400 })
    t.same(differences(before, await lookAtEverything()), [], 'nothing is left behind')
  })

  await t.test('snapshots are imported into an empty service, and restore the same content there', async (t) => {
    const rated = (rows: readonly number[]) =>
      rows.map((value, index) => ({
        ...{ type: 'movie', title: `Film ${index}`, ids: { tmdb: String(index + 1) } },
        ...{ rating: value, rated_at: '2026-03-01T00:00:00Z' },
      }))
    for (const rows of [[1, 2, 3], [1, 5], [], [7, 7, 7, 7]]) {
      const file = await zipOf({ 'ratings.json': { items: rated(rows) }, 'watchlist.json': { items: rated(rows) } })
      t.equal((await importZip(service, file)).status, 200)
    }
    const first = await exportTracker(service)
    const archive = await zipOf(first)
    const { names, found } = await broughtBack()
    t.ok(names.length >= 3 && new Set(found).size >= 3, 'some differ')

    const other = await startService({ directory: await emptyDirectory(t), watch: false, shipped: true })
    t.teardown(() => other[Symbol.asyncDispose]())
    const before = await inventoryOf(other)
    t.match(before, { state_files: [{ rows: 0 }, { rows: 0 }, { rows: 0 }, { rows: 0 }], snapshots: [] })
    const hostile: Readonly<Record<string, Readonly<Record<string, string | object>>>> = {
      'a snapshot that is cut off': { 'snapshots/ratings.json': first['snapshots/ratings.json']!.slice(0, -9) },
      'snapshots without their feature': { 'snapshots/history.json': first['snapshots/ratings.json']! },
      'snapshots that are a list': { 'snapshots/ratings.json': [] },
      'no name': changed((one) => (one.snapshots[0].name = '../../x')),
      'the name of the newest': changed((one) => (one.snapshots[0].name = 'latest')),
      'two of one name': changed((one) => (one.snapshots[1].name = one.snapshots[0].name)),
      'no time': changed((one) => (one.snapshots[0].at = 'yesterday')),
      'a time to come': changed((one) => (one.snapshots[0].at = '2999-01-01T00:00:00.000Z')),
      'a row of a snapshot that is not there': changed((one) => (one.rows[0].from = 99)),
      'a row that ends before it begins': changed((one) => Object.assign(one.rows[0], { from: 2, to: 1 })),
      'a row without ids': changed((one) => (one.rows.find((row: any) => row.item).item.ids = 7)),
      'a row without a value': changed((one) => delete one.rows.find((row: any) => row.item).item.rating),
      'a row twice in a snapshot': changed((one) => one.rows.push(one.rows.find((row: any) => row.item))),
      'a number for a key': changed((one) => (one.rows[0].key = 7)),
      'another kind': { 'manifest.json': { kind: 'playhead_backup', schema_version: 1 } },
      'no version': { 'manifest.json': { kind: 'playhead_tracker', schema_version: 'two' } },
      'a manifest that is none': { 'manifest.json': '[' },
    }
    const { 'snapshots/watchlist.json': _of, 'history.json': _empty, ...base } = first
    for (const [what, files] of Object.entries(hostile)) {
      const { status, body } = await importZip(other, await zipOf({ ...base, ...files }))
      t.match(
        { status, body },
        { status: 400, body: { error: 'invalid_import', detail: /Nothing was changed\.$/ } },
        what,
      )
    }
    const newer = await importZip(other, await zipOf({ ...first, 'manifest.json': { schema_version: 3 } }))
    t.match(newer, {
      status: 400,
      body: {
        error: 'invalid_import',
        detail: /made by a newer Playhead: its format is 3, and this one reads up to 2/,
      },
    })
    t.same(await inventoryOf(other), before, 'nothing half')

    const imported = await importZip(other, archive)
    t.match(imported, { status: 200, body: { skipped: [], snapshots: names.length, states: 4 } })
    const { ts: _ts, ...manifest } = JSON.parse(first['manifest.json']!)
    const again = await exportTracker(other)
    t.match(JSON.parse(again['manifest.json']!), { rows: manifest.rows, snapshots: manifest.snapshots })
    for (const name of Object.keys(first).filter((one) => one !== 'manifest.json'))
      t.same({ ...JSON.parse(again[name]!), ts: 0 }, { ...JSON.parse(first[name]!), ts: 0 }, name)
    const twice = await importZip(other, archive)
    t.match(twice.body, { snapshots: 0, skipped: { length: names.length } })

    // Back into the first service, whose snapshots were cleared before: each restores its content.
    await service.json('/api/maintenance/svc-tracker/clear', { json: { confirm: true, clear_snapshots: true } })
    t.match((await importZip(service, archive)).body, { snapshots: names.length })
    t.same(await broughtBack(), { names, found })
    t.match((await importZip(service, archive)).body, { rows: { watchlist: 4 } })

    function changed(change: (file: any) => unknown) {
      const file = JSON.parse(first['snapshots/ratings.json']!)
      change(file)
      return { 'snapshots/ratings.json': file }
    }
    async function inventoryOf(of: typeof service) {
      return (await of.json('/api/maintenance/svc-tracker')).body
    }
    /** Restores the snapshots of the archive. */
    async function broughtBack() {
      const names: string[] = []
      const found: string[] = []
      for (const feature of ['watchlist', 'history', 'ratings', 'progress']) {
        const file = first[`snapshots/${feature}.json`]
        for (const { name } of file === undefined ? [] : JSON.parse(file).snapshots) {
          await tracker().restore('default', feature, name)
          names.push(`${name}-${feature}`)
          const rows = (await Array.fromAsync(tracker().rows('default', feature))).flat()
          found.push(JSON.stringify(rows.toSorted((a, b) => (a.key < b.key ? -1 : 1))))
        }
      }
      return { names, found }
    }
  })

  await t.test('an archive of format 1 is imported, and its snapshots of other tools are skipped', async (t) => {
    const files = {
      'manifest.json': { kind: 'playhead_tracker', schema_version: 1, profile: 'default', rows: { ratings: 20 } },
      'ratings.json': stateFiles['ratings.json'],
      'snapshots/20260101T000000Z-ratings.json': stateFiles['ratings.json'],
    }
    t.match(await importZip(service, await zipOf(files)), {
      status: 200,
      body: { rows: { ratings: 20 }, snapshots: 0, skipped: ['snapshots/20260101T000000Z-ratings.json'] },
    })
  })

  await t.test('a single file is imported by its name, in every known form', async (t) => {
    const items = Object.values(stateFiles['ratings.json'].items)
    for (const content of [{ ts: 1, items }, { items: { x: items[0] } }, { x: items[0] }, items.slice(0, 3)]) {
      const text = new TextEncoder().encode(JSON.stringify(content))
      const { status, body } = await importZip(service, text, '?filename=20260101T000000Z-ratings.json')
      t.match({ status, body }, { status: 200, body: { mode: 'json', states: 1 } }, JSON.stringify(body))
      t.equal(states(await exportTracker(service))['ratings.json']!.length, body.rows.ratings)
    }
    t.ok(states(await exportTracker(service))['watchlist.json']!.length > 0, 'other features are left alone')
    const named = await importZip(
      service,
      new TextEncoder().encode(JSON.stringify(items.slice(0, 2))),
      '?provider_instance=%20Default',
      'my/ratings.json',
    )
    t.match(named, {
      status: 200,
      body: {
        target: 'state',
        kind: 'ratings',
        name: 'ratings.json',
        rows: { ratings: 2 },
        provider_instance: 'default',
      },
    })
  })

  await t.test('imported data is exported again, and importing that changes no row', async () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 40 })
    const film = fc.record({
      title: text,
      year: fc.integer({ min: 1900, max: 2030 }),
      tmdb: fc.integer({ min: 1, max: 60 }),
    })
    const play = fc.record({ film, day: fc.integer({ min: 1, max: 28 }), hour: fc.integer({ min: 0, max: 23 }) })
    const itemOf = ({ title, year, tmdb }: { title: string; year: number; tmdb: number }) => ({
      ...{ type: 'movie', title, year },
      ids: { tmdb: String(tmdb) },
    })
    const timeOf = (day: number, hour: number) =>
      `2026-01-${String(day).padStart(2, '0')}T${String(hour).padStart(2, '0')}:00:00Z`
    await fc.assert(
      fc.asyncProperty(
        fc.array(film, { minLength: 1, maxLength: 25 }),
        fc.array(play, { maxLength: 25 }),
        async (films, plays) => {
          const files = {
            'watchlist.json': { items: films.map(itemOf) },
            'history.json': {
              items: plays.map((one) => ({
                ...itemOf(one.film),
                watched: true,
                watched_at: timeOf(one.day, one.hour),
              })),
            },
          }
          const first = await importZip(service, await zipOf(files))
          if (first.status !== 200) throw new Error(JSON.stringify(first.body))
          const exported = await exportTracker(service)
          const shown = states(exported)
          if (shown['watchlist.json']!.length !== films.length || shown['history.json']!.length !== plays.length)
            throw new Error('rows were lost or doubled')
          await importZip(service, await zipOf(exported))
          if (JSON.stringify(states(await exportTracker(service))) !== JSON.stringify(shown))
            throw new Error('the second import is another')
        },
      ),
      { numRuns: runsOf(10) },
    )
  })
})

async function emptyDirectory(t: Test): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'playhead-maintenance-'))
  t.teardown(() => rm(directory, { recursive: true, force: true, maxRetries: 10 }))
  return directory
}
