// Reading options: switches with aliases, and problem reports.
import t from 'tap'
import { oneOf, titledChoice, Type } from '@playhead/sdk'
import {
  AnimeOptions,
  itemToWrite,
  LibraryChoice,
  newerChange,
  newerSide,
  readFeatureOptions,
} from '@playhead/sdk/sync'

const switches = (value: unknown) => readFeatureOptions(Type.Object({}), value)

t.test('a boolean stands for all switches of a feature', async (t) => {
  t.same(switches(true), { enabled: true, add: true, remove: false })
  t.same(switches('off'), { enabled: false, add: false, remove: false })
  t.same(switches({}), { enabled: true, add: true, remove: false })
  t.same(switches(['enabled']), { enabled: true, add: true, remove: false })
})

t.test('enabled takes priority over its older name, and false is never read as true', async (t) => {
  t.equal(switches({ enabled: false }).enabled, false)
  t.equal(switches({ enable: false }).enabled, false)
  t.equal(switches({ enable: false, enabled: true }).enabled, true)
  t.equal(switches({ enable: true, enabled: 'no' }).enabled, false)
})

t.test('the method to detect removals is kept only where it was set', async (t) => {
  t.same(switches({ remove_mode: 'MIRROR', restore_deleted: 1 }), {
    enabled: true,
    add: true,
    remove: false,
    remove_mode: 'mirror',
    restore_deleted: true,
  })
  t.notOk('remove_mode' in switches({ remove_mode: '' }))
  t.throws(() => switches({ remove_mode: 'all', removes: 1 }), {
    code: 'PLH_INVALID',
    message: /remove_mode must be one of source_deletes, mirror/,
  })
})

t.test('the winner is kept in capitals, where it was set', async (t) => {
  t.match(switches({ source_of_truth: ' mediaA ' }), { source_of_truth: 'MEDIAA' })
  t.notOk('source_of_truth' in switches({ source_of_truth: '' }))
})

t.test('libraries and anime switches keep only what is usable', async (t) => {
  const schema = Type.Object({ libraries: Type.Optional(LibraryChoice), ...AnimeOptions })
  const read = (value: unknown) => {
    const { enabled: _enabled, add: _add, remove: _remove, ...own } = readFeatureOptions(schema, value)
    return own
  }
  t.same(read({ libraries: { mediaA: [1, ' 2 ', '1', ''], MEDIAB: [] } }), { libraries: { MEDIAA: ['1', '2'] } })
  t.same(read({ libraries: {} }), {})
  t.throws(() => read({ libraries: ['1'] }), { message: /libraries must be an object of lists by provider/ })
  t.throws(() => read({ libraries: { mediaA: '1' } }), {
    code: 'PLH_INVALID',
    details: { problems: [{ option: 'libraries.mediaA', message: 'must be a list of library ids' }] },
  })
  t.same(read({ anime_only_sync: true, use_anime_mapping: false }), {
    use_anime_mapping: false,
    anime_only_sync: false,
  })
  t.same(read({ use_anime_mapping: true, anime_only_sync: true }), { use_anime_mapping: true, anime_only_sync: true })
  t.same(read({}), {})
})

t.test('options are read in the form of their schema, and all problems are reported together', async (t) => {
  const schema = Type.Object({
    at_least: Type.Integer({ default: 1, minimum: 1, maximum: 10 }),
    is_strict: Type.Boolean({ default: true }),
    mode: titledChoice({ only_new: 'New', all: 'All' }, { default: 'only_new' }),
    order: oneOf(['by_name', 'by_time']),
    names: Type.Array(Type.String(), { default: ['first'] }),
  })
  const read = (value: unknown) => readFeatureOptions(schema, value)
  const defaults = { enabled: true, add: true, remove: false, at_least: 1, is_strict: true, mode: 'only_new' }
  t.strictSame(read({}), { ...defaults, names: ['first'] })
  t.strictSame(read({ atLeast: ' 12 ', isStrict: 'off', mode: 'ALL', order: 'by-time', names: [], other: 1 }), {
    ...{ ...defaults, at_least: 10, is_strict: false, mode: 'all', order: 'by_time', names: [] },
  })
  t.strictSame(read({ at_least: null, order: null }), { ...defaults, names: ['first'] })
  t.throws(() => read({ enable: 'perhaps', at_least: '', is_strict: 2, mode: 'some' }), {
    code: 'PLH_INVALID',
    details: {
      problems: [
        { option: 'enable', message: 'must be true or false' },
        { option: 'at_least', message: 'must be a number' },
        { option: 'is_strict', message: 'must be true or false' },
        { option: 'mode', message: 'must be one of only_new, all' },
      ],
    },
  })
  const shout = (value: unknown, problem: (message: string) => void) =>
    value === undefined ? undefined : typeof value === 'string' ? value.toUpperCase() : problem('must be a text')
  t.match(readFeatureOptions(schema, { names: 'a' }, { names: shout }), { names: 'A' })
  t.notOk('names' in readFeatureOptions(schema, {}, { names: shout }))
  t.throws(() => readFeatureOptions(schema, { names: 1 }, { names: shout }), { message: /names must be a text/ })
})

t.test('without both times no side is newer, unless the only known one is after the last run', async (t) => {
  t.equal(newerSide(2, 1), 'a')
  t.equal(newerSide(1, 2), 'b')
  t.equal(newerSide(2, 1, { toleranceMs: 1 }), undefined)
  t.equal(newerSide(undefined, 1), undefined)
  t.equal(newerChange(undefined, 6, 5), 'b')
  t.equal(newerChange(6, undefined, 5), 'a')
  t.equal(newerChange(5, undefined, 5), undefined)
  t.equal(newerChange(6, undefined, null), undefined)
  t.equal(newerChange(6, 7, 100), 'b')
})

t.test('a written value contains nothing of the account that it was read from', async (t) => {
  t.same(
    itemToWrite(
      {
        type: 'episode',
        title: 'One',
        ids: { tvdb: '5', mediab: 'x' },
        show_ids: { tmdb: '1399', mediaa: 'y' },
        season: 0,
        episode: 1,
        native: { item_id: '7' },
        library_id: '2',
        added_at: '2026-01-01',
        rating: 8,
        watched: true,
      },
      ['rating'],
    ),
    { type: 'episode', title: 'One', ids: { tvdb: '5' }, show_ids: { tmdb: '1399' }, season: 0, episode: 1, rating: 8 },
  )
})
