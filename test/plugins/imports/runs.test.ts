// slow: the whole service, or very many cases
// From a file to an account: choices, conflicts, skipped rows, undo, and malicious files.
import { zipSync } from 'fflate'
import { sql } from 'kysely'
import t from 'tap'
import { ATTENTION, type Item } from '@playhead/sdk'
import { createGoing } from '../../../plugins/services/imports/attention.ts'
import { migrations } from '../../../plugins/services/imports/tables.ts'
import { createQueries } from '../../../plugins/services/imports/thread/queries.ts'
import { openTestTables } from '../../../core/testing/storage.ts'
import * as files from './files.ts'
import { openImports, type World } from './world.ts'

const film = (id: number, more: Partial<Item> = {}): Item => ({
  type: 'movie',
  title: `Film ${id}`,
  ids: { tmdb: String(id) },
  ...more,
})
const json = (rows: readonly object[]) =>
  `{"format":"playhead","version":1,"rows":[${rows.map((row) => JSON.stringify(row)).join()}],"count":${rows.length}}`
const works = [
  { type: 'movie' as const, tmdb: '949', title: 'Heat', year: 1995, overview: '' },
  { type: 'movie' as const, tmdb: '11645', title: 'Ran', year: 1985, overview: '' },
  { type: 'show' as const, tmdb: '1438', title: 'The Wire', year: 2002, overview: '' },
]
const episodes = [
  { season: 1, episode: 1, title: 'The Target', aired: null },
  { season: 1, episode: 2, title: 'The Detail', aired: null },
  { season: 2, episode: 1, title: 'The Target', aired: null },
]

async function upload(world: World, data: Parameters<World['upload']>[0], name?: string): Promise<string> {
  const { status, body } = await world.upload(data, name)
  if (status !== 200) throw new Error(JSON.stringify(body))
  return body.import_id
}
async function run(world: World, id: string, more: object = {}) {
  return ended(world, id, await world.post('/run', { import_id: id, provider: 'svc', ...more }))
}

async function undo(world: World, id: string) {
  return ended(world, id, await world.post(`/${id}/undo`))
}

/** On a busy machine the run may not have ended when the response arrives. */
async function ended(world: World, id: string, started: Awaited<ReturnType<World['post']>>) {
  while (started.status === 202) {
    await new Promise((resolve) => setTimeout(resolve, 50))
    const now = await world.get(`/${id}`)
    if (!['comparing', 'running', 'undoing'].includes(now.body.state)) return now
  }
  return started
}

t.test('a title that an account has only started is suggested, too', async (t) => {
  await using world = await openImports({
    works: [],
    held: { 'TRACKA@default progress': [film(348, { title: 'Alien', year: 1979, progress_percent: 40 })] },
  })
  const id = await upload(world, files.LETTERBOXD)
  await run(world, id)
  const { titles } = (await world.get(`/${id}/titles`)).body
  t.match(
    titles.find(({ about }: any) => about.title === 'Alien'),
    { choice: null, suggestions: [{ ids: { tmdb: '348' }, year: 1979, source: 'library' }] },
  )
})

t.test('titles are suggested, and written only as a person chose', async (t) => {
  await using world = await openImports({
    works,
    held: { 'TRACKA@default watchlist': [film(348, { title: 'Alien', year: 1979 })] },
  })
  const id = await upload(world, files.LETTERBOXD)
  t.match((await run(world, id)).body, { state: 'done', plan: {}, outcomes: {} }, 'nothing is written by its title')
  const { body } = await world.get(`/${id}/titles`)
  t.match([body.total, body.metadata_ready], [4, true])
  const byName = new Map<string, any>(body.titles.map((one: any) => [one.about.title, one]))
  t.match(byName.get('Heat'), {
    rows: 3,
    choice: null,
    suggestions: [{ type: 'movie', ids: { tmdb: '949' }, source: 'metadata' }],
  })
  t.match(byName.get('Alien'), { suggestions: [{ ids: { tmdb: '348' }, source: 'library' }] })
  t.match(byName.get('Am I OK?'), { suggestions: [] })
  const searches = world.state.searches.length
  await world.get(`/${id}/titles`)
  t.equal(world.state.searches.length, searches, 'they are searched for once')

  const choose = (title: string, choice: unknown) =>
    world.post(`/${id}/choices`, { choices: [{ title: byName.get(title).title, choice }] })
  t.match(
    (await choose('Heat', { type: 'movie', ids: { tmdb: 949, imdb: 'tt0113277' }, title: 'Heat', year: 1995 })).body,
    { matched: 3, ambiguous: 4 },
  )
  t.match((await choose('Am I OK?', 'skip')).body, { unmatched: 1, reasons: { skipped: 1 } })
  t.match((await choose('Alien', { type: 'movie', ids: { tmdb: '348' } })).body, {
    unmatched: 2,
    reasons: { missing_time: 1 },
  })
  const dry = await run(world, id, { dry_run: true })
  t.match(dry.body, { state: 'planned', plan: { history: { add: 2, unmatched: 1 }, ratings: { add: 2 } } })
  t.same(world.held('SVC@default history'), [], 'a dry run writes nothing')
  t.match(await world.rows(id, 'plan=add&feature=history'), [
    { item: { watched_at: '2024-01-02' } },
    { item: { watched_at: '2024-03-01' } },
  ])
  t.match((await run(world, id, { undated_as: '2020-01-03' })).body, { state: 'done', outcomes: { applied: 5 } })
  t.strictSame(
    world
      .held('SVC@default history')
      .map(({ ids, watched_at: at }) => [ids.tmdb, at])
      .sort(),
    [
      ['348', '2020-01-03'],
      ['949', '2024-01-02'],
      ['949', '2024-03-01'],
    ],
  )
  t.match((await choose('Ran', null)).body, { ambiguous: 1 })
  for (const [choice, status, error] of [
    [{ type: 'movie', ids: {} }, 400, 'invalid_choice'],
    [{ type: 'movie', ids: { tmdb: '12-abc' } }, 400, 'invalid_choice'],
  ] as const)
    t.match(await choose('Ran', choice), { status, body: { error } })
  t.equal((await choose('Ran', { type: 'song', ids: { tmdb: '1' } })).status, 422)
  t.match(await world.post(`/${id}/choices`, { choices: [{ title: 99, choice: null }] }), {
    status: 404,
    body: { error: 'unknown_title' },
  })
})

t.test('an episode of Netflix is found by its title within the chosen show and season, or not at all', async (t) => {
  await using world = await openImports({ works, episodes })
  const id = await upload(world, files.NETFLIX, 'NetflixViewingHistory.csv')
  const { body } = await world.get(`/${id}/titles`)
  const wire = body.titles.find((one: any) => one.about.title === 'The Wire')
  t.match(wire, { about: { type: 'show' }, suggestions: [{ type: 'show', ids: { tmdb: '1438' } }] })
  const chosen = await world.post(`/${id}/choices`, {
    choices: [{ title: wire.title, choice: { type: 'show', ids: wire.suggestions[0].ids } }],
  })
  t.match(chosen.body, { matched: 1, unmatched: 1, reasons: { episode_unknown: 1 } })
  await run(world, id)
  t.match(world.held('SVC@default history'), [
    { type: 'episode', show_ids: { tmdb: '1438' }, season: 1, episode: 1, watched_at: '2023-12-31' },
  ])
  t.equal(world.held('SVC@default history').length, 1)
})

t.test(
  'Netflix: seasons with their own names are one question per show, and the answer finds the episodes',
  async (t) => {
    const named = (season: number, episode: number, title: string) => ({ season, episode, title, aired: null })
    await using world = await openImports({
      works,
      episodes: [
        named(0, 1, 'The Making of'),
        named(1, 1, 'Not Your Average Joe'),
        named(1, 2, 'Cult of Personality'),
        named(2, 1, 'Beg Your Pardon'),
        named(2, 2, 'Dethroned'),
        named(2, 7, 'Episode 7'),
      ],
    })
    const titles = [
      ...['Tiger King: Murder, Mayhem and Madness: Not Your Average Joe', 'Tiger King: Tiger King 2: Beg Your Pardon'],
      ...[
        'Tiger King: Tiger King 2: Dethroned',
        'Tiger King: Tiger King 2: Episode 7',
        'Tiger King: Season 1: Cult of Personality',
      ],
      ...['DAHMER: Monster: The Jeffrey Dahmer Story: Dethroned', 'Muted: Episode 2', 'Muted: Episode 1'],
      ...['Kill Bill: Vol. 2', 'Star Wars: A New Hope', 'Star Wars: The Empire Strikes Back', 'Heat'],
    ]
    const file = `Title,Date\n${titles.map((title, at) => `"${title}","1/${at + 13}/24"`).join('\n')}\n`
    const id = await upload(world, file, 'NetflixViewingHistory.csv')
    const { body } = await world.get(`/${id}/titles`)
    const byName = new Map<string, any>(body.titles.map((one: any) => [one.about.title, one]))
    t.same(
      [...byName].map(([name, { about, rows }]) => `${name} ${about.type} ${rows}`).sort(),
      [
        'DAHMER unknown 1',
        'Heat unknown 1',
        'Kill Bill: Vol. 2 unknown 1',
        'Muted show 2',
        'Star Wars: A New Hope unknown 1',
        'Star Wars: The Empire Strikes Back unknown 1',
        'Tiger King show 5',
      ],
      'films of one name are asked about one by one',
    )
    const choose = (name: string, type: string, tmdb: string) =>
      world.post(`/${id}/choices`, { choices: [{ title: byName.get(name).title, choice: { type, ids: { tmdb } } }] })
    t.match((await choose('Tiger King', 'show', '1438')).body, { matched: 5 })
    t.match((await choose('DAHMER', 'show', '1438')).body, { matched: 6 })
    t.match((await choose('Star Wars: A New Hope', 'movie', '11')).body, { matched: 7 })
    // Two seasons may have an episode with this number.
    t.match((await choose('Muted', 'show', '1438')).body, { matched: 7, reasons: { episode_ambiguous: 2 } })
    t.match((await choose('Heat', 'show', '1438')).body, { reasons: { episode_unknown: 1 } })
    t.match((await choose('Tiger King', 'movie', '5')).body, { reasons: { wrong_type: 5 } })
    await choose('Tiger King', 'show', '1438')
    await choose('DAHMER', 'movie', '12')
    await run(world, id)
    t.same(
      world
        .held('SVC@default history')
        .map(({ type, ids, season, episode }) => (type === 'movie' ? `film ${ids.tmdb}` : `s${season}e${episode}`))
        .sort(),
      ['film 11', 'film 12', 's1e1', 's1e2', 's2e1', 's2e2', 's2e7'],
    )
  },
)

t.test('titles are found by their words in any case and script, and by nothing else', async (t) => {
  await using world = await openImports({ works })
  const names = ['Émile', 'Ärger im Paradies', 'СТАЛКЕР', 'Heat']
  const id = await upload(
    world,
    json(names.map((title) => ({ feature: 'watchlist', item: { ...film(1), ids: {}, title } }))),
  )
  for (const [words, found] of [
    ['émile', ['Émile']],
    ['EMILE', ['Émile']],
    ['paradies ÄRGER', ['Ärger im Paradies']],
    ['сталкер', ['СТАЛКЕР']],
    ['title', []],
    ['"', []],
    ['%', []],
  ] as const) {
    const { body } = await world.get(`/${id}/titles?open=true&q=${encodeURIComponent(words)}`)
    t.same([body.total, body.titles.map((one: any) => one.about.title)], [found.length, found], words)
  }
  t.equal((await world.rows(id, 'q=emile')).length, 1)
  const { body } = await world.get(`/${id}/titles?offset=1&limit=2&q=e`)
  t.same([body.total, body.titles.length], [3, 2])
})

t.test('a viewing is no play of a whole show, even if the person chooses a show for its title', async (t) => {
  await using world = await openImports({ works, episodes })
  const id = await upload(
    world,
    'Title,Date\n"The Wire: No Such Part","31/12/23"\n"The Wire","31/12/23"\n"The Wire: The Detail","31/12/23"\n',
    'NetflixViewingHistory.csv',
  )
  const choices = [0, 1].map((title) => ({ title, choice: { type: 'show', ids: { tmdb: '1438' } } }))
  t.match((await world.post(`/${id}/choices`, { choices })).body, { unmatched: 2, reasons: { episode_unknown: 2 } })
  await run(world, id, { undated_as: '2020-01-01' })
  t.same(world.held('SVC@default history'), [])
  await world.post(`/${id}/choices`, { choices: [{ ...choices[0], title: 2 }] })
  await run(world, id)
  t.match(world.held('SVC@default history'), [{ type: 'episode', season: 1, episode: 2, watched_at: '2023-12-31' }])
})

t.test('one person of a household at a time', async (t) => {
  await using world = await openImports({ works, episodes })
  const id = await upload(world, files.NETFLIX_ACTIVITY, 'ViewingActivity.csv')
  const { body } = await world.get(`/${id}/titles`)
  const heat = body.titles.find((one: any) => one.about.title === 'Heat')
  const wire = body.titles.find((one: any) => one.about.title === 'The Wire')
  await world.post(`/${id}/choices`, {
    choices: [
      { title: heat.title, choice: { type: 'movie', ids: { tmdb: '949' } } },
      { title: wire.title, choice: { type: 'show', ids: { tmdb: '1438' } } },
    ],
  })
  t.match(await run(world, id), { status: 409, body: { error: 'person_required', persons: ['Ann', 'Ben'] } })
  t.match(await run(world, id, { person: 'Eve' }), { status: 404, body: { error: 'unknown_person' } })
  t.match((await run(world, id, { person: 'Ann' })).body, { state: 'done', outcomes: { applied: 1 } })
  t.match(world.held('SVC@default history'), [{ ids: { tmdb: '949' }, watched_at: '2023-06-01T18:30:00Z' }])
})

t.test('differing ratings are kept, unless the file is newer or is set to win', async (t) => {
  const held = [
    film(1, { rating: 5, rated_at: '2024-01-01T00:00:00Z' }),
    film(2, { rating: 5, rated_at: '2024-01-01T00:00:00Z' }),
    film(3, { rating: 5 }),
    film(5, { rating: 5, rated_at: '2024-06-01' }),
  ]
  await using world = await openImports({ held: { 'SVC@default ratings': held } })
  const file = json([
    { feature: 'ratings', item: film(1, { rating: 8, rated_at: '2024-06-01' }) },
    { feature: 'ratings', item: film(2, { rating: 8, rated_at: '2023-06-01' }) },
    { feature: 'ratings', item: film(3, { rating: 8 }) },
    // The account knows only the day.
    { feature: 'ratings', item: film(5, { rating: 8, rated_at: '2024-06-01T10:00:00Z' }) },
    { feature: 'ratings', item: film(4, { rating: 8 }) },
    { feature: 'ratings', item: { ...film(4, { rating: 2 }), rated_at: '2020-01-01' } },
  ])
  const id = await upload(world, file)
  const plan = async (ratings: string) => (await run(world, id, { ratings, dry_run: true })).body.plan.ratings
  t.strictSame(await plan('keep'), { add: 1, conflict: 4, duplicate: 1 })
  t.strictSame(await plan('newer'), { add: 1, conflict: 3, duplicate: 1, update: 1 })
  t.strictSame(await plan('file'), { add: 1, duplicate: 1, update: 4 })
  await run(world, id)
  t.same(
    world
      .held('SVC@default ratings')
      .map(({ rating }) => rating)
      .slice(0, 3),
    [8, 5, 5],
  )
})

t.test('an import is undone completely, also after a second run of it', async (t) => {
  const before = [film(1, { watched_at: '2020-01-01T00:00:00Z' })]
  await using world = await openImports({ held: { 'SVC@default history': before } })
  const rows = Array.from({ length: 2_300 }, (_, index) => ({
    feature: 'history',
    item: film(index + 1, { watched_at: '2021-01-01T00:00:00Z' }),
  }))
  const id = await upload(world, json(rows))
  t.match((await run(world, id)).body, { state: 'done', outcomes: { applied: 2_300 } })
  t.equal(world.state.plans.size, 3, 'in parts that hold up nothing')
  await run(world, id)
  t.equal(world.state.plans.size, 3)
  t.match((await undo(world, id)).body, { state: 'undone', run: { plan_ids: [] } })
  t.same(world.held('SVC@default history'), before)
  t.match(world.state.log, ['undo plan-3', 'undo-plan-3', 'undo plan-2', 'undo-plan-2', 'undo plan-1', 'undo-plan-1'])
  t.match(await undo(world, id), { status: 409, body: { error: 'nothing_to_undo' } })
  t.match((await run(world, id)).body, { state: 'done', outcomes: { applied: 2_300 } }, 'and can be written again')
})

t.test('changes since the comparison are detected: each run compares, and a long one repeatedly', async (t) => {
  const day = (id: number, time = '2021-01-01T00:00:00Z') => film(id, { watched_at: time })
  await using world = await openImports({ held: { 'SVC@default history': [day(1), day(2)] } })
  const own = world.held('SVC@default history') as Item[]
  const rows = Array.from({ length: 2_500 }, (_, index) => ({ feature: 'history', item: day(index + 1) }))
  const id = await upload(world, json(rows))
  t.match((await run(world, id, { dry_run: true })).body.plan, { history: { already: 2, add: 2_498 } })
  // Before the write, the person watches one title and deletes another.
  own.splice(0, 1)
  own.push(day(3))
  const realNow = Date.now
  t.teardown(() => {
    Date.now = realNow
  })
  let rounds = 0
  world.state.afterApply = () => {
    rounds += 1
    Date.now = () => realNow() + rounds * 10 * 60_000
    if (rounds !== 1) return
    // Meanwhile the person watches titles that are not written yet, deletes earlier plays, and deletes plays that were just
    // written.
    own.push(day(2_400))
    own.splice(
      own.findIndex(({ ids }) => ids.tmdb === '2'),
      1,
    )
    own.splice(
      own.findIndex(({ ids }) => ids.tmdb === '10'),
      1,
    )
  }
  const { body } = await run(world, id)
  t.match(body, { state: 'done', plan: { history: { done: 2_497, already: 3 } }, outcomes: { applied: 2_497 } })
  t.equal(world.state.lives, 1 + 3, 'the account was read before each round')
  const held = own.map(({ ids }) => Number(ids.tmdb)).sort((a, b) => a - b)
  const expected = rows.map((_, index) => index + 1).filter((one) => one !== 2 && one !== 10)
  t.strictSame(held, expected, 'nothing twice, and what the person deleted meanwhile stays deleted')
})

t.test('an account that stops accepting changes ends the import, which resumes where it ended', async (t) => {
  await using world = await openImports()
  const rows = Array.from({ length: 2_500 }, (_, index) => ({
    feature: 'history',
    item: film(index + 1, { watched_at: '2021-01-01T00:00:00Z' }),
  }))
  const id = await upload(world, json(rows))
  world.state.full = 1_300
  t.match((await run(world, id)).body, {
    state: 'failed',
    run: { error: 'writes_stopped', plan_ids: ['plan-1', 'plan-2'] },
    outcomes: { applied: 1_300, deferred: 700 },
  })
  world.state.full = Infinity
  t.match((await run(world, id)).body, { state: 'done', outcomes: { applied: 2_500 } })
  t.equal(world.held('SVC@default history').length, 2_500)
})

t.test(
  'an import that was compared with one person ends when the next signs in, and is theirs if it is run again',
  async (t) => {
    await using world = await openImports()
    const rows = Array.from({ length: 2_500 }, (_, index) => ({
      feature: 'history',
      item: film(index + 1, { watched_at: '2021-01-01T00:00:00Z' }),
    }))
    const id = await upload(world, json(rows))
    const own = world.held('SVC@default history') as Item[]
    let first: readonly Item[] = []
    world.state.afterApply = () => {
      if (world.state.person !== 'ann') return
      first = world.held('SVC@default history').slice()
      ;(world.held('SVC@default history') as Item[]).length = 0
      world.state.person = 'ben'
    }
    t.match((await run(world, id)).body, { state: 'failed', run: { error: 'account_changed' } })
    t.equal(first.length, 1_000)
    t.same(world.held('SVC@default history'), own)
    t.match((await run(world, id)).body, { state: 'done', outcomes: { applied: 2_500 } })
    t.equal(world.held('SVC@default history').length, 2_500)
  },
)

t.test('an import waits while other work holds the account, and keeps others out while it writes', async (t) => {
  await using world = await openImports()
  const accounts = [{ provider: 'SVC', instance: 'default' }]
  const other = world.host.work.begin({ kind: 'sync', label: 'A run', accounts })
  const id = await upload(world, json([{ feature: 'watchlist', item: film(1) }]))
  const running = run(world, id)
  while ((await world.get(`/${id}`)).body.state !== 'comparing') await new Promise((resolve) => setTimeout(resolve, 5))
  t.equal(world.state.lives, 0)
  world.state.afterApply = () =>
    t.throws(() => world.host.work.begin({ kind: 'sync', label: 'A run', accounts }), /is going on/)
  other.release()
  t.match((await running).body, { state: 'done', outcomes: { applied: 1 } })
})

t.test(
  'an import is cancelled while it waits, while it writes, and while it is undone; written rows stay',
  async (t) => {
    await using world = await openImports()
    const attention = async () => (await world.host.callHook(ATTENTION, {})).flat()
    const id = await upload(
      world,
      json(Array.from({ length: 2_500 }, (_, at) => ({ feature: 'ratings', item: film(at + 1, { rating: 7 }) }))),
    )
    const cancel = async () => ended(world, id, await world.post(`/${id}/cancel`))
    t.match(await cancel(), { status: 409, body: { error: 'not_running' } })
    t.match(await world.post('/unknown/cancel'), { status: 404, body: { error: 'import_not_found' } })

    const accounts = [{ provider: 'SVC', instance: 'default' }]
    const other = world.host.work.begin({ kind: 'sync', label: 'A run', accounts })
    const waiting = run(world, id)
    while ((await world.get(`/${id}`)).body.state !== 'comparing')
      await new Promise((resolve) => setTimeout(resolve, 5))
    t.match((await cancel()).body, { state: 'cancelled', outcomes: {} })
    t.match((await waiting).body, { state: 'cancelled' })
    other.release()
    t.same([world.state.lives, await attention()], [0, []], 'the account was not asked')

    // The failure is in the second plan of three.
    let plans = 0
    const isWritten = Promise.withResolvers<void>()
    world.state.beforeWrite = async (written) => {
      plans += written === 0 ? 1 : 0
      if (plans === 2 && written === 300) {
        isWritten.resolve()
        await new Promise((resolve) => setTimeout(resolve, 50))
      }
    }
    const writing = run(world, id)
    await isWritten.promise
    t.match((await cancel()).body, {
      state: 'cancelled',
      outcomes: { applied: 1_300 },
      plan: { ratings: { add: 1_200, done: 1_300 } },
    })
    t.match((await writing).body, { state: 'cancelled', run: { error: null } })
    t.equal(world.held('SVC@default ratings').length, 1_300)

    world.state.beforeWrite = async () => {}
    t.match((await run(world, id)).body, { state: 'done', outcomes: { applied: 2_500 } }, 'it goes on')
    t.equal(world.held('SVC@default ratings').length, 2_500)
    t.match((await undo(world, id)).body, { state: 'undone' })
    t.same([world.held('SVC@default ratings'), await attention()], [[], []], 'plans of a cancelled run are undone, too')

    // While the last plan of three is undone.
    t.match((await run(world, id)).body, { state: 'done', outcomes: { applied: 2_500 } })
    const isUndoing = Promise.withResolvers<void>()
    world.state.beforeUndo = async () => {
      isUndoing.resolve()
      await new Promise((resolve) => setTimeout(resolve, 1_000))
    }
    const undoing = undo(world, id)
    await isUndoing.promise
    t.match((await cancel()).body, { state: 'cancelled' })
    const { body } = await undoing
    const left = world.held('SVC@default ratings').length
    t.ok(left > 0 && left < 2_500, `${left} are left`)
    t.match(body, { state: 'cancelled', outcomes: { applied: left }, run: { plan_ids: { length: left / 1_000 } } })
    world.state.beforeUndo = async () => {}
    t.match(
      (await run(world, id)).body,
      { state: 'done', outcomes: { applied: 2_500 } },
      'what was taken back is written',
    )
    t.match((await undo(world, id)).body, { state: 'undone', outcomes: {}, run: { plan_ids: [] } })
    t.same(world.held('SVC@default ratings'), [])
  },
)

t.test('an incomplete undo can be repeated', async (t) => {
  await using world = await openImports()
  const id = await upload(world, json([{ feature: 'ratings', item: film(1, { rating: 7 }) }]))
  t.match((await run(world, id)).body, { state: 'done' })
  for (const end of [
    { result: 'failed', left_to_undo: 1 },
    { result: 'cancelled', left_to_undo: 0 },
    { result: 'skipped' },
    { result: 'failed', reason: 'internal' },
    { result: '' },
  ]) {
    world.state.undone = () => end
    t.match((await undo(world, id)).body, {
      state: 'failed',
      run: { error: 'undo_incomplete', plan_ids: ['plan-1'] },
      outcomes: { applied: 1 },
    })
    t.equal(world.held('SVC@default ratings').length, 1)
  }
  world.state.undone = () => ({ result: 'partial', left_to_undo: 1, not_undone: { read_only: 1 } })
  t.match(
    (await undo(world, id)).body,
    {
      state: 'partly_undone',
      run: {
        plan_ids: ['plan-1'],
        error: null,
        not_undone: [{ reason: 'read_only', reason_label: 'The service is read only', count: 1 }],
        left_to_undo: 1,
      },
    },
    'some of it could be tried again',
  )
  world.state.undone = () => ({ result: 'partial', left_to_undo: 0, not_undone: { exact_play_unknown: 2 } })
  t.match(
    (await undo(world, id)).body,
    {
      state: 'partly_undone',
      outcomes: {},
      run: {
        ...{ error: null, message: null, plan_ids: [], left_to_undo: 0 },
        not_undone: [{ reason: 'exact_play_unknown', count: 2 }],
      },
    },
    'some of it never can be',
  )
  const ends = world.host.events.recent({ name: 'import.finished' }).map(({ data }) => data['not_undone'])
  t.ok(ends.length >= 2)
  t.ok(ends.some((one) => JSON.stringify(one) === '{"read_only":1}'))
  t.ok(ends.some((one) => JSON.stringify(one) === '{"exact_play_unknown":2}'))
  t.match(await undo(world, id), { status: 409, body: { error: 'nothing_to_undo' } })
})

t.test('an import that was interrupted by a stop is shown until it resumes, or is deleted', async (t) => {
  await using world = await openImports()
  const store = world.host.store
  const attention = async () => (await world.host.callHook(ATTENTION, {})).flat()
  const id = await upload(world, json([{ feature: 'watchlist', item: film(1) }]))
  const going = createGoing(store)
  await going.begin(id, 'write', { provider: 'SVC', instance: 'default' })
  t.match(await attention(), [
    { id: `import-${id}`, kind: 'import_interrupted', title: 'An import was interrupted', detail: /Continue/ },
  ])
  t.match((await run(world, id)).body, { state: 'done' })
  t.same(await attention(), [])
  await going.begin(id, 'undo', { provider: 'SVC', instance: 'default' })
  t.match(await attention(), [{ kind: 'import_interrupted', detail: /took back/ }])
  t.notMatch(await attention(), [{ detail: /Continue/ }])
  t.equal((await world.remove(`/${id}`)).status, 200)
  t.same(await attention(), [])
})

t.test(
  'a file that the process did not come to the end of reading is no import, and is forgotten after a day',
  async (t) => {
    const db = openTestTables()
    for (const { up } of migrations) await up(db)
    const queries = createQueries(db)
    const about = { format: 'imdb', label: 'IMDb', name: 'a', bytes: 1, sha256: '', skipped: {}, warnings: [] }
    const DAY_MS = 86_400_000
    for (const id of ['half', 'whole']) {
      await queries.begin(id, 5)
      await sql`insert into import_row (import_id, n, feature, key, words, item, state, file)
      values (${id}, 0, 'history', '', '', '{}', 'matched', '')`.execute(db)
    }
    await queries.wasRead('whole', about)
    t.equal(await queries.find('half'), null)
    t.match(await queries.find('whole'), { state: 'previewed', about, run: null })
    t.match(await queries.list(), [{ id: 'whole' }])
    t.same(await queries.olderThan(0, DAY_MS), [], 'it may still be read')
    t.same(await queries.olderThan(0, DAY_MS + 6), ['half'])
    t.same(await queries.olderThan(5, 30), [], 'one that a person left is kept')
    t.same((await queries.olderThan(6, 30)).toSorted(), ['half', 'whole'], 'until it is too old')
    await queries.setState('whole', 'planned', null, 20)
    t.same(await queries.olderThan(6, 30), ['half'], 'since its last change')
    await queries.remove('half')
    const { rows } = await sql`select import_id from import_row`.execute(db)
    t.same(rows, [{ import_id: 'whole' }])
    await db.destroy()
  },
)

t.test(
  'a title cannot be matched while rows are being written, even if the write started after the choice',
  async (t) => {
    await using world = await openImports({ works })
    const id = await upload(
      world,
      json([
        { feature: 'watchlist', item: film(1) },
        { feature: 'watchlist', item: { ...film(1), ids: {}, title: 'Heat' } },
      ]),
    )
    const { body } = await world.get(`/${id}/titles`)
    const running = Promise.withResolvers<void>()
    const chosen = Promise.withResolvers<void>()
    let ended: Promise<unknown> = Promise.resolve()
    world.state.beforeWrite = async () => {
      running.resolve()
      await chosen.promise
    }
    world.state.whileAsked = async () => {
      world.state.whileAsked = async () => {}
      ended = run(world, id)
      await running.promise
    }
    t.match(
      await world.post(`/${id}/choices`, {
        choices: [{ title: body.titles[0].title, choice: { type: 'movie', ids: { tmdb: '949' } } }],
      }),
      { status: 409, body: { error: 'busy' } },
    )
    chosen.resolve()
    await ended
    t.equal(world.held('SVC@default watchlist').length, 1)
  },
)

t.test('an account that hides its rows, cannot accept them, or does not exist', async (t) => {
  const onlyFilms = {
    read: true,
    add: true,
    update: true,
    remove: true,
    kinds: ['movie' as const],
    needsAnyId: ['imdb' as const],
  }
  await using world = await openImports({ support: { watchlist: onlyFilms, progress: { ...onlyFilms, add: false } } })
  const id = await upload(
    world,
    json([
      { feature: 'watchlist', item: film(1) },
      { feature: 'watchlist', item: { type: 'show', title: 'A show', ids: { imdb: 'tt0000009' } } },
      { feature: 'watchlist', item: film(2, { ids: { imdb: 'tt0000002' } }) },
      { feature: 'progress', item: film(2, { progress_percent: 40 }) },
    ]),
  )
  t.match((await run(world, id)).body, {
    state: 'done',
    plan: { watchlist: { unsupported: 2, done: 1 } },
    reasons: { missing_ids: 1, unsupported_kind: 1 },
    run: { features: ['watchlist'] },
  })
  t.match(await run(world, id, { features: ['progress'] }), { status: 400, body: { error: 'unsupported_feature' } })
  t.match(await run(world, id, { provider: 'NOPE' }), { status: 404, body: { error: 'unknown_provider' } })
  t.match(await run(world, id, { provider: 'TRACKA', provider_instance: 'X' }), {
    status: 404,
    body: { error: 'unknown_instance' },
  })
  t.match(await run(world, id, { provider: 'TRACKA', provider_instance: 'TRACKA-P01' }), {
    status: 409,
    body: { error: 'not_configured' },
  })
  t.match(await run(world, 'nothing'), { status: 404, body: { error: 'import_not_found' } })
  t.equal((await run(world, id, { undated_as: 'yesterday' })).status, 422)
  for (const undated_as of ['2023-02-30', '2999-01-01'])
    t.match(await run(world, id, { undated_as }), { status: 400, body: { error: 'invalid_undated_as' } })
  world.state.doubt = 'empty_read'
  t.match((await run(world, id)).body, { state: 'failed', run: { error: 'read_doubtful' } })
  t.match((await run(world, id, { approved: true })).body, { state: 'done' })
})

t.test('rows that contradict the account are not written', async (t) => {
  await using world = await openImports({
    held: { 'SVC@default watchlist': [film(1, { ids: { tmdb: '1', imdb: 'tt0000001' } })] },
  })
  const id = await upload(
    world,
    json([{ feature: 'watchlist', item: film(1, { ids: { tmdb: '1', imdb: 'tt0000077' } }) }]),
  )
  t.match((await run(world, id)).body, { plan: { watchlist: { conflict: 1 } }, reasons: { ids_contradict: 1 } })
})

t.test('malicious archives are refused, and leave nothing behind', async (t) => {
  await using world = await openImports()
  const bomb = zipSync({ 'watched-history-1.json': new Uint8Array(40 * 1024 * 1024) }, { level: 9 })
  const unsafe = zipSync({ '../../etc/watched-history-1.json': new TextEncoder().encode('[]') })
  const absolute = zipSync({ '/watched-history-1.json': new TextEncoder().encode('[]') })
  const many = zipSync(
    Object.fromEntries(Array.from({ length: 5_001 }, (_, index) => [`${index}.csv`, new Uint8Array(1)])),
  )
  const lying = Buffer.from(
    zipSync({ 'diary.csv': new TextEncoder().encode('Name,Year,Letterboxd URI\n'.repeat(50)) }, { level: 9 }),
  )
  // The directory declares a much smaller size than the file has.
  const directory = lying.indexOf(Buffer.from([0x50, 0x4b, 0x01, 0x02]))
  lying.writeUInt32LE(10, directory + 24)
  for (const [what, data, status, error] of [
    ['a bomb', bomb, 400, 'invalid_archive'],
    ['a way out', unsafe, 400, 'invalid_archive'],
    ['an absolute path', absolute, 400, 'invalid_archive'],
    ['too many files', many, 413, 'archive_too_large'],
    ['wrong sizes', lying, 400, 'invalid_archive'],
    ['half of one', bomb.subarray(0, bomb.length - 10), 400, 'invalid_archive'],
  ] as const)
    t.match(await world.upload(data, 'x.zip'), { status, body: { ok: false, error } }, what)
  t.same((await world.get('')).body.imports, [])
  const large = new Uint8Array(64 * 1024 * 1024 + 1)
  t.match(await world.upload(large, 'x.csv'), { status: 413, body: { error: 'upload_too_large' } })
  t.match(
    await world.host
      .inject({ method: 'POST', url: '/api/import/preview', payload: { a: 1 } })
      .then((answer) => answer.json()),
    { ok: false, error: 'file_required' },
  )
  t.same(world.host.failures, [])
})

t.test('the read rows can be browsed, deleted, and are then gone', async (t) => {
  await using world = await openImports()
  const id = await upload(world, files.TRAKT)
  t.equal((await world.rows(id, 'q=wire')).length, 2)
  t.equal((await world.rows(id, 'feature=ratings&state=matched')).length, 2)
  t.equal((await world.get(`/${id}/rows?state=nonsense`)).status, 422)
  t.match((await world.get('')).body.imports, [{ import_id: id, format: 'trakt', state: 'previewed' }])
  t.match((await world.get('/formats')).body.formats[0], {
    id: 'crosswatch',
    label: 'CrossWatch',
    features: ['watchlist', 'history', 'ratings', 'progress'],
  })
  t.match(await world.remove(`/${id}`), { status: 200, body: { ok: true } })
  for (const path of [`/${id}`, `/${id}/rows`, `/${id}/titles`])
    t.match(await world.get(path), { status: 404, body: { error: 'import_not_found' } })
})
