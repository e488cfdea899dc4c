// The history: items or plays, times that are copied or kept, and removals of exactly one play.
import t from 'tap'
import fc from '../../fast-check.ts'
import type { ComparingInput, FeatureSupport, Item } from '@playhead/sdk'
import { createHistory } from '../../../plugins/features/history/policy.ts'
import { createTable, rulesOf } from '../../sdk/sync/tables.ts'
import { decide, HOUR, NOW, rowOf, SUPPORT } from '../../sdk/sync/worlds.ts'

const history = createHistory()
const PLAYS: FeatureSupport = { ...SUPPORT, plays: { read: true, write: true, removeOne: true } }
const READ_ONLY: FeatureSupport = {
  ...SUPPORT,
  plays: { read: true, write: false, removeOne: false, roundsToMinutes: true },
}

function input(
  rewatches: boolean,
  mode: ComparingInput['mode'],
  a: FeatureSupport,
  b: FeatureSupport,
  playsAllowed = true,
): ComparingInput {
  return { options: history.normalize({ rewatches }), mode, support: { a, b }, playsAllowed }
}

t.test('plays are compared one by one only if both sides support it in the required directions', async (t) => {
  const identity = (given: ComparingInput) => history.compare(given).identity
  t.equal(identity(input(true, 'two_way', PLAYS, PLAYS)), 'play')
  t.equal(identity(input(false, 'two_way', PLAYS, PLAYS)), 'item')
  t.equal(identity(input(true, 'two_way', READ_ONLY, PLAYS)), 'item')
  t.equal(identity(input(true, 'one_way', READ_ONLY, PLAYS)), 'play')
  t.equal(identity(input(true, 'one_way', PLAYS, READ_ONLY)), 'item')
  t.equal(identity(input(true, 'one_way', PLAYS, SUPPORT)), 'item')
  t.equal(identity(input(true, 'one_way', PLAYS, PLAYS, false)), 'item')
  t.equal(history.compare(input(true, 'one_way', READ_ONLY, PLAYS)).toleranceMs, 60_000)
  t.equal(history.compare(input(true, 'one_way', PLAYS, PLAYS)).toleranceMs, 1_000)
  t.not(
    history.compare(input(true, 'two_way', PLAYS, PLAYS)).variant,
    history.compare(input(false, 'two_way', PLAYS, PLAYS)).variant,
  )
})

t.test('P28 a row without the time of watching is skipped, and no time is invented', async (t) => {
  const shape = (watchedAt: string | undefined, rewatches = false) =>
    history.shape(
      [{ type: 'movie', ids: {}, watched: true, ...(watchedAt === undefined ? {} : { watched_at: watchedAt }) }],
      { ...input(rewatches, 'two_way', PLAYS, PLAYS), side: 'a', nowMs: NOW },
    )[0]
  t.same(shape(undefined), { skip: 'missing_watched_at' })
  const atMs = Date.UTC(2026, 0, 2, 3, 4, 5)
  t.same(shape('2026-01-02T03:04:05.900Z'), { value: String(atMs / 1_000), evidenceMs: atMs + 900, rank: atMs + 900 })
  t.same(shape('2026-01-02T03:04:05Z', true), { value: String(atMs / 1_000), evidenceMs: atMs }, 'plays are not ranked')
  t.match(shape('2026-01-02'), { value: '2026-01-02' })
})

t.test('P29 a written play has the exact time of its source row', async () => {
  const { group } = createTable('history')
  fc.assert(
    fc.property(fc.integer({ min: 1_000_000_000, max: 1_900_000_000 }), fc.boolean(), (seconds, fromA) => {
      const time = `${new Date(seconds * 1_000).toISOString().slice(0, 19)}Z`
      const row = rowOf('history', { type: 'movie', ids: { tmdb: '949' }, watched_at: time })
      const given = group(fromA ? 'n n 1 0' : 'n n 0 1')
      const { ops } = decide(
        'history',
        { ...given, a: fromA ? row : null, b: fromA ? null : row },
        rulesOf({ mode: 'two_way', remove: false }),
      )
      return ops.length === 1 && ops[0]?.item?.watched_at === time
    }),
  )
})

t.test(
  'a newer time is copied only on request, if it is supported, and if it changed since the last run',
  async (t) => {
    const at = (hour: number) =>
      rowOf('history', {
        type: 'movie',
        ids: { tmdb: '949' },
        watched_at: `${new Date(NOW + hour * HOUR).toISOString().slice(0, 19)}Z`,
      } satisfies Item)
    const { group, decided } = createTable('history')
    const asked = { mode: 'two_way', remove: true, options: { update_watched_at: true } } as const
    const newerA = { ...group('y y 1 1'), a: at(-2) }
    t.equal(decided(newerA, asked), 'update b')
    t.equal(decided({ ...group('y y 1 1'), b: at(-2) }, asked), 'update a')
    t.equal(decided(newerA, { ...asked, options: {} }), 'linked')
    t.equal(decided(newerA, { ...asked, support: { a: SUPPORT, b: { ...SUPPORT, update: false } } }), 'none')
    t.equal(decided({ ...group('y y 1 1'), b: at(-2) }, { ...asked, mode: 'one_way' }), 'none')
    t.equal(decided({ ...group('n n 1 1'), a: at(-2) }, asked), 'linked', 'they differed from the start')
    t.equal(decided({ ...group('y y 1 1'), a: at(-20) }, asked), 'linked', 'an older time is no news')
    t.equal(decided(newerA, { ...asked, add: false }), 'hold')
  },
)

t.test(
  'P20 an item with several plays is not removed as a whole, and a play only if it is known exactly',
  async (t) => {
    const { group, decided } = createTable('history')
    const given = { mode: 'two_way', remove: true } as const
    t.equal(decided(group('y y 0 1', { b: { plays: 2 } }), given), 'hold report')
    t.equal(decided(group('y y 0 1', { b: { plays: 1 } }), given), 'remove b')
    t.equal(decided(group('y y 0 1', { b: { plays: 2 } }), { ...given, remove: false }), 'diverged')
    const byPlay = { ...given, identity: 'play', support: { a: PLAYS, b: PLAYS } } as const
    t.equal(decided(group('y y 0 1'), byPlay), 'remove b')
    t.equal(decided(group('y y 0 1'), { ...byPlay, support: { a: PLAYS, b: READ_ONLY } }), 'hold report')
    const keyed = { ...group('y y 0 1'), key: 'movie:tmdb:949@1782900000' }
    t.equal(
      decided(keyed, given),
      'hold report',
      'the key tells that it is a play, and nobody said that one can be removed',
    )
    t.equal(decided(keyed, { ...given, support: { a: PLAYS, b: PLAYS } }), 'remove b')
    const nameless = group('y y 0 1')
    t.equal(
      decided({ ...nameless, b: { ...nameless.b!, item: { ...nameless.b!.item, native: {} } } }, byPlay),
      'hold report',
    )
  },
)

t.test(
  'P13 an item that was watched again, or whose last play was removed, is not removed with the other side',
  async (t) => {
    const { group, decided } = createTable('history')
    const given = group('y y 0 1')
    for (const hour of [-6, -40]) {
      const b = rowOf('history', {
        type: 'movie',
        ids: { tmdb: '949' },
        watched_at: `${new Date(NOW + hour * HOUR).toISOString().slice(0, 19)}Z`,
      })
      t.equal(decided({ ...given, b }, { mode: 'two_way', remove: true }), 'add a')
    }
  },
)

t.test('options: rewatches are off by default, and without mapping nothing is limited to anime', async (t) => {
  t.same(history.normalize({}), { enabled: true, add: true, remove: false, rewatches: false, update_watched_at: false })
  t.match(history.normalize({ rewatches: 'yes', use_anime_mapping: false, anime_only_sync: true }), {
    rewatches: true,
    use_anime_mapping: false,
    anime_only_sync: false,
  })
  t.throws(() => history.normalize({ libraries: ['1'] }), { code: 'PLH_INVALID' })
})
