// A wrongly matched title is moved at one account without data loss.
import t from 'tap'
import { openManual, SHAPES } from './world.ts'

const at = (day: number) => `2026-03-0${day}T20:00:00Z`
const wrong = { type: 'movie', ids: { tmdb: '949' } } as const
const right = { type: 'movie', ids: { tmdb: '11', imdb: 'tt0000011' }, title: 'Heat', year: 1986 } as const
const body = (more: object = {}) => ({ provider: 'TRACKA', from: wrong, to: right, ...more })

async function open() {
  const world = await openManual({
    shapes: SHAPES.map((shape) => ({ ...shape, ...(shape.name === 'MEDIAB' ? { group: 'media_server' } : {}) })),
  })
  const account = world.account('TRACKA')
  const item = { type: 'movie', title: 'Heat', year: 1995, ids: { tmdb: '949' } } as const
  for (const day of [1, 2])
    account.history.push({ ...item, watched_at: at(day), native: { event_id: String(day) } } as never)
  account.history.push({ ...item, ids: { tmdb: '12' }, watched_at: at(3), native: { event_id: '3' } } as never)
  account.watchlist.set('movie:tmdb:949', item)
  return { world, account }
}

t.test('plays keep their times, other titles stay, and a second request has no effect', async (t) => {
  const { world, account } = await open()
  await using _world = world
  const dry = await world.send('match', body({ dry_run: true }))
  t.match(dry, { status: 200, body: { ok: true, dry_run: true, provider: 'TRACKA', instance: 'default' } }, dry.text)
  t.match(dry.body.features, [
    { feature: 'history', rows: 2, moved: 0, left: 0, plan_ids: [] },
    { feature: 'watchlist', rows: 1, moved: 0, left: 0, plan_ids: [] },
  ])
  t.same(world.planned, [], 'nothing is written')
  const { body: done } = await world.send('match', body())
  t.match(done, { ok: true, features: [{ moved: 2 }, { moved: 1 }] })
  t.same(account.state(), [
    'list movie:tmdb:11',
    `play movie:tmdb:11 ${at(1)}`,
    `play movie:tmdb:11 ${at(2)}`,
    `play movie:tmdb:12 ${at(3)}`,
  ])
  t.equal(done.features[0].plan_ids.length, 2)
  t.match(await world.send('match', body()), { status: 404, body: { error: 'title_not_held' } })
})

t.test('an episode keeps its numbers and loses the ids of the wrong show', async (t) => {
  const { world, account } = await open()
  await using _world = world
  account.history.push({
    type: 'episode',
    title: 'Wrong name',
    ids: { tmdb: '77' },
    show_ids: { tmdb: '949' },
    season: 2,
    episode: 3,
    watched_at: at(4),
    native: { event_id: '4' },
  } as never)
  const show = { type: 'show', ids: { tmdb: '949' } }
  const { body: done } = await world.send('match', body({ from: show, to: { type: 'show', ids: { tvdb: '5' } } }))
  t.match(done, { ok: true, features: [{ feature: 'history', rows: 1, moved: 1 }] })
  t.match(
    account.history.find(({ type }) => type === 'episode'),
    { ids: {}, show_ids: { tvdb: '5' }, season: 2, episode: 3, watched_at: at(4) },
  )
  t.equal(account.history.filter(({ ids }) => ids.tmdb === '949').length, 2, 'the film of that number stays')
})

const episodeAt = (season: number, episode: number, day: number, showIds: object = { tmdb: '949' }) =>
  ({
    type: 'episode',
    ids: { tmdb: `77${day}` },
    show_ids: showIds,
    season,
    episode,
    watched_at: at(day),
    native: { event_id: `e${day}` },
  }) as never
const partOf = (ids: object, season: number, episode: number, more: object = {}) => ({
  type: 'show',
  ids,
  season,
  episode,
  ...more,
})

t.test('one episode becomes another of the same show, and the others stay', async (t) => {
  const { world, account } = await open()
  await using _world = world
  account.history.push(episodeAt(2, 3, 4), episodeAt(2, 4, 5))
  const order = body({ from: partOf({ tmdb: '949' }, 2, 3), to: partOf({ tmdb: '949' }, 3, 1) })
  const { body: dry } = await world.send('match', { ...order, dry_run: true })
  t.match(dry, { ok: true, features: [{ feature: 'history', rows: 1, moved: 0 }] })
  const { body: done } = await world.send('match', order)
  t.match(done, { ok: true, features: [{ feature: 'history', rows: 1, moved: 1 }] })
  t.match(
    account.history.filter(({ type }) => type === 'episode').toSorted((a, b) => a.season! - b.season!),
    [
      { season: 2, episode: 4, ids: { tmdb: '775' } },
      { season: 3, episode: 1, ids: {}, show_ids: { tmdb: '949' }, watched_at: at(4) },
    ],
  )
  t.match(await world.send('match', order), { status: 404, body: { error: 'title_not_held' } })
})

t.test('one episode becomes one of another show', async (t) => {
  const { world, account } = await open()
  await using _world = world
  account.history.push(episodeAt(2, 3, 4), episodeAt(2, 4, 5))
  const to = partOf({ tvdb: '5' }, 1, 1, { title: 'Other' })
  await world.send('match', body({ from: partOf({ tmdb: '949' }, 2, 3), to }))
  t.match(
    account.history.find(({ show_ids: show }) => show?.tvdb === '5'),
    { season: 1, episode: 1, series_title: 'Other', watched_at: at(4) },
  )
  t.equal(account.history.filter(({ show_ids: show }) => show?.tmdb === '949').length, 1)
})

t.test('an episode that a media server did not match gets the ids of its show, alone', async (t) => {
  const { world } = await open()
  await using _world = world
  const account = world.account('MEDIAB')
  const guid = 'plex://show/5d7768254de0ee001fcc7f1a'
  account.history.push(episodeAt(1, 1, 1, { guid }), episodeAt(1, 2, 2, { guid }))
  const from = partOf({ guid }, 1, 2)
  const kept = await world.send('match', body({ provider: 'MEDIAB', from, to: partOf({ tvdb: '5' }, 1, 2) }))
  t.match(kept.body, { remembered: true, features: [{ feature: 'history', rows: 1, moved: 1 }] }, kept.text)
  t.match(world.policies, [{ setAdds: [{ season: 1, episode: 2, show_ids: { guid, tvdb: '5' } }] }])
  t.equal((world.policies[0] as { setAdds: unknown[] }).setAdds.length, 1)
  const renumbered = await world.send('match', body({ provider: 'MEDIAB', from, to: partOf({ tvdb: '5' }, 1, 3) }))
  t.match(renumbered, { status: 400, body: { error: 'match_at_server' } }, 'the server numbers its files itself')
})

t.test('rows that did not arrive are not removed', async (t) => {
  for (const fault of ['refuses', 'breaks', 'no_plan', 'lost', 'busy'] as const) {
    const { world, account } = await open()
    await using _world = world
    const before = account.state().filter((line) => line.includes('949'))
    account.fault = fault
    const { status, body: done, text } = await world.send('match', body())
    t.match([status, done.ok], [200, false], `${fault} ${text}`)
    t.notMatch(text, /hunter2|token=abc/)
    t.ok(done.features.every(({ moved, left, rows }: any) => moved === 0 && left === rows))
    t.same(
      account.state().filter((line) => line.includes('949')),
      before,
      fault,
    )
    account.fault = undefined
    const { body: again } = await world.send('match', body())
    t.equal(again.ok, true, `${fault}: repeated`)
    t.same(
      account.state().filter((line) => line.startsWith('play')),
      [1, 2].map((day) => `play movie:tmdb:11 ${at(day)}`).concat(`play movie:tmdb:12 ${at(3)}`),
      fault,
    )
  }
})

t.test('an ambiguous play stays', async (t) => {
  const { world, account } = await open()
  await using _world = world
  delete (account.history[0] as { native?: object }).native
  const { body: done } = await world.send('match', body())
  t.match(done, {
    ok: false,
    features: [{ rows: 2, moved: 1, left: 1, problems: [{ reason: 'exact_play_unknown' }] }, { moved: 1 }],
  })
})

t.test('a media server that did not match a file gets no write; Playhead stores the ids for it', async (t) => {
  const { world } = await open()
  await using _world = world
  const account = world.account('MEDIAB')
  const guid = 'plex://movie/5d7768254de0ee001fcc7f1a'
  account.history.push({ type: 'movie', title: 'Heat', ids: { guid }, watched_at: at(1), rating: 7 } as never)
  const order = body({ provider: 'MEDIAB', from: { type: 'movie', ids: { guid } } })
  const dry = await world.send('match', { ...order, dry_run: true })
  t.match(
    dry.body,
    { ok: true, remembered: true, features: [{ feature: 'history', rows: 1, moved: 0, left: 0 }] },
    dry.text,
  )
  t.same(world.policies, [])
  const done = await world.send('match', order)
  t.match(done.body, { ok: true, remembered: true, features: [{ feature: 'history', rows: 1, moved: 1, left: 0 }] })
  t.same(world.planned, [], 'no service is written')
  t.match(world.policies, [
    {
      ...{ provider: 'MEDIAB', instance: 'default', feature: 'history', ifRevision: '1' },
      setAdds: [{ type: 'movie', title: 'Heat', year: 1986, ids: { guid, tmdb: '11', imdb: 'tt0000011' } }],
    },
  ])
  t.notMatch(JSON.stringify(world.policies), /rating|watched_at/, 'values are those of the account')
})

t.test('wrong requests change nothing', async (t) => {
  const { world, account } = await open()
  await using _world = world
  const before = account.state()
  for (const [request, status, error] of [
    [{}, 422, undefined],
    [body({ to: { type: 'movie', title: 'Heat', ids: {} } }), 400, 'missing_ids'],
    [body({ from: { type: 'movie', ids: { nonsense: '1' } } }), 400, 'missing_ids'],
    [body({ to: { type: 'show', ids: { tmdb: '11' } } }), 400, 'other_type'],
    [body({ to: { type: 'movie', ids: { tmdb: '949', imdb: 'tt1' } } }), 400, 'same_title'],
    [body({ provider: 'NOPE' }), 404, 'unknown_account'],
    [body({ instance: 'second' }), 404, 'unknown_account'],
    [body({ provider: 'MEDIAC' }), 400, 'not_signed_in'],
    [body({ provider: 'MEDIAB' }), 400, 'match_at_server'],
    [body({ from: { type: 'movie', ids: { tmdb: '5' } } }), 404, 'title_not_held'],
    [body({ from: { type: 'season', ids: { tmdb: '5' } } }), 422, undefined],
    [body({ other: 1 }), 422, undefined],
    [body({ from: partOf({ tmdb: '949' }, 2, 3), to: partOf({ tmdb: '949' }, 2, 3) }), 400, 'same_title'],
    [
      body({ from: partOf({ tmdb: '949' }, 2, 3), to: { type: 'show', ids: { tmdb: '5' } } }),
      400,
      'missing_episode_numbers',
    ],
    [
      body({ from: { type: 'show', ids: { tmdb: '949' }, season: 2 }, to: partOf({ tmdb: '5' }, 2, 3) }),
      400,
      'missing_episode_numbers',
    ],
    [
      body({ from: { ...wrong, season: 1, episode: 1 }, to: { ...right, season: 1, episode: 1 } }),
      400,
      'missing_episode_numbers',
    ],
    [body({ from: partOf({ tmdb: '949' }, -1, 3), to: partOf({ tmdb: '5' }, 2, 3) }), 422, undefined],
  ] as const) {
    const answer = await world.send('match', request)
    t.equal(answer.status, status, `${JSON.stringify(request)} ${answer.text}`)
    if (error !== undefined) t.match(answer.body, { ok: false, error })
  }
  t.same([account.state(), world.planned], [before, []])
})

t.test('existing rows of the right title are checked again before the wrong rows are removed', async (t) => {
  const { world, account } = await open()
  await using _world = world
  const there = { ...right, watched_at: at(1), native: { event_id: '9' } } as never
  account.history.push(there)
  // The item was removed at the service since the last read.
  const gone = () => void account.history.splice(account.history.indexOf(there), 1)
  account.reread = gone
  const { body: done, text } = await world.send('match', body())
  t.equal(account.reread, undefined, 'it was read')
  t.match(done, { ok: true, features: [{ feature: 'history', rows: 2, moved: 2 }, { moved: 1 }] }, text)
  t.same(account.state(), [
    'list movie:tmdb:11',
    `play movie:tmdb:11 ${at(1)}`,
    `play movie:tmdb:11 ${at(2)}`,
    `play movie:tmdb:12 ${at(3)}`,
  ])
})

t.test('an account that no run has read is read before it is said to have nothing', async (t) => {
  const { world, account } = await open()
  await using _world = world
  account.reread = () => account.history.push(episodeAt(2, 3, 4, { tmdb: '70' }))
  const order = { from: partOf({ tmdb: '70' }, 2, 3), to: partOf({ tmdb: '70' }, 2, 4), dry_run: true }
  t.match(await world.send('match', body(order)), { status: 200, body: { features: [{ rows: 1 }] } })
})
