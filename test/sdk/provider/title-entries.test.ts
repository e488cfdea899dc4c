// Services with one entry for each title: what a write changes, and what it leaves.
import t from 'tap'
import { type Item, type Logger, PlayheadError } from '@playhead/sdk'
import { decideTitle, type TitleEntry, type TitleWrite, writeTitles, type WriteItem } from '@playhead/sdk/provider'

const quiet = new Proxy({}, { get: () => () => undefined }) as Logger
const NOW_MS = Date.parse('2026-01-10T12:00:00Z')
const entry = (more: Partial<TitleEntry> = {}): TitleEntry => ({
  ...{ id: '5', status: 'watching', count: 0, watchedAgain: false, holdsMore: false },
  ...more,
})
const episode = (number: number, more: Partial<Item> = {}): WriteItem => ({
  key: String(number),
  item: { type: 'episode', ids: {}, show_ids: { mal: '1' }, season: 1, episode: number, ...more },
})
const work = (more: Partial<Item> = {}): WriteItem => ({
  key: 'a',
  item: { type: 'anime', ids: { mal: '1' }, ...more },
})

type Asked = Partial<TitleWrite> & Pick<TitleWrite, 'feature' | 'op'>

/** The change, and the words of all outcomes. */
function decided(write: Asked) {
  const { change, outcomes } = decideTitle({ kind: 'show', items: [work()], nowMs: NOW_MS, ...write })
  return [change, ...[...outcomes.values()].map(({ outcome, reason }) => reason ?? outcome)]
}

t.test('the watchlist has planned entries, and no other entry is changed for it', async (t) => {
  const add = { feature: 'watchlist', op: 'add' } as const
  t.strictSame(decided(add), [{ status: 'planned' }, 'applied'])
  t.strictSame(decided({ ...add, entry: entry({ status: 'planned' }) }), [undefined, 'already'])
  for (const status of ['watching', 'completed', 'other'] as const)
    t.strictSame(decided({ ...add, entry: entry({ status }) }), [undefined, 'already_on_list'])

  const remove = { feature: 'watchlist', op: 'remove' } as const
  const planned = entry({ status: 'planned' })
  t.strictSame(decided({ ...remove, entry: planned }), ['remove', 'applied'])
  t.strictSame(decided(remove), [undefined, 'already'])
  t.strictSame(decided({ ...remove, entry: entry() }), [undefined, 'already'])
  const again = [work({ native: { item_id: '4' } })]
  t.strictSame(decided({ ...remove, entry: planned, items: again }), [undefined, 'changed_since_read'])
  for (const more of [{ count: 1 }, { rating: 5 }, { holdsMore: true }, { watchedAgain: true }])
    t.strictSame(decided({ ...remove, entry: { ...planned, ...more } }), [undefined, 'entry_in_use'])
})

t.test('a rating needs an entry, and is compared with the row that was read', async (t) => {
  const rate = (op: 'add' | 'update' | 'remove', rating: number | undefined, was?: number, now?: number) =>
    decided({
      ...{
        feature: 'ratings',
        op,
        items: [{ ...work({ rating }), ...(was === undefined ? {} : { current: work({ rating: was }).item }) }],
      },
      ...{ entry: entry({ rating: now }) },
    })
  t.strictSame(decided({ feature: 'ratings', op: 'add', items: [work({ rating: 8 })] }), [undefined, 'not_on_list'])
  t.strictSame(rate('add', 8), [{ rating: 8 }, 'applied'])
  t.strictSame(rate('add', 8, undefined, 8), [undefined, 'already'])
  t.strictSame(rate('add', 8, undefined, 6), [undefined, 'changed_since_read'])
  t.strictSame(rate('update', 8, 6, 6), [{ rating: 8 }, 'applied'])
  t.strictSame(rate('update', 8, 6, 7), [undefined, 'changed_since_read'])
  t.strictSame(rate('add', undefined), [undefined, 'missing_rating'])
  t.strictSame(rate('remove', 6, undefined, 6), [{ rating: null }, 'applied'])
  t.strictSame(rate('remove', 6, undefined, 7), [undefined, 'changed_since_read'])
  t.strictSame(rate('remove', 6), [undefined, 'already'])
})

t.test('a film is completed by its play, and unmarked without losing its entry', async (t) => {
  const film = (op: 'add' | 'remove', more?: Partial<TitleEntry>, item: Partial<Item> = {}) =>
    decided({
      ...{ feature: 'history', op, kind: 'movie', items: [work({ film: true, ...item })] },
      entry: more === undefined ? undefined : entry(more),
    })
  const watched_at = '2026-01-02T20:00:00Z'
  const completed = { status: 'completed', count: 1 }
  t.strictSame(film('add', undefined, { watched_at }), [
    { ...completed, startedAt: watched_at, finishedAt: watched_at },
    'applied',
  ])
  t.strictSame(film('add', { status: 'planned' }), [completed, 'applied'], 'no time is invented')
  t.strictSame(film('add', { status: 'completed' }), [undefined, 'already'])
  t.strictSame(film('add', undefined, { watched_at: '2027-01-01' }), [undefined, 'watched_in_future'])
  t.strictSame(film('remove', { status: 'completed', count: 1 }), [{ status: 'watching', count: 0 }, 'applied'])
  t.strictSame(film('remove', { status: 'completed', watchedAgain: true }), [undefined, 'counts_as_watched'])
  t.strictSame(film('remove', { status: 'planned' }), [undefined, 'already'])
  t.strictSame(film('remove'), [undefined, 'already'])
})

t.test('episodes raise and lower the count; the status follows, except a paused or dropped one', async (t) => {
  const count = (op: 'add' | 'remove', numbers: readonly number[], more?: Partial<TitleEntry>, total?: number) =>
    decided({
      ...{ feature: 'history', op, total, items: numbers.map((one) => episode(one)) },
      entry: more === undefined ? undefined : entry(more),
    })
  t.strictSame(count('add', [1, 2]), [{ count: 2, status: 'watching' }, 'applied', 'applied'])
  t.strictSame(count('add', [3], { count: 2 }), [{ count: 3 }, 'applied'])
  t.strictSame(count('add', [3], { count: 2, status: 'planned' }), [{ count: 3, status: 'watching' }, 'applied'])
  t.strictSame(count('add', [3], { count: 2, status: 'other' }), [{ count: 3 }, 'applied'])
  t.strictSame(count('add', [3], { count: 2, status: 'other' }, 3), [{ count: 3, status: 'completed' }, 'applied'])
  t.strictSame(count('add', [4], { count: 2 }), [undefined, 'episode_missing'])
  t.strictSame(count('add', [2], { count: 12, status: 'completed', watchedAgain: true }, 12), [undefined, 'already'])
  t.strictSame(count('remove', [12], { count: 12, status: 'completed' }, 12), [
    { count: 11, status: 'watching' },
    'applied',
  ])
  t.strictSame(count('remove', [1], { count: 1 }, 1), [{ count: 0 }, 'applied'])
  t.strictSame(count('remove', [1], { count: 1, status: 'planned' }, 1), [{ count: 0 }, 'applied'])
  t.strictSame(count('add', [13], { count: 12, status: 'completed' }), [{ count: 13 }, 'applied'])
  t.strictSame(count('remove', [3], { count: 12 }), [undefined, 'counts_as_watched'])
  t.strictSame(count('remove', [12], { count: 12, watchedAgain: true }), [undefined, 'counts_as_watched'])
  t.strictSame(count('remove', [1]), [undefined, 'already'])
})

t.test('a count begins and ends at the times of its first and last play, where they are known', async (t) => {
  const [first, second] = ['2026-01-02T20:00:00Z', '2026-01-03']
  const items = [episode(1, { watched_at: first }), episode(2, { watched_at: second })]
  const history = { feature: 'history', op: 'add' } as const
  const done = ['applied', 'applied']
  t.strictSame(decided({ ...history, items, total: 2 }), [
    { count: 2, status: 'completed', startedAt: first, finishedAt: second },
    ...done,
  ])
  t.strictSame(decided({ ...history, items, total: 3 }), [{ count: 2, status: 'watching', startedAt: first }, ...done])
  const wrong = [episode(1, { season: 2 }), { ...episode(1), key: 'b' }, { ...episode(1), key: 'c' }]
  t.strictSame(decided({ ...history, items: wrong }), [
    { count: 1, status: 'watching' },
    ...['episode_missing', 'duplicate_target', 'applied'],
  ])
})

t.test('all items of a title are one change, which counts once the service confirmed it', async (t) => {
  const items = [
    episode(1),
    { ...work({ ids: { mal: '2' } }), key: 'other kind' },
    episode(2),
    { ...work({ ids: {} }), key: 'no id' },
    { ...episode(4), key: 'gap' },
    { ...episode(1, { show_ids: { mal: '3' } }), key: 'not there' },
    { ...episode(1, { show_ids: { mal: '4' } }), key: 'fails' },
    { ...episode(2, { show_ids: { mal: '4' } }), key: 'with it' },
  ]
  for (const isConfirmed of [true, false]) {
    const calls: unknown[] = []
    const { outcomes } = await writeTitles(
      { feature: 'history', op: 'add', items },
      {
        titleOf: ({ item }) =>
          item.show_ids?.mal ?? item.ids.mal ?? { refused: { outcome: 'unsupported', reason: 'missing_ids' } },
        async lookUp(title) {
          if (title === '3') return { refused: { outcome: 'not_found', reason: 'not_in_catalog' } }
          if (title === '4') throw new PlayheadError('PLH_UPSTREAM', 'no', { details: { status: 500 } })
          return { kind: title === '2' ? 'movie' : 'show', total: 12, title }
        },
        send: async (found, change) => calls.push([found, change]) > 0 && isConfirmed,
        log: quiet,
        nowMs: NOW_MS,
      },
    )
    t.strictSame(calls, [
      [
        { kind: 'show', total: 12, title: '1' },
        { count: 2, status: 'watching' },
      ],
    ])
    const done = isConfirmed ? 'applied' : 'not_confirmed'
    t.same(
      outcomes.map(({ key, outcome, reason }) => `${key}: ${reason ?? outcome}`),
      [
        ...[`1: ${done}`, 'other kind: kind_mismatch', `2: ${done}`, 'no id: missing_ids', 'gap: episode_missing'],
        ...['not there: not_in_catalog', 'fails: http_500', 'with it: http_500'],
      ],
    )
  }
})
