// Each rule just below its limit, where it finds nothing, and just above it.
import t from 'tap'
import type { AnalyzerAccount, Item } from '@playhead/sdk'
import { passOver } from './pass.ts'
import { episode, film } from './world.ts'

const NOW = Date.UTC(2026, 5, 1)
const [SECOND, DAY] = [1_000, 86_400_000]
const iso = (ms: number) => `${new Date(ms).toISOString().slice(0, 19)}Z`
const day = (ms: number) => iso(ms).slice(0, 10)
const at = (id: number, ms: number, more: Partial<Item> = {}) => film(id, { watched_at: iso(ms), ...more })
const times = (count: number, make: (index: number) => Item) => Array.from({ length: count }, (_, index) => make(index))

const found = async (type: string, input: Parameters<typeof passOver>[0]) =>
  (await passOver({ nowMs: NOW, ...input })).of(type)
const ofHistory = async (type: string, ...items: readonly Item[]) =>
  (await found(type, { rows: { 'A history': items }, released: { 'movie 1': '2025-06-01' } })).length

t.test('a time in the future: more than a day', async (t) => {
  t.equal(await ofHistory('time_in_future', at(2, NOW + DAY)), 0)
  t.equal(await ofHistory('time_in_future', at(2, NOW + DAY + SECOND)), 1)
})

t.test('watched before the release: more than 60 days, or before the year before its year', async (t) => {
  const released = Date.UTC(2025, 5, 1)
  t.equal(await ofHistory('watched_before_release', at(1, released - 60 * DAY)), 0)
  t.equal(await ofHistory('watched_before_release', at(1, released - 60 * DAY - SECOND)), 1)
  t.equal(await ofHistory('watched_before_release', at(2, Date.UTC(2009, 0, 1), { year: 2010 })), 0)
  t.equal(await ofHistory('watched_before_release', at(2, Date.UTC(2009, 0, 1) - SECOND, { year: 2010 })), 1)
})

t.test('many at one second: ten rows of three works', async (t) => {
  const ms = Date.UTC(2024, 0, 1)
  const films = (count: number) => times(count, (index) => at(index + 1, ms))
  const parts = (count: number) => times(count, (index) => episode(99, 1, index + 1, { watched_at: iso(ms) }))
  t.equal(await ofHistory('many_at_once', ...films(9)), 0)
  t.equal(await ofHistory('many_at_once', ...films(10)), 1)
  t.equal(await ofHistory('many_at_once', ...films(1), ...parts(20)), 0)
  t.equal(await ofHistory('many_at_once', ...parts(8), ...films(2)), 1)
  t.equal(await ofHistory('many_at_once', ...films(9), at(10, ms + SECOND)), 0)
})

t.test('dates that conflict: more than a day apart, of a day more than it lasts', async (t) => {
  const conflicts = async (a: string, b: string) => {
    const rows = { 'A history': [film(1, { watched_at: a })], 'B history': [film(1, { watched_at: b })] }
    return (await found('date_conflict', { rows, pairs: ['A B'] })).length
  }
  const ms = Date.UTC(2025, 2, 1, 12)
  t.equal(await conflicts(iso(ms), iso(ms + DAY)), 0)
  t.equal(await conflicts(iso(ms), iso(ms + DAY + SECOND)), 2)
  const midnight = Date.UTC(2025, 2, 1)
  t.equal(await conflicts(day(midnight), day(midnight + 2 * DAY)), 0)
  t.equal(await conflicts(day(midnight), day(midnight + 3 * DAY)), 2)
  t.equal(await conflicts(day(midnight), iso(midnight + 2 * DAY)), 0)
  t.equal(await conflicts(day(midnight), iso(midnight + 2 * DAY + SECOND)), 2)
})

t.test('an account without a read: more than seven days', async (t) => {
  const rows = { 'A watchlist': [film(1)], 'B watchlist': [film(1)] }
  const { result } = await passOver({ rows, pairs: ['A B'], nowMs: NOW })
  for (const [apart, count] of [
    [7 * DAY, 0],
    [7 * DAY + 1, 2],
  ] as const) {
    const world = { nowMs: NOW + apart, holdings: result.order.world.holdings }
    t.equal((await found('stale_baseline', { rows, pairs: ['A B'], world })).length, count)
    t.equal((await found('stale_baseline', { rows, world })).length, 0, 'without a pair it is not read')
  }
})

t.test('a signed-out account is a note; without rows, or signed in, it is nothing', async (t) => {
  const rows = { 'A watchlist': [film(1)] }
  const { result } = await passOver({ rows, nowMs: NOW })
  const [own] = result.order.world.accounts as [AnalyzerAccount]
  const orphans = (account: Partial<AnalyzerAccount>, count: number) => {
    const changed = { ...own, ...account }
    const held = { account: changed, feature: 'watchlist' as const, count, readAtMs: NOW }
    // The provider has another profile.
    return found('orphan_instance', {
      rows,
      world: { accounts: [changed, { ...own, instance: 'A-P02' }], holdings: [held] },
    })
  }
  t.match(await orphans({ isConfigured: false }, 1), [{ severity: 'info', fields: { count: 1 } }])
  t.match(await orphans({ isConfigured: false, exists: false }, 1), [{ severity: 'warn' }])
  t.same(await orphans({ isConfigured: false }, 0), [])
  t.same(await orphans({}, 1), [])
})

t.test(
  'the shows of two histories: a warning from ten that one side lacks, or one and a half times as many',
  async (t) => {
    const watched = (show: number) => episode(show, 1, 1, { watched_at: '2025-01-01T00:00:00Z' })
    const severity = async (both: number, onlyA: number) => {
      const rows = { 'A history': times(both + onlyA, watched), 'B history': times(both, watched) }
      const [first] = await found('history_show_normalization', { rows, pairs: ['A B'] })
      return first?.severity
    }
    t.same([await severity(100, 9), await severity(100, 10)], ['info', 'warn'])
    t.same([await severity(5, 2), await severity(4, 2)], ['info', 'warn'])
    t.equal(await severity(5, 0), undefined)
  },
)
