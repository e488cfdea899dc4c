// The presence table, row by row, and its exceptions.
import t from 'tap'
import { createTable } from './tables.ts'
import { HOUR, NOW, SUPPORT } from './worlds.ts'

const WANTED = [
  // seen on A, on B; now on A, on B; two-way with removals on, off; one-way with removals on, off
  ['n n 1 0', 'add b', 'add b', 'add b', 'add b'],
  ['n n 0 1', 'add a', 'add a', 'none', 'none'],
  ['n n 1 1', 'linked', 'linked', 'linked', 'linked'],
  ['n n 0 0', 'none', 'none', 'none', 'none'],
  ['y y 1 1', 'linked', 'linked', 'linked', 'linked'],
  ['y y 0 1', 'remove b', 'diverged', 'remove b', 'none'],
  ['y y 1 0', 'remove a', 'diverged', 'add b', 'add b'],
  ['y y 0 0', 'none', 'none', 'none', 'none'],
  ['y n 1 0', 'add b', 'add b', 'add b', 'add b'],
  ['y n 0 1', 'add a', 'add a', 'none', 'none'],
  ['y n 0 0', 'none', 'none', 'none', 'none'],
  ['y n 1 1', 'linked', 'linked', 'linked', 'linked'],
  ['n y 0 1', 'add a', 'add a', 'none', 'none'],
  ['n y 1 0', 'add b', 'add b', 'add b', 'add b'],
  ['n y 0 0', 'none', 'none', 'none', 'none'],
  ['n y 1 1', 'linked', 'linked', 'linked', 'linked'],
  ...['n n', 'y n', 'n y', 'y y'].flatMap((seen) =>
    ['? 1', '? 0', '1 ?', '? ?'].map((now) => [`${seen} ${now}`, 'hold', 'hold', 'hold', 'hold']),
  ),
] as const
const COLUMNS = [
  { mode: 'two_way', remove: true },
  { mode: 'two_way', remove: false },
  { mode: 'one_way', remove: true },
  { mode: 'one_way', remove: false },
] as const

for (const name of ['watchlist', 'history'] as const) {
  const { group, decided } = createTable(name)
  for (const [when, ...wanted] of WANTED) {
    t.test(`${name}: ${when} becomes ${wanted.join(' | ')}`, async (t) => {
      for (const [column, rules] of COLUMNS.entries())
        t.equal(decided(group(when!), rules), wanted[column], JSON.stringify(rules))
    })
  }

  t.test(
    `${name}: P26 newer evidence on the remaining side restores the item in two-way pairs and keeps it in one-way pairs`,
    async (t) => {
      const later = { evidenceMs: NOW - HOUR }
      t.equal(decided(group('y y 0 1', { b: later }), { mode: 'two_way', remove: true }), 'add a')
      t.equal(decided(group('y y 0 1', { b: later }), { mode: 'two_way', remove: false }), 'add a')
      t.equal(decided(group('y y 1 0', { a: later }), { mode: 'two_way', remove: true }), 'add b')
      t.equal(decided(group('y y 0 1', { b: later }), { mode: 'one_way', remove: true }), 'diverged')
      const earlier = { evidenceMs: NOW - 20 * HOUR }
      t.equal(decided(group('y y 0 1', { b: earlier }), { mode: 'two_way', remove: true }), 'remove b')
    },
  )

  t.test(`${name}: P17 a mirror removes items that only the target ever had, once that was confirmed`, async (t) => {
    const mirror = { mode: 'one_way', remove: true, removeMode: 'mirror' } as const
    t.equal(decided(group('n y 0 1'), mirror), 'none report')
    t.equal(decided(group('n y 0 1'), { ...mirror, mirrorApproved: true }), 'remove b')
    t.equal(decided(group('n n 0 1'), { ...mirror, mirrorApproved: true }), 'remove b')
    t.equal(decided(group('n n 0 1'), { ...mirror, mirrorApproved: true, firstRun: true }), 'none')
    t.equal(
      decided(group('n n 0 1'), { ...mirror, mirrorApproved: true, mayProveAbsence: { a: false, b: true } }),
      'hold',
    )
    t.equal(decided(group('n n 0 1'), { ...mirror, mirrorApproved: true, remove: false }), 'none')
    t.equal(decided(group('y n 0 1'), { ...mirror, mirrorApproved: true }), 'hold')
    t.equal(decided(group('n n ? 1'), { ...mirror, mirrorApproved: true }), 'hold')
  })

  t.test(`${name}: without removals a deleted item is restored on request`, async (t) => {
    const restoring = { mode: 'two_way', remove: false, restoreDeleted: true } as const
    t.equal(decided(group('y y 0 1'), restoring), 'add a')
    t.equal(decided(group('y y 1 0'), restoring), 'add b')
  })

  t.test(`${name}: an unknown target is only written to when that is harmless and it never had the item`, async (t) => {
    const harmless = {
      mode: 'one_way',
      remove: true,
      support: { a: SUPPORT, b: { ...SUPPORT, idempotentAdd: true } },
    } as const
    t.equal(decided(group('n n 1 ?'), harmless), 'add b')
    t.equal(decided(group('y n 1 ?'), harmless), 'add b')
    t.equal(decided(group('y y 1 ?'), harmless), 'hold')
    t.equal(decided(group('n n 1 ?'), { ...harmless, mode: 'two_way' }), 'hold')
  })

  t.test(`${name}: a divergence ends when removals are turned on, and one that an undo left does not`, async (t) => {
    const value = group('y y 0 1').b!.value
    const left = (reason?: string) =>
      group('y y 0 1', { settled: { a: null, b: value, ...(reason === undefined ? {} : { reason }) } })
    t.equal(decided(left('removals_off'), { mode: 'two_way', remove: false }), 'diverged')
    t.equal(decided(left('removals_off'), { mode: 'two_way', remove: true }), 'remove b')
    t.equal(decided(left(), { mode: 'two_way', remove: true }), 'diverged')
    t.equal(decided(group('y y 1 1', { settled: { a: null, b: value } }), { mode: 'two_way', remove: true }), 'linked')
  })

  t.test(`${name}: pending own writes are awaited, and their end is reported`, async (t) => {
    const two = { mode: 'two_way', remove: true } as const
    const pending = (op: 'add' | 'remove') => ({ op, value: '', atMs: NOW - 2 * HOUR })
    t.equal(decided(group('y n 1 0', { pendingB: pending('add') }), two), 'hold')
    t.equal(decided(group('y n 1 1', { pendingB: pending('add') }), two), 'linked over b')
    t.equal(
      decided(group('y n 0 1', { pendingB: pending('add') }), two),
      'hold over b',
      'it appears while the source lost it',
    )
    t.equal(decided(group('y y 0 1', { pendingB: pending('remove') }), two), 'hold')
    t.equal(decided(group('y y 0 0', { pendingB: pending('remove') }), two), 'none over b')
    t.equal(
      decided(group('y y 0 1', { pendingB: pending('remove'), b: { evidenceMs: NOW - HOUR } }), two),
      'add a over b',
      'added again since',
    )
    t.equal(decided(group('y y 1 0', { pendingB: pending('remove') }), two), 'add b over b', 'the source has it again')
  })
}
