// Ratings: the decision table, scope, and options.
import t from 'tap'
import fc from '../../fast-check.ts'
import type { Group, Item } from '@playhead/sdk'
import { createRatings } from '../../../plugins/features/ratings/policy.ts'
import { rulesOf, type Case } from '../../sdk/sync/tables.ts'
import { decide, HOUR, NOW, rowOf, SUPPORT } from '../../sdk/sync/worlds.ts'

const ratings = createRatings(() => NOW)
const LAST_RUN = NOW - 5 * HOUR

/** `8` or `8@-3`: the rating, and the hour of the rating. */
function rated(text: string): Item | null {
  if (text === '-') return null
  const [rating, hour] = text.split('@')
  return {
    type: 'movie',
    ids: { tmdb: '949' },
    rating: Number(rating),
    ...(hour === undefined ? {} : { rated_at: `${new Date(NOW + Number(hour) * HOUR).toISOString().slice(0, 19)}Z` }),
  }
}

/** Base values and current values, A before B; `-` is none, `?` unknown. */
function group(base: string, now: string): Group {
  const [baseA, baseB] = base.split(' ').map((text) => (text === '-' ? null : { value: text, seenAtMs: LAST_RUN }))
  const [a, b] = now
    .split(' ')
    .map((text) => (text === '?' ? null : rated(text)))
    .map((item) => (item === null ? null : rowOf('ratings', item)))
  const presence = (index: number) =>
    now.split(' ')[index] === '?' ? 'unknown' : now.split(' ')[index] === '-' ? 'absent' : 'present'
  return {
    key: 'movie:tmdb:949',
    a: a!,
    b: b!,
    presenceA: presence(0),
    presenceB: presence(1),
    base: base === '- -' ? null : { a: baseA!, b: baseB!, pendingA: null, pendingB: null, settled: null },
  }
}

function decided(base: string, now: string, rules: Partial<Case> & { mode: Case['mode'] }): string {
  const { ops, state, hold } = decide(
    'ratings',
    group(base, now),
    rulesOf({ remove: true, ...rules, options: { mode: 'all', ...rules.options } }),
  )
  if (ops.length > 0) return ops.map(({ side, op, value }) => `${op} ${side} ${value}`.trim()).join(', ')
  return hold === true ? 'hold' : state
}

const TWO = { mode: 'two_way' } as const
const ONE = { mode: 'one_way' } as const
const TABLE: readonly (readonly [
  what: string,
  base: string,
  now: string,
  rules: Partial<Case> & { mode: Case['mode'] },
  wanted: string,
])[] = [
  ['only A is rated', '- -', '8 -', TWO, 'add b 8'],
  ['only A is rated', '- -', '8 -', ONE, 'add b 8'],
  ['only B is rated', '- -', '- 8', TWO, 'add a 8'],
  ['only B is rated', '- -', '- 8', ONE, 'none'],
  ['both are rated, the newer one wins', '- -', '8@-9 6@-8', TWO, 'update a 6'],
  [
    'both are rated, without times the source of truth wins',
    '- -',
    '8 6',
    { ...TWO, sourceOfTruth: 'b' },
    'update a 6',
  ],
  ['both are rated, without times A wins', '- -', '8 6', TWO, 'update b 8'],
  ['both are rated', '- -', '8@-9 6@-8', ONE, 'update b 8'],
  [
    'both are rated, keeping the newer target',
    '- -',
    '8@-9 6@-8',
    { ...ONE, options: { keep_newer_target: true } },
    'diverged',
  ],
  ['only A changed', '8 8', '9 8', TWO, 'update b 9'],
  ['only A changed', '8 8', '9 8', ONE, 'update b 9'],
  ['only B changed', '8 8', '8 6', TWO, 'update a 6'],
  ['only B changed, later', '8 8', '8@-9 6@-1', ONE, 'diverged'],
  ['only B changed, nobody knows when', '8 8', '8 6', ONE, 'diverged'],
  ['only B changed, to what was given earlier', '8 8', '8@-2 6@-9', ONE, 'update b 8'],
  [
    'only B changed, the source always wins',
    '8 8',
    '8@-9 6@-1',
    { ...ONE, options: { source_always_wins: true } },
    'update b 8',
  ],
  ['both changed to the same', '8 8', '6 6', TWO, 'linked'],
  ['both changed, the newer one wins', '8 8', '9@-3 6@-2', TWO, 'update a 6'],
  ['both changed at once, the source of truth wins', '8 8', '9@-3 6@-3', { ...TWO, sourceOfTruth: 'b' }, 'update a 6'],
  ['both changed at once, A wins', '8 8', '9@-3 6@-3', TWO, 'update b 9'],
  ['both changed', '8 8', '9@-3 6@-2', ONE, 'update b 9'],
  ['both changed, only one time is known and lies after the last run', '8 8', '9 6@-2', TWO, 'update a 6'],
  ['both changed, only one time is known and lies before the last run', '8 8', '9 6@-8', TWO, 'update b 9'],
  ['A is no longer rated', '8 8', '- 8', TWO, 'remove b'],
  ['A is no longer rated', '8 8', '- 8', ONE, 'remove b'],
  ['A is no longer rated, removals off', '8 8', '- 8', { ...TWO, remove: false }, 'diverged'],
  ['A is no longer rated, removals off', '8 8', '- 8', { ...ONE, remove: false }, 'diverged'],
  ['A is no longer rated, B changed', '8 8', '- 9', TWO, 'add a 9'],
  ['A is no longer rated, B changed', '8 8', '- 9', ONE, 'diverged'],
  ['A is no longer rated, B was rated the same again', '8 8', '- 8@-1', TWO, 'add a 8'],
  ['B is no longer rated', '8 8', '8 -', TWO, 'remove a'],
  ['B is no longer rated', '8 8', '8 -', ONE, 'add b 8'],
  ['A is unknown', '8 8', '? 9', TWO, 'hold'],
  ['B is unknown', '8 8', '9 ?', ONE, 'hold'],
  ['A is unknown, B gone', '8 8', '? -', TWO, 'hold'],
  ['neither is rated any more', '8 8', '- -', TWO, 'none'],
  ['different as they always were', '7 8', '7 8', TWO, 'linked'],
]

for (const [what, base, now, rules, wanted] of TABLE) {
  t.test(
    `${rules.mode} ${JSON.stringify({ ...rules, mode: undefined })}: ${what} (${base} to ${now}) becomes ${wanted}`,
    async (t) => {
      t.equal(decided(base, now, rules), wanted)
    },
  )
}

t.test(
  'P30 a change on exactly one side reaches the other, for any times, unless the other was rated again',
  async (t) => {
    const hour = fc.option(fc.integer({ min: -99, max: 99 }), { nil: undefined })
    // The last run was five hours before.
    const known = fc.option(fc.integer({ min: -99, max: -5 }), { nil: undefined })
    const rating = fc.integer({ min: 1, max: 10 })
    fc.assert(
      fc.property(rating, rating, known, hour, fc.constantFrom('a', 'b'), (before, after, was, at, side) => {
        fc.pre(before !== after)
        const text = (value: number, of: number | undefined) => (of === undefined ? String(value) : `${value}@${of}`)
        const now = side === 'a' ? `${text(after, at)} ${text(before, was)}` : `${text(before, was)} ${text(after, at)}`
        return decided(`${before} ${before}`, now, TWO) === `update ${side === 'a' ? 'b' : 'a'} ${after}`
      }),
    )
    t.equal(decided('5 5', '5@-1 8@-2', TWO), 'update b 5', 'the later act')
    t.equal(decided('5 5', '5@-2 8@-1', TWO), 'update a 8')
    t.equal(decided('5 5', '5@-1 8', TWO), 'update a 8', 'a time that cannot be compared proves nothing')
  },
)

t.test('only_new records existing ratings in the first run and syncs later changes', async (t) => {
  const options = { mode: 'only_new' }
  for (const mode of ['one_way', 'two_way'] as const) {
    t.equal(decided('- -', '8 -', { mode, options, firstRun: true }), 'linked')
    t.equal(decided('- -', '8 6', { mode, options, firstRun: true }), 'linked')
    t.equal(decided('8 -', '8 -', { mode, options }), 'none', 'recorded, unchanged')
    t.equal(decided('8 -', '9 -', { mode, options }), 'add b 9')
    t.equal(decided('8 6', '8 6', { mode, options }), 'linked')
    t.equal(decided('8 6', '9 6', { mode, options }), 'update b 9')
    t.equal(decided('- -', '8 -', { mode, options }), 'add b 8', 'rated after the first run')
  }
  t.equal(decided('8 8', '8 -', { ...ONE, options }), 'diverged')
})

t.test('a rating that the service rounds is linked, and nothing is written again', async (t) => {
  const written = (now: string): Group => {
    const given = group('7 -', now)
    return { ...given, base: { ...given.base!, pendingB: { op: 'add', value: '7', atMs: LAST_RUN } } }
  }
  const decide1 = (now: string) => {
    const { ops, over, hold, state } = decide(
      'ratings',
      written(now),
      rulesOf({ mode: 'two_way', remove: true, options: { mode: 'all' } }),
    )
    return { ops: ops.map(({ side, op, value }) => `${op} ${side} ${value}`), over, hold, state }
  }
  t.match(decide1('7 8'), { ops: [], over: ['b'], state: 'linked' })
  t.match(decide1('7 9'), { ops: ['update a 9'], over: ['b'] }, 'too far off to be rounding')
  t.match(decide1('7 8@-1'), { ops: ['update a 8'], over: ['b'] }, 'rated after the write')
  t.match(decide1('7 -'), { ops: [], hold: true })
})

t.test('only the selected kinds are in scope', async (t) => {
  const shapeOf = (options: object, item: Partial<Item>) =>
    ratings.shape([{ type: 'movie', ids: {}, rating: 8, ...item }], {
      options: ratings.normalize({ ...options }),
      mode: 'one_way',
      support: { a: SUPPORT, b: SUPPORT },
      playsAllowed: true,
      side: 'a',
      nowMs: NOW,
    })[0]
  t.same(shapeOf({}, {}), { value: '8' })
  t.same(shapeOf({}, { rating: undefined }), { skip: 'not_rated' })
  t.same(shapeOf({}, { type: 'episode' }), { skip: 'out_of_scope' })
  t.match(shapeOf({ types: 'all' }, { type: 'episode' }), { value: '8' })
  const from = { mode: 'from_date', from_date: '2026-06-01' }
  t.same(shapeOf(from, { rated_at: '2026-05-31T23:59:59Z' }), { skip: 'before_from_date' })
  t.same(shapeOf(from, { rated_at: '2026-06-01' }), { value: '8', evidenceMs: Date.UTC(2026, 5, 1) })
  t.same(shapeOf(from, {}), { value: '8' }, 'a rating without a time passes')
  t.same(shapeOf({}, { transient: true }), { skip: 'transient' })
  const kinds = (types: unknown) =>
    ratings.compare({
      options: ratings.normalize({ types }),
      mode: 'one_way',
      support: { a: SUPPORT, b: SUPPORT },
      playsAllowed: true,
    }).kinds
  t.same(kinds(['episodes', 'movies', 'books']), ['movie', 'episode'])
  t.equal(kinds(['all']), undefined)
})

t.test('options are normalized', async (t) => {
  const {
    enabled,
    add,
    remove,
    types,
    mode,
    from_date: from,
  } = ratings.normalize({ enable: 'off', add: 'no', remove: 1, types: ['Shows', 'movies', 'x'] })
  t.same(
    { enabled, add, remove, types, mode, from },
    { enabled: false, add: false, remove: true, types: ['movies', 'shows'], mode: 'only_new', from: '' },
  )
  t.match(ratings.normalize({ enabled: true, enable: false }), { enabled: true })
  t.match(ratings.normalize({ mode: 'from_date', fromDate: '2026-06-01T10:00:00Z' }), {
    mode: 'from_date',
    from_date: '2026-06-01',
  })
  t.match(
    ratings.normalize({ mode: 'from_date', from_date: '2027-01-01' }),
    { mode: 'only_new', from_date: '' },
    'the future',
  )
  t.match(ratings.normalize({ mode: 'from_date', from_date: 'soon' }), { mode: 'only_new', from_date: '' })
  t.match(ratings.normalize({ mode: 'all', from_date: '2026-06-01' }), { mode: 'all', from_date: '' })
  t.throws(() => ratings.normalize({ add: 'perhaps', mode: 'some' }), {
    code: 'PLH_INVALID',
    details: { problems: [{ option: 'add' }, { option: 'mode' }] },
  })
  const once = ratings.normalize({
    types: 'all',
    mode: 'from_date',
    from_date: '2026-06-01',
    libraries: { mediaa: ['1', '1', ''] },
  })
  t.same(ratings.normalize(once), once, 'a second time changes nothing')
  t.match(once, { libraries: { MEDIAA: ['1'] } })
})
