// The tracker for other plugins: reading changes nothing, and only existing snapshots can be selected.
import { sql } from 'kysely'
import t from 'tap'
import { type Feature, type TrackerStore, TRACKER_STORE } from '@playhead/sdk'
import { startTracker, type Tracker } from './support.ts'

const film = (tmdb: number, more: object = {}) => ({
  type: 'movie' as const,
  title: `Film ${tmdb}`,
  ids: { tmdb: String(tmdb) },
  ...more,
})
const storeOf = (tracker: Tracker) => tracker.host.capability<TrackerStore>(TRACKER_STORE)
const rowsOf = async (tracker: Tracker, feature: Feature) =>
  (await Array.fromAsync(storeOf(tracker).rows('default', feature))).flat()

t.test('reading an unused tracker creates nothing', async (t) => {
  await using tracker = await startTracker()
  const store = storeOf(tracker)
  t.equal(await store.revision('default', 'watchlist'), '')
  t.strictSame(await rowsOf(tracker, 'watchlist'), [])
  t.strictSame([await store.snapshots('default', 'history'), await store.items('default', 'history', ['x'])], [[], []])
  t.strictSame(
    (await store.stats('default')).map(({ rows }) => rows),
    [0, 0, 0, 0, 0],
  )
  for (const table of ['tracker__spaces', 'tracker__states'])
    t.strictSame(await tracker.host.db.selectFrom(table).selectAll().execute(), [], table)
})

t.test('rows are current, plays one by one, and the revision changes with each change', async (t) => {
  await using tracker = await startTracker()
  const store = storeOf(tracker)
  await tracker.write(
    'history',
    'add',
    [
      film(1, { watched_at: '2026-07-01T00:00:00Z' }),
      film(1, { watched_at: '2026-07-02T00:00:00Z' }),
      film(2, { watched_at: '2026-07-01T00:00:00Z' }),
    ],
    { plays: true },
  )
  const before = await store.revision('default', 'history')
  const rows = await rowsOf(tracker, 'history')
  t.equal(rows.length, 3)
  t.strictSame(
    (await store.items('default', 'history', [rows[1]!.key, 'none'])).map(({ key }) => key),
    [rows[1]!.key],
  )
  await tracker.write('history', 'remove', [film(2)])
  t.equal((await rowsOf(tracker, 'history')).length, 2)
  t.not(await store.revision('default', 'history'), before)
  t.strictSame(await store.items('default', 'history', [rows[2]!.key]), [], 'what was removed is no row of now')
})

t.test('many rows come in pages and each once', async (t) => {
  await using tracker = await startTracker()
  for (const start of [1, 201, 401])
    await tracker.write(
      'watchlist',
      'add',
      Array.from({ length: 200 }, (_, index) => film(start + index)),
    )
  const pages = await Array.fromAsync(storeOf(tracker).rows('default', 'watchlist'))
  t.ok(pages.length > 1 && pages.every((page) => page.length <= 250))
  t.equal(new Set(pages.flat().map(({ key }) => key)).size, 600)
})

t.test('a snapshot is selected by its name and then restored; a missing one is not', async (t) => {
  await using tracker = await startTracker({ restore_watchlist: '' })
  const store = storeOf(tracker)
  await tracker.write('watchlist', 'add', [film(1)])
  await tracker.write('watchlist', 'add', [film(2)])
  const [snapshot] = await store.snapshots('default', 'watchlist')
  t.ok(snapshot)
  t.equal(await store.selected('default', 'watchlist'), '')
  for (const name of ['none', '../config.json', ''])
    await t.rejects(store.select('default', 'watchlist', name), { code: 'PLH_NOT_FOUND', wire: 'snapshot_not_found' })
  await t.rejects(store.select('default', 'history', snapshot!.name), {
    code: 'PLH_NOT_FOUND',
    wire: 'snapshot_not_found',
  })
  await t.rejects(store.select('SVC-P07', 'watchlist', 'latest'), { code: 'PLH_NOT_FOUND' })
  await t.rejects(store.select('default', 'scrobbles', 'latest'), { code: 'PLH_UNSUPPORTED' })
  await store.select('default', 'watchlist', snapshot!.name)
  t.equal(await store.selected('default', 'watchlist'), snapshot!.name)
  t.equal((await rowsOf(tracker, 'watchlist')).length, 2, 'looking restores nothing')
  t.strictSame(
    (await tracker.items('watchlist')).map(({ title }) => title),
    ['Film 1'],
    'reading does',
  )
})

t.test('an import is invisible before its end, for any concurrent changes of rows with the same keys', async (t) => {
  const plays = [1, 2, 3].map((id) => film(id, { watched: true, watched_at: `2026-07-0${id}T00:00:00Z` }))
  const staged = 'select count(*) as n from tracker__rows where added_change >= 1 << 52'
  for (const end of ['ended', 'dropped', 'left', 'left for a day'] as const) {
    await using tracker = await startTracker()
    const store = storeOf(tracker)
    await tracker.write('history', 'add', plays, { plays: true })
    const before = await rowsOf(tracker, 'history')
    const id = await store.beginImport('default', ['history'])
    await store.addToImport(id, 'history', before.slice(0, 2))
    t.strictSame(await rowsOf(tracker, 'history'), before)
    t.equal((await store.stats('default')).find(({ feature }) => feature === 'history')?.rows, 3)
    t.strictSame(await tracker.told('history', 'add', plays, { plays: true }), ['already', 'already', 'already'])
    t.strictSame(await tracker.told('history', 'remove', [before[0]!.item], { plays: true }), ['applied'])
    t.strictSame(await rowsOf(tracker, 'history'), before.slice(1))

    if (end === 'ended') {
      await store.endImport(id)
      t.strictSame(await rowsOf(tracker, 'history'), before.slice(0, 2), 'removed before the end, and imported')
      t.strictSame(await tracker.told('history', 'add', plays, { plays: true }), ['already', 'already', 'applied'])
      const [snapshot] = await store.snapshots('default', 'history')
      await store.restore('default', 'history', snapshot!.name)
      t.strictSame(await rowsOf(tracker, 'history'), before.slice(1), 'as before the import')
    } else {
      if (end === 'dropped') await store.dropImport(id)
      else {
        // Simulate the end of the process.
        await sql`update tracker__rows set added_change = added_change - 1 where added_change > ${2 ** 52}`.execute(
          tracker.host.db,
        )
        if (end === 'left') await store.dropImport(await store.beginImport('default', ['ratings']))
        else await tracker.host.runJob('tidy')
      }
      t.match((await sql.raw(staged).execute(tracker.host.db)).rows, [{ n: 0 }], end)
      t.strictSame(await rowsOf(tracker, 'history'), before.slice(1), end)
      t.strictSame(await tracker.told('history', 'add', plays, { plays: true }), ['applied', 'already', 'already'])
    }
  }
})
