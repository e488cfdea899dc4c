// Reading options: switches with aliases, and problem reports.
import t from 'tap'
import {
  asOptions,
  itemToWrite,
  newerChange,
  newerSide,
  readAnime,
  readLibraries,
  readOptions,
  readSwitches,
} from '@playhead/sdk/sync'

const switches = (value: unknown) => readSwitches(readOptions(asOptions(value)))

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
  const reader = readOptions({ remove_mode: 'all', removes: 1 })
  readSwitches(reader)
  t.throws(() => reader.finish(), { code: 'PLH_INVALID', message: /remove_mode must be one of source_deletes, mirror/ })
})

t.test('the winner is kept in capitals, where it was set', async (t) => {
  t.match(switches({ source_of_truth: ' mediaA ' }), { source_of_truth: 'MEDIAA' })
  t.notOk('source_of_truth' in switches({ source_of_truth: '' }))
})

t.test('libraries and anime switches keep only what is usable', async (t) => {
  t.same(readLibraries(readOptions({ libraries: { mediaA: [1, ' 2 ', '1', ''], MEDIAB: [] } })), {
    libraries: { MEDIAA: ['1', '2'] },
  })
  t.same(readLibraries(readOptions({ libraries: {} })), {})
  t.same(readAnime(readOptions({ anime_only_sync: true, use_anime_mapping: false })), {
    use_anime_mapping: false,
    anime_only_sync: false,
  })
  t.same(readAnime(readOptions({ use_anime_mapping: true, anime_only_sync: true })), {
    use_anime_mapping: true,
    anime_only_sync: true,
  })
  t.same(readAnime(readOptions({})), {})
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
