// slow: the whole service, or very many cases
// A manual request at each of its accounts, with random failures: one status per action, no duplicate play, no show recorded as
// a film.
import fc, { runsOf } from '../../fast-check.ts'
import t from 'tap'
import type { Logger } from '@playhead/sdk'
import { createRun } from '../../../plugins/services/manual/act/run.ts'
import type { Phase, Task } from '../../../plugins/services/manual/act/write.ts'
import type { ActionResult } from '../../../plugins/services/manual/request/body.ts'
import { type Fault, film, HIDDEN, openManual, SHAPES, to } from './world.ts'

const NAMES = SHAPES.map(({ name }) => name)
const ACTIONS = ['history', 'watchlist', 'rating'] as const
const FAULTS: readonly Fault[] = ['no_plan', 'breaks', 'refuses', 'lost', 'busy', 'text']
const STATUSES = ['done', 'already', 'skipped', 'unresolved', 'failed']
const EPISODES = [
  { season: 0, episode: 1, title: 'Special', aired: '2019-12-01' },
  { season: 1, episode: 1, title: 'One', aired: '2020-01-01' },
  { season: 1, episode: 2, title: 'Two', aired: '2020-01-08' },
  { season: 2, episode: 1, title: 'Three', aired: '2021-01-01' },
  { season: 2, episode: 2, title: 'Soon', aired: '2999-01-01' },
  { season: 2, episode: 3, title: 'Some day', aired: null },
]
const SHOWS = { '1': EPISODES, '2': [{ season: 1, episode: 1, title: 'Pilot', aired: null }] }

const targets = fc.uniqueArray(fc.constantFrom(...NAMES, 'NONE', 'tracka'), { minLength: 1, maxLength: 6 })
const actions = fc.record({ history: fc.boolean(), watchlist: fc.boolean(), rating: fc.boolean() })
const faults = fc.dictionary(fc.constantFrom(...NAMES), fc.constantFrom(...FAULTS))

t.test('property 30: each action is in the result of each account once, and ok means that all of them are done', () =>
  fc.assert(
    fc.asyncProperty(targets, actions, faults, async (names, wanted, broken) => {
      await using world = await openManual({ shows: SHOWS })
      for (const [name, fault] of Object.entries(broken)) world.account(name).fault = fault
      const { status, body, text } = await world.mark({
        item: film,
        providers: to(...names),
        actions: wanted,
        rating: 8,
      })
      if (!Object.values(wanted).includes(true)) {
        if (status !== 400 || body.error !== 'missing_actions') throw new Error('nothing to do is refused')
        return
      }
      if (status !== 200) throw new Error(`${status}: ${text}`)
      if (HIDDEN.test(text) || world.host.failures.length > 0) throw new Error('a text of the service came through')
      const unique = [...new Set(names.map((name) => name.toUpperCase()))]
      if (body.results.map(({ provider }: any) => provider).join() !== unique.join()) throw new Error('one result each')
      for (const result of body.results) {
        const shape = SHAPES.find(({ name }) => name === result.provider)
        for (const action of ACTIONS) {
          if (wanted[action] !== (result[action] !== undefined)) throw new Error(`${action} is asked for, or not there`)
          if (!wanted[action]) continue
          const { status: own, reason } = result[action]
          if (!STATUSES.includes(own)) throw new Error(own)
          if ((own === 'done' || own === 'already') !== (reason === undefined))
            throw new Error('a reason for what is not done')
          if (own !== 'done') continue
          const reached = world.account(result.provider).state().length > 0
          if (!reached || shape?.configured === false) throw new Error('nothing is done that did not reach the account')
        }
        const fine = ACTIONS.every((action) => !wanted[action] || ['done', 'already'].includes(result[action].status))
        if (result.ok !== fine) throw new Error('ok')
      }
      if (body.ok !== body.results.every(({ ok }: any) => ok)) throw new Error('ok of all')
    }),
    { numRuns: runsOf(60) },
  ),
)

t.test('property 31: a repeated request, even after a restart, records no play twice', () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom('again', 'at_once', 'reload', 'without_key', 'fault', 'free'), {
        minLength: 1,
        maxLength: 6,
      }),
      fc.constantFrom<Fault | undefined>(undefined, 'busy', 'lost', 'refuses'),
      async (steps, fault) => {
        await using world = await openManual({ shows: SHOWS })
        world.account('TRACKA').fault = fault
        const body = {
          item: film,
          providers: to('TRACKA', 'MEDIAB'),
          date_mode: 'custom',
          watched_on: '2026-01-05',
          actions: { history: true },
        }
        const keyed = { ...body, idempotency_key: 'click-1' }
        const answers = [await world.mark(keyed)]
        for (const step of steps) {
          if (step === 'again') answers.push(await world.mark(keyed))
          else if (step === 'at_once') answers.push(...(await Promise.all([world.mark(keyed), world.mark(keyed)])))
          else if (step === 'reload') await world.host.reload()
          else if (step === 'without_key') await world.mark(body)
          else if (step === 'free') world.free()
          else world.account('TRACKA').fault = 'busy'
        }
        for (const { status, text } of answers)
          if (status !== 200 || text !== answers[0]!.text) throw new Error(`the answer changed: ${text}`)
        world.free()
        for (const name of ['TRACKA', 'MEDIAB'])
          if (world.account(name).history.length > 1) throw new Error(`${name} has it twice after ${steps.join()}`)
      },
    ),
    { numRuns: runsOf(60) },
  ),
)

t.test('a key belongs to one body: a different one is refused, and changes nothing', async (t) => {
  await using world = await openManual()
  const body = {
    item: film,
    providers: to('TRACKA'),
    actions: { watchlist: true, history: false },
    idempotency_key: 'k',
  }
  t.equal((await world.mark(body)).status, 200)
  const other = { ...body, item: { ...film, ids: { tmdb: 1 } } }
  t.match(await world.mark(other), { status: 409, body: { error: 'idempotency_conflict' } })
  const both = await Promise.all([
    world.mark({ ...body, idempotency_key: 'n' }),
    world.mark({ ...other, idempotency_key: 'n' }),
  ])
  t.same(both.map(({ status }) => status).toSorted(), [200, 409], 'also at the same moment')
  await world.host.reload()
  t.match(await world.mark(other), { status: 409 }, 'also after a restart')
  const reordered = {
    idempotency_key: 'k',
    actions: { history: false, watchlist: true },
    providers: to('TRACKA'),
    item: film,
  }
  t.equal((await world.mark(reordered)).status, 200, 'the order of members is no difference')
  t.same(world.account('TRACKA').state(), ['list movie:tmdb:949'])
  t.match(await world.mark({ ...body, providers: [], idempotency_key: 'r' }), { status: 400 })
  t.equal((await world.mark({ ...body, idempotency_key: 'r' })).status, 200, 'what was refused used no key up')
})

t.test('property 32: a show is never written as a film, and an item without a known type reaches no account', () =>
  fc.assert(
    fc.asyncProperty(
      fc.oneof(
        fc.constantFrom(
          'movie',
          'show',
          'tv',
          'series',
          'season',
          'episode',
          'anime',
          'film',
          'Movie',
          'SHOW',
          '',
          null,
          'collection',
          '__proto__',
        ),
        fc.string({ maxLength: 12 }),
      ),
      fc.boolean(),
      fc.constantFrom('1', '2', '3'),
      async (type, confirm, tmdb) => {
        await using world = await openManual({ shows: SHOWS })
        const before = world.asked()
        const { status, body } = await world.mark({
          item: { type, ids: { tmdb }, show_ids: { tmdb }, season: 1, episode: 2 },
          providers: to(...NAMES),
          actions: { history: true, watchlist: true, rating: true },
          rating: 7,
          confirm_show: confirm,
        })
        if (status >= 500) throw new Error(JSON.stringify(body))
        if (status !== 200) {
          if (world.planned.length > 0) throw new Error('something was planned for a request that was refused')
          if (body.error === 'unsupported_type' && world.asked() > before) throw new Error('accounts were asked')
          return
        }
        const given = typeof type === 'string' ? type.trim().toLowerCase() : ''
        const kind = /^(tv|series|shows?)$/.test(given) ? 'show' : given.replace(/s$/, '')
        for (const { feature, changes } of world.planned)
          for (const { item } of changes) {
            if (item.type === 'movie' && kind !== 'movie') throw new Error(`${given} became a film at ${feature}`)
            if (feature === 'history' && item.type !== 'movie' && item.type !== 'episode')
              throw new Error('a show has no play of its own')
            if (
              feature === 'history' &&
              item.type === 'episode' &&
              (item.season === undefined || item.episode === undefined)
            )
              throw new Error('an episode without numbers')
          }
      },
    ),
    { numRuns: runsOf(150) },
  ),
)

t.test('property 33: a failing account changes nothing in the results of the others', () =>
  fc.assert(
    fc.asyncProperty(faults, async (broken) => {
      const body = {
        item: film,
        providers: to(...NAMES),
        date_mode: 'custom',
        watched_on: '2026-01-05T20:00:00Z',
        actions: { history: true, watchlist: true, rating: true },
        rating: 9,
      }
      const results = async (faultsOf: Readonly<Record<string, Fault>>) => {
        await using world = await openManual({ shows: SHOWS })
        for (const [name, fault] of Object.entries(faultsOf)) world.account(name).fault = fault
        const answer = await world.mark(body)
        return Object.fromEntries(
          answer.body.results.map((result: any) => [
            result.provider,
            // Each plan has a different id.
            JSON.stringify([result, world.account(result.provider).state()], (name, value) =>
              name === 'plan_id' ? typeof value : value,
            ),
          ]),
        )
      }
      const [alone, together] = [await results({}), await results(broken)]
      for (const name of NAMES)
        if (broken[name] === undefined && alone[name] !== together[name]) throw new Error(`${name}: ${together[name]}`)
    }),
    { numRuns: runsOf(40) },
  ),
)

t.test('a dry run lists the plays and their results at each account, and writes nothing', async (t) => {
  await using world = await openManual({ shows: SHOWS })
  const body = {
    ...{ item: film, providers: to('TRACKA', 'METAA', 'MEDIAC'), actions: { history: true, rating: true }, rating: 8 },
    ...{ date_mode: 'custom', watched_on: '2026-01-05' },
  }
  const dry = (await world.mark({ ...body, dry_run: true })).body
  t.match(dry, {
    dry_run: true,
    plays: [{ type: 'movie', watched_at: '2026-01-05T12:00:00Z', watched_on: '2026-01-05' }],
    results: [
      { provider: 'TRACKA', ok: true, history: { status: 'planned' }, rating: { status: 'planned' } },
      { provider: 'METAA', ok: false, history: { status: 'skipped', reason: 'history_not_supported' } },
      { provider: 'MEDIAC', ok: false, error: 'provider_unavailable' },
    ],
  })
  for (const name of ['TRACKA', 'METAA']) t.same(world.account(name).state(), [])
  const done = (await world.mark(body)).body
  t.match(done.results[0], { history: { status: 'done', plan_id: /./ }, rating: { status: 'done', plan_id: /./ } })
  t.match((await world.mark({ ...body, dry_run: true })).body.results[0], { history: { status: 'already' } })
  world.account('TRACKA').fault = 'text'
  const away = (await world.mark({ ...body, providers: to('TRACKA', 'SVC'), dry_run: true })).body
  t.match(away.results, [
    { provider: 'TRACKA', ok: false, history: { status: 'failed' }, rating: { status: 'planned' } },
    { provider: 'SVC', ok: true, history: { status: 'planned' } },
  ])
  world.account('TRACKA').fault = undefined
  const show = { item: { type: 'show', ids: { tmdb: '1' } }, providers: to('TRACKA'), dry_run: true }
  t.match((await world.mark(show)).body, { episodes: 3, episodes_from: 'metadata', plays: [{ season: 1, episode: 1 }] })
})

t.test('a show means its aired episodes, once they are confirmed', async (t) => {
  await using world = await openManual({ shows: SHOWS })
  const show = { type: 'show', title: 'A show', ids: { tmdb: 1 } }
  const body = { item: show, providers: to('TRACKA', 'MEDIAB', 'METAA') }
  t.match(await world.mark(body), {
    status: 400,
    body: { error: 'confirmation_required', episodes: 3, episodes_from: 'metadata' },
  })
  t.equal(world.planned.length, 0)
  const { body: answer } = await world.mark({ ...body, confirm_show: true, date_mode: 'release' })
  t.match(answer, { episodes: 3, episodes_from: 'metadata', watched_at: null, ok: false })
  t.same(
    world.account('TRACKA').history.map(({ season, episode, watched_at: at }) => [season, episode, at]),
    [
      [1, 1, '2020-01-01T12:00:00Z'],
      [1, 2, '2020-01-08T12:00:00Z'],
      [2, 1, '2021-01-01T12:00:00Z'],
    ],
    'specials and what is still to come are no part of it',
  )
  t.match(answer.results[2], {
    provider: 'METAA',
    ok: false,
    history: { status: 'skipped', reason: 'history_not_supported' },
  })
  t.match((await world.mark({ ...body, confirm_show: true, date_mode: 'release' })).body.results[0].history, {
    status: 'already',
    episodes: { total: 3, already: 3 },
  })
  t.equal(world.account('TRACKA').history.length, 3)
  const season = { type: 'season', show_ids: { tmdb: 1 }, season: 0 }
  t.match((await world.mark({ item: season, providers: to('TRACKA'), confirm_show: true })).body, {
    episodes: 1,
    ok: true,
  })
})

t.test('a show with no aired or no known episodes is not marked', async (t) => {
  const mark = async (shows: typeof SHOWS | undefined, tmdb: number, confirm = true) => {
    await using world = await openManual(shows === undefined ? {} : { shows })
    const { status, body } = await world.mark({
      item: { type: 'show', ids: { tmdb } },
      providers: to('TRACKA'),
      confirm_show: confirm,
    })
    t.equal(world.planned.length, 0)
    return [status, body.error, body.episodes]
  }
  t.same(await mark(SHOWS, 2, false), [400, 'confirmation_required', 0])
  t.same(await mark(SHOWS, 2), [400, 'nothing_aired', undefined])
  t.same(await mark(SHOWS, 99, false), [400, 'confirmation_required', null])
  t.same(await mark(SHOWS, 99), [400, 'episodes_unknown', undefined])
  t.same(await mark(undefined, 1), [400, 'episodes_unknown', undefined])
})

t.test("without a metadata service a show means the accounts' episodes of it", async (t) => {
  await using world = await openManual()
  world
    .account('SVC')
    .history.push(
      { type: 'episode', ids: {}, show_ids: { tmdb: '7' }, season: 1, episode: 4, watched_at: '2024-01-01T00:00:00Z' },
      { type: 'episode', ids: {}, show_ids: { tmdb: '8' }, season: 1, episode: 9, watched_at: '2024-01-01T00:00:00Z' },
    )
  const { body } = await world.mark({
    item: { type: 'show', ids: { tmdb: 7 } },
    providers: to('TRACKA'),
    confirm_show: true,
  })
  t.match(body, { ok: true, episodes: 1, episodes_from: 'library' })
  t.match(world.account('TRACKA').history, [{ season: 1, episode: 4 }])
  t.equal(world.account('TRACKA').history.length, 1)
})

t.test('an unknown or future release is refused, and sends no request to an account', async (t) => {
  await using world = await openManual({ shows: SHOWS, released: { '949': '1995-12-15', '1': '2999-01-01' } })
  const mark = (tmdb: number) =>
    world.mark({ item: { type: 'movie', ids: { tmdb } }, providers: to('TRACKA'), date_mode: 'release' })
  t.match(await mark(949), { status: 200, body: { watched_at: '1995-12-15T12:00:00Z', watched_on: '1995-12-15' } })
  for (const tmdb of [1, 2]) t.match(await mark(tmdb), { status: 400, body: { error: 'release_date_unavailable' } })
  t.equal(world.planned.length, 1)
  const only = { item: { type: 'movie', ids: { tmdb: 1 } }, providers: to('TRACKA'), date_mode: 'release' }
  t.match(
    await world.mark({ ...only, actions: { history: false, watchlist: true } }),
    { status: 200 },
    'no date is needed',
  )
})

t.test('malformed requests are 422, invalid ones 400, and nothing is written', async (t) => {
  await using world = await openManual()
  const good = { item: film, providers: to('TRACKA') }
  const malformed: object[] = [
    { ...good, item: 'Heat' },
    { ...good, item: null },
    { ...good, item: [] },
    { ...good, providers: 'TRACKA' },
    { ...good, providers: ['TRACKA'] },
    { ...good, providers: [{ instance: 'default' }] },
    { ...good, providers: [null] },
    { ...good, actions: { history: 'yes please' } },
    { ...good, date_mode: 'custom', watched_on: '2026-07-01T20:15:00' },
    { ...good, rating: 'ten' },
    { ...good, idempotency_key: '' },
    { ...good, item: { ...film, ids: [] } },
  ]
  for (const body of malformed) {
    const { status, body: answer } = await world.mark(body)
    t.equal(status, 422, JSON.stringify(body))
    t.match(answer, { detail: [{ loc: Array, msg: String, type: String }] })
  }
  const refused: [string, object][] = [
    ['missing_providers', { ...good, providers: [] }],
    ['missing_actions', { ...good, actions: { history: false } }],
    ['conflicting_actions', { ...good, actions: { watchlist: true, remove_watchlist: true } }],
    ['missing_ids', { ...good, item: { type: 'movie', title: 'Heat' } }],
    ['missing_ids', { ...good, item: { type: 'episode', ids: { tmdb: 5 }, season: 1, episode: 1 } }],
    ['missing_ids', { ...good, item: { type: 'movie', ids: { tmdb: 0, imdb: 'none' } } }],
    ['missing_episode_numbers', { ...good, item: { type: 'episode', show_ids: { tmdb: 5 }, season: 1 } }],
    ['missing_episode_numbers', { ...good, item: { type: 'episode', show_ids: { tmdb: 5 }, season: 1, episode: 0 } }],
    ['unsupported_type', { ...good, item: { ...film, type: 'anime' } }],
    ['unsupported_type', { ...good, item: { ids: { tmdb: 949 }, type: 'boxset' } }],
    ['invalid_date_mode', { ...good, date_mode: 'someday' }],
    ['invalid_custom_date', { ...good, date_mode: 'custom' }],
    ['date_out_of_range', { ...good, date_mode: 'custom', watched_on: '2999-01-01' }],
    ['missing_rating', { ...good, actions: { rating: true } }],
    ['invalid_rating', { ...good, actions: { rating: true }, rating: 7.5 }],
    ['invalid_rating', { ...good, actions: { rating: true }, rating: 11 }],
    ['invalid_rating', { ...good, rating: 0 }],
  ]
  for (const [error, body] of refused) {
    const answer = await world.mark(body)
    t.match(answer, { status: 400, body: { ok: false, error } }, JSON.stringify(body))
  }
  t.equal(world.planned.length, 0)
})

t.test('unknown or signed-out accounts are named, and change nothing for the rest', async (t) => {
  await using world = await openManual()
  const { body } = await world.mark({
    item: film,
    providers: [...to('STATSA', 'MEDIAC', 'SVC'), { provider: 'TRACKA', provider_instance: 'TRACKA-P09' }],
  })
  t.match(
    body.results.map(({ error, history }: any) => [error ?? null, history.status]),
    [
      ['provider_not_allowed', 'failed'],
      ['provider_unavailable', 'failed'],
      [null, 'done'],
      ['unknown_instance', 'failed'],
    ],
  )
  t.same(world.account('TRACKA').state(), [], 'the default profile is no substitute')
})

t.test(
  'what was done is recorded: for runs, in the activity log with its plain date, and in the archive',
  async (t) => {
    await using world = await openManual()
    world.account('SVC').fault = 'refuses'
    await world.mark({
      item: film,
      providers: to('TRACKA', 'SVC'),
      date_mode: 'custom',
      watched_on: '2026-07-01',
      actions: { history: true, rating: true },
      rating: 9,
    })
    t.match(world.recorded, [{ provider: 'TRACKA', watchedAtMs: Date.UTC(2026, 6, 1, 12) }])
    t.ok(
      world.recorded[0]!.endedAtMs - world.recorded[0]!.startedAtMs >= 86_400_000,
      'any play of that day is this one',
    )
    t.match(world.activity, [{ event: 'manual_watched', target: 'TRACKA', watchedOn: '2026-07-01', title: 'Heat' }])
    t.same(
      world.host.events
        .recent({ name: 'manual.changed' })
        .map(({ data }) => [data['action'], data['provider']])
        .toSorted(),
      [
        ['history', 'TRACKA'],
        ['rating', 'TRACKA'],
      ],
    )
    t.equal(world.activity.length, 1)
  },
)

t.test('a play that waits for a run is recorded when it is done, once, also after a restart', async (t) => {
  await using world = await openManual()
  world.account('TRACKA').fault = 'busy'
  const { body } = await world.mark({ item: film, providers: to('TRACKA') })
  t.match(body.results[0], { ok: false, history: { status: 'failed', reason: 'timeout', pending: true } })
  t.equal(world.activity.length, 0)
  await world.host.reload()
  world.free()
  await world.host.runDelayed()
  await world.host.runJob('follow')
  t.equal(world.activity.length, 1)
  t.equal(world.account('TRACKA').history.length, 1)
})

t.test("a title is removed from a watchlist by the account's own row, with any ids", async (t) => {
  await using world = await openManual({ shows: {} })
  world.account('TRACKA').watchlist.set('movie:imdb:tt9949', { type: 'movie', title: 'Heat', ids: { imdb: 'tt9949' } })
  const remove = { item: film, providers: to('TRACKA'), actions: { history: false, remove_watchlist: true } }
  t.match((await world.mark(remove)).body.results[0].remove_watchlist, { status: 'done' })
  t.match((await world.mark(remove)).body.results[0].remove_watchlist, { status: 'already' })
  t.same(world.account('TRACKA').state(), [])
})

t.test('the selectable accounts are the writable ones', async (t) => {
  await using world = await openManual({
    shapes: [...SHAPES, { name: 'STATSA', features: [] }, { name: 'LISTA', features: ['ratings'] }],
  })
  const { ok, providers } = (await world.host.inject('/api/manual/providers')).json()
  t.ok(ok)
  t.same(
    providers.map(({ provider, show_history: show }: any) => `${provider} ${show}`),
    ['MEDIAB all_aired', 'METAA none', 'SVC all_aired', 'TRACKA all_aired'],
  )
  t.match(providers[1], {
    history_enabled: false,
    watchlist_enabled: true,
    ratings_enabled: true,
    display: 'The METAA',
  })
})

t.test('an account that does not answer in time delays no one, and nothing is started after that', async (t) => {
  const log: Partial<Logger> = { info() {}, warn() {} }
  const slow = Promise.withResolvers<ActionResult>()
  const phases: Phase[] = []
  const run = createRun({
    write: async ({ target: { provider } }, action, phase) => {
      phases.push(phase)
      if (provider !== 'MEDIAB') return { status: 'done' }
      phase.isPlanned = action === 'rating'
      return slow.promise
    },
    limitMs: () => 20,
    now: Date.now,
    log: log as Logger,
  })
  const task = (provider: string) =>
    ({ order: { actions: ['history', 'rating'] }, target: { provider, instance: 'default' } }) as unknown as Task
  t.same(await Promise.all([run(task('MEDIAB')), run(task('SVC'))]), [
    {
      provider: 'MEDIAB',
      instance: 'default',
      ok: false,
      history: { status: 'failed', reason: 'timeout' },
      rating: { status: 'failed', reason: 'timeout', pending: true },
    },
    { provider: 'SVC', instance: 'default', ok: true, history: { status: 'done' }, rating: { status: 'done' } },
  ])
  t.equal(phases.filter(({ isOver }) => isOver).length, 2)
  slow.reject(new Error('late'))
})

t.test(
  'the accounts list their person and whether they are anime-only, so that no other person is written by chance',
  async (t) => {
    await using world = await openManual({
      shapes: [
        { name: 'TRACKA', features: ['history', 'watchlist', 'ratings'] },
        { name: 'MEDIAB', features: ['history'], further: 'MEDIAB-P01' },
        { name: 'ANIMEA', features: ['watchlist', 'ratings'], needsAnyId: ['anilist', 'mal'] },
        { name: 'METAA', features: ['watchlist', 'ratings'], needsAnyId: ['tmdb', 'imdb'] },
      ],
    })
    const { providers } = (await world.host.inject('/api/manual/providers')).json()
    t.same(
      providers.map(({ provider, instance, own, anime_only: anime }: any) => [provider, instance, own, anime]).sort(),
      [
        ['ANIMEA', 'default', true, true],
        ['MEDIAB', 'MEDIAB-P01', false, false],
        ['MEDIAB', 'default', true, false],
        ['METAA', 'default', true, false],
        ['TRACKA', 'default', true, false],
      ],
    )
    const kinds = Object.fromEntries(providers.map((one: any) => [`${one.provider}@${one.instance}`, one.kinds]))
    t.match(kinds['TRACKA@default'], { history: ['movie', 'episode'] })
    t.same(kinds['METAA@default'].history, [], 'an account without a history takes no kind')
  },
)
