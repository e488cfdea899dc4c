// Snapshots of the tracker in another tracker: each has the same content there, after any writes, restores, clears and imports,
// and for any content of the other tracker.
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import t from 'tap'
import {
  type Item,
  TRACKER_STORE,
  type TrackerRow,
  type TrackerSnapshot,
  type TrackerSpan,
  type TrackerStore,
} from '@playhead/sdk'
import fc, { runsOf } from '../../fast-check.ts'
import { startTracker, type Tracker } from './support.ts'

const FEATURES = ['watchlist', 'history', 'ratings', 'progress'] as const
type Tracked = (typeof FEATURES)[number]
const storeOf = (tracker: Tracker) => tracker.host.capability<TrackerStore>(TRACKER_STORE)
const rowsNow = async (store: TrackerStore, feature: Tracked) =>
  (await Array.fromAsync(store.rows('default', feature))).flat()

interface Archive {
  readonly snapshots: readonly TrackerSnapshot[]
  readonly rows: readonly (TrackerRow & TrackerSpan)[]
}

/** The export does the same. */
async function archiveOf(store: TrackerStore, feature: Tracked): Promise<Archive> {
  const revision = await store.revision('default', feature)
  const rows = (await Array.fromAsync(store.rows('default', feature, revision))).flat()
  const pages = await Array.fromAsync(store.versions('default', feature, revision))
  const versions = pages.flatMap((page) => page.rows)
  const from = new Map(versions.flatMap((one) => (one.to === undefined ? [[one.key, one.from]] : [])))
  const gone = versions.flatMap(({ item, ...one }) => (item === undefined ? [] : [{ ...one, item }]))
  const current = rows.map((row) => ({ ...row, from: from.get(row.key) ?? 0 }))
  return { snapshots: pages[0]?.snapshots ?? [], rows: [...gone, ...current] }
}

async function importInto(store: TrackerStore, feature: Tracked, { snapshots, rows }: Archive) {
  const id = await store.beginImport('default', [feature], { [feature]: snapshots })
  for (let at = 0; at < rows.length; at += 3) await store.addToImport(id, feature, rows.slice(at, at + 3))
  return store.endImport(id)
}

/** The content that each snapshot restores, and the current content. */
async function statesOf(store: TrackerStore, feature: Tracked): Promise<object> {
  const now = await rowsNow(store, feature)
  const names = (await store.snapshots('default', feature)).map(({ name, atMs }) => ({ name, atMs }))
  const states: Record<string, unknown> = {}
  for (const { name } of names) {
    await store.restore('default', feature, name)
    states[name] = (await rowsNow(store, feature)).sort((a, b) => (a.key < b.key ? -1 : 1))
  }
  return { now, names, states }
}

const item = (feature: Tracked, id: number, value: number): Item => {
  const title = { type: 'movie' as const, title: `Film ${id}`, ids: { tmdb: String(id) } }
  if (feature === 'history') return { ...title, watched: true, watched_at: `2026-07-0${1 + value}T00:00:00Z` }
  if (feature === 'ratings') return { ...title, rating: 1 + value, rated_at: '2026-07-01T00:00:00Z' }
  if (feature === 'progress') return { ...title, progress_ms: 60_000 * (1 + value), duration_ms: 6_000_000 }
  return title
}

type Step =
  | { readonly do: 'write'; readonly op: 'add' | 'remove'; readonly ids: readonly number[]; readonly value: number }
  | { readonly do: 'restore'; readonly which: number }
  | { readonly do: 'clear' | 'tidy' | 'again' }

/** Names of snapshots are times. */
const anotherTime = () => sleep(20)

async function live(tracker: Tracker, feature: Tracked, step: Step): Promise<void> {
  const store = storeOf(tracker)
  switch (step.do) {
    case 'restore': {
      const snapshots = await store.snapshots('default', feature)
      const one = snapshots[step.which % Math.max(1, snapshots.length)]
      if (one !== undefined) await store.restore('default', feature, one.name)
      break
    }
    case 'clear':
      await store.clear('default', { features: [feature], rows: true, snapshots: false })
      break
    case 'again':
      // Its own archive, imported into itself.
      await importInto(store, feature, await archiveOf(store, feature))
      break
    case 'tidy':
      await sql`update tracker__rows set removed_at_ms = removed_at_ms - ${31 * 86_400_000}`.execute(tracker.host.db)
      await tracker.host.runJob('tidy')
      break
    case 'write': {
      const items = step.ids.map((id) => item(feature, id, step.value))
      await tracker.write(feature, step.op, items, { plays: feature === 'history' })
    }
  }
  // The next change creates a snapshot again: a minute passes.
  await sql`update tracker__snapshots set at_ms = at_ms - 61000`.execute(tracker.host.db)
}

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('write' as const),
      op: fc.constantFrom('add' as const, 'remove' as const),
      ids: fc.uniqueArray(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 4 }),
      value: fc.integer({ min: 0, max: 4 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('restore' as const), which: fc.nat(5) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('clear' as const, 'tidy' as const, 'again' as const) }) },
)

t.test('property: snapshots are exported and imported with their content', async () => {
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...FEATURES), fc.array(step, { maxLength: 14 }), async (feature, life) => {
      await using one = await startTracker()
      await using other = await startTracker()
      for (const next of life) await live(one, feature, next)
      const [from, to] = [storeOf(one), storeOf(other)]
      const archive = await archiveOf(from, feature)
      const { snapshots, rows } = await importInto(to, feature, archive)
      fc.pre(archive.rows.length > 0 || archive.snapshots.length > 0)
      if (snapshots[feature] !== archive.snapshots.length || rows[feature] !== (await rowsNow(from, feature)).length)
        throw new Error('something was left out')
      t.strictSame(await archiveOf(to, feature), archive, 'exported again it is the same')
      t.strictSame(await statesOf(to, feature), await statesOf(from, feature))
    }),
    { numRuns: runsOf(40) },
  )
})

t.test('an import into a tracker that has snapshots keeps them, and the same archive twice adds none', async (t) => {
  await using one = await startTracker()
  await using other = await startTracker()
  for (const ids of [[1, 2], [3], [4]]) await live(one, 'watchlist', { do: 'write', op: 'add', ids, value: 0 })
  await live(one, 'watchlist', { do: 'write', op: 'remove', ids: [1], value: 0 })
  await anotherTime()
  for (const ids of [[5], [6]]) await live(other, 'watchlist', { do: 'write', op: 'add', ids, value: 0 })
  const [from, to] = [storeOf(one), storeOf(other)]
  const own = await to.snapshots('default', 'watchlist')
  const archive = await archiveOf(from, 'watchlist')
  t.equal(archive.snapshots.length, 3)
  t.match(await importInto(to, 'watchlist', archive), { rows: { watchlist: 3 }, snapshots: { watchlist: 3 } })
  t.match(await importInto(to, 'watchlist', archive), { rows: { watchlist: 3 }, snapshots: { watchlist: 0 } })
  const names = (await to.snapshots('default', 'watchlist')).map(({ name }) => name)
  for (const { name } of [...own, ...archive.snapshots]) t.equal(names.filter((one) => one === name).length, 1, name)
  const titles = async () => (await rowsNow(to, 'watchlist')).map((row) => row.item.title).sort()
  await to.restore('default', 'watchlist', own[0]!.name)
  t.strictSame(await titles(), ['Film 5'], 'its own')
  await to.restore('default', 'watchlist', archive.snapshots[1]!.name)
  t.strictSame(await titles(), ['Film 1', 'Film 2', 'Film 3'], 'an imported one')
})

t.test('imported snapshots stay for a week regardless of the limits, and displace none of the own ones', async (t) => {
  await using one = await startTracker()
  await using other = await startTracker({ max_snapshots: 2, retention_days: 30 })
  for (const ids of [[1], [2], [3], [4]]) await live(one, 'ratings', { do: 'write', op: 'add', ids, value: 1 })
  await sql`update tracker__snapshots set at_ms = at_ms - ${400 * 86_400_000}`.execute(one.host.db)
  const to = storeOf(other)
  const names = async () => (await to.snapshots('default', 'ratings')).map(({ name }) => name)
  await anotherTime()
  for (const ids of [[5], [6]]) await live(other, 'ratings', { do: 'write', op: 'add', ids, value: 1 })
  const archive = await archiveOf(storeOf(one), 'ratings')
  await importInto(to, 'ratings', archive)
  for (const id of [7, 8, 9, 10]) await live(other, 'ratings', { do: 'write', op: 'add', ids: [id], value: 1 })
  await other.host.runJob('tidy')
  const kept = await names()
  t.ok(
    archive.snapshots.every(({ name }) => kept.includes(name)),
    'all of them',
  )
  t.equal(kept.length, archive.snapshots.length + 2)
  await to.restore('default', 'ratings', archive.snapshots[0]!.name)
  t.strictSame(
    (await rowsNow(to, 'ratings')).map((row) => row.item.title),
    ['Film 1'],
  )
  await sql`update tracker__snapshots set kept_until_ms = 1 where kept_until_ms is not null`.execute(other.host.db)
  await other.host.runJob('tidy')
  const left = await names()
  t.notOk(archive.snapshots.some(({ name }) => left.includes(name)))
})

t.test('an impossible period refuses the import, and leaves nothing behind', async (t) => {
  await using tracker = await startTracker()
  const store = storeOf(tracker)
  const snapshots = [
    { name: 'a', atMs: 1 },
    { name: 'b', atMs: 2 },
  ]
  const row = { key: 'k', item: item('watchlist', 1, 0) }
  const attacks: Readonly<Record<string, readonly (TrackerRow & Partial<TrackerSpan>)[]>> = {
    'an end before its begin': [{ ...row, from: 1, to: 1 }],
    'a snapshot that is not there': [{ ...row, from: 0, to: 3 }],
    'a negative one': [{ ...row, from: -1, to: 1 }],
    'half of one': [{ ...row, from: 0.5, to: 1 }],
    'a key twice in one snapshot': [
      { ...row, from: 0, to: 2 },
      { ...row, from: 1 },
    ],
    'a key twice now': [row, row],
  }
  for (const [what, rows] of Object.entries(attacks)) {
    const id = await store.beginImport('default', ['watchlist'], { watchlist: snapshots })
    await t.rejects(store.addToImport(id, 'watchlist', rows), { code: 'PLH_INVALID', wire: 'invalid_import' }, what)
  }
  for (const table of ['tracker__rows', 'tracker__tokens', 'tracker__snapshots'])
    t.strictSame(await tracker.host.db.selectFrom(table).selectAll().execute(), [], table)
})

t.test('rows cleared during the export end the export', async (t) => {
  await using tracker = await startTracker()
  const store = storeOf(tracker)
  for (const ids of [[1], [2], [3]]) await live(tracker, 'watchlist', { do: 'write', op: 'add', ids, value: 0 })
  const revision = await store.revision('default', 'watchlist')
  const reading = [store.rows('default', 'watchlist', revision), store.versions('default', 'watchlist', revision)].map(
    (pages) => pages[Symbol.asyncIterator](),
  )
  for (const pages of reading) await pages.next()
  await store.clear('default', { features: ['watchlist'], rows: true, snapshots: true })
  for (const pages of reading)
    await t.rejects(
      (async () => {
        while ((await pages.next()).done !== true);
      })(),
      { code: 'PLH_CONFLICT', wire: 'changed_since_load' },
    )
})
