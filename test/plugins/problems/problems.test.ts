// slow: the whole service
// The list of problems: causes, actions, ignoring and its undo, trying again, filters, paging and bad requests.
import { DatabaseSync } from 'node:sqlite'
import { join } from 'node:path'
import t from 'tap'
import { atEndOfFile } from '../../at-end-of-file.ts'
import { expectOk, runToEnd } from '../../demo/sign-in.ts'
import { openHouse, type StatusWorld, WORLDS } from '../sync/status-worlds.ts'

t.setTimeout(600_000)

const house = await openHouse()
atEndOfFile(() => house[Symbol.asyncDispose]())
const { service, pairs } = house
const [first, second] = pairs

const get = async (query = '') => {
  const { status, body } = await service.json(`/api/problems${query}`)
  t.equal(status, 200, query)
  return body as Board
}
const post = (path: string, json: object) => service.json(`/api/problems/${path}`, { json })

interface Board {
  readonly need_you: number
  readonly total: number
  readonly ignored: number
  readonly causes: readonly { readonly cause: string; readonly rows: number; readonly need_you: number }[]
  readonly items: readonly {
    readonly id: string
    readonly cause: string
    readonly title: string
    readonly text: string
    readonly key: string | null
    readonly accounts: readonly object[]
    readonly since: number | null
    readonly actions: readonly {
      readonly kind: string
      readonly path: string | null
      readonly url: string | null
      readonly account: { readonly provider: string } | null
      readonly call: { readonly method: string; readonly path: string; readonly body: object } | null
    }[]
  }[]
}
const count = (board: Board, cause: string) => board.causes.find((one) => one.cause === cause)?.rows ?? 0
const status = async () => (await service.json('/api/overview')).body.status.count as number
const worldOf = (name: string) => WORLDS.find((one) => one.name === name)!
const OPEN: StatusWorld = {
  ...worldOf('open items'),
  open: { id_mismatch: 3, ambiguous: 1, refused_by_service: 2, not_in_library: 4, adds_off: 5 },
}

t.test('items are grouped by cause, each with its action', async (t) => {
  await house.enter(OPEN)
  const board = await get()
  t.equal(board.need_you, 6)
  t.equal(board.need_you, await status())
  t.same([count(board, 'sync:no_match'), count(board, 'sync:refused')], [4, 2], 'what a library lacks is no problem')
  const match = board.items.find(({ cause }) => cause === 'sync:no_match')!
  t.match(match.text, /^Not added to History at Emby: (ID mismatch|Ambiguous match)\.$/)
  t.same(match.accounts, [{ provider: 'MEDIAC', instance: 'default' }])
  t.match(match.title, /^Film /)
  t.ok((match.since ?? 0) > 0 && (match.since ?? 0) < Date.now() / 1_000)
  t.equal(match.actions[0]?.kind, 'match')
  t.match(match.actions[0]?.path, `/library/${encodeURIComponent(match.key ?? '')}`)
  t.equal(board.items.find(({ cause }) => cause === 'sync:refused')?.actions[0]?.kind, 'try_again')
})

t.test('ignoring lowers the one number, and its undo restores exactly that', async (t) => {
  await house.enter(OPEN)
  const before = await get('?cause=sync:no_match')
  const { body: one } = await post('ignore', { ids: [before.items[0]!.id] })
  t.equal(one.count, 1)
  t.equal((await get()).need_you, 5)
  t.equal(await status(), 5, 'the status has the same number')
  const { body: all } = await post('ignore', { cause: 'sync:no_match' })
  t.equal(all.count, 3)
  const after = await get()
  t.same([after.need_you, after.ignored, count(after, 'sync:no_match')], [2, 4, 0])
  const listed = await service.json(
    `/api/run/unresolved?scope=all&pair_id=${first}&not_in_library=false&accepted=false`,
  )
  t.equal(listed.body.total, 2, 'the list of unresolved items agrees')
  const hidden = await get('?ignored=true')
  t.same([hidden.total, hidden.need_you, hidden.items.length], [4, 0, 4])

  t.equal((await post('restore', { undo: all.undo })).body.count, 3)
  t.equal((await get()).need_you, 5, 'the one that was ignored before stays ignored')
  t.equal((await post('restore', { ids: [before.items[0]!.id] })).body.count, 1)
  t.equal(await status(), 6)
})

t.test('held changes are one problem of their pair, with their number and an approval', async (t) => {
  await house.enter(worldOf('held removals beside open items'))
  const board = await get()
  t.equal(board.need_you, 14)
  const held = board.items.find(({ cause }) => cause === 'sync:approval')!
  t.match(held.text, /^Removing 12 items of history at Emby needs your approval\.$/)
  t.same(held.actions[0]?.call, {
    method: 'POST',
    path: '/api/run',
    body: { pair_id: first, allow_mass_delete: true, features: ['history'], source: 'ui' },
  })
  t.equal((await post('ignore', { cause: 'sync:approval' })).body.count, 0, 'a decision cannot be ignored')
  t.equal(await status(), 14)
})

t.test('accounts, settings and failures', async (t) => {
  for (const [world, cause, action] of [
    ['signed out', 'sync:sign_in', 'sign_in'],
    ['an account that was down', 'sync:unreachable', 'open'],
    ['a skipped feature', 'sync:setting', 'open'],
    ['a provider plugin that failed', 'sync:failed', 'try_again'],
  ] as const) {
    await house.enter(worldOf(world))
    const { items } = await get()
    const found = items.filter((one) => one.cause === cause)
    t.ok(found.length > 0, world)
    t.equal(found[0]?.actions[0]?.kind, action, world)
  }
  await house.enter(worldOf('all in sync'))
  const calm = await get()
  t.same([calm.need_you, calm.causes.filter(({ cause }) => cause.startsWith('sync:'))], [0, []])
})

t.test('filters', async (t) => {
  await house.enter({ ...worldOf('two pairs with different states') })
  t.equal((await get(`?pair=${first}`)).need_you, 2)
  t.equal((await get(`?pair=${second}`)).need_you, 3)
  t.equal((await get('?feature=ratings')).need_you, 3)
  t.equal((await get('?account=mediac')).need_you, 5)
  t.equal((await get('?account=MEDIAB')).need_you, 0)
  t.same(
    (await get('?action=match')).causes.map(({ cause }) => cause),
    ['sync:no_match'],
  )
  const { body } = await service.json('/api/runs')
  t.equal((await get(`?run=${body.runs[0].run_id}&feature=ratings`)).need_you, 3)
  t.equal((await service.json('/api/problems?run=none')).status, 404)
})

t.test('trying again runs the pairs of the problems, and no others', async (t) => {
  const { body: third } = await service.json('/api/pairs', {
    json: {
      ...{ name: 'Third', source: 'MEDIAC', target: 'MEDIAB', mode: 'one_way', enabled: true },
      features: { ratings: { enabled: true, add: true, remove: true } },
    },
  })
  await house.enter(worldOf('two pairs with different states'))
  const { body: retried } = await post('retry', { ids: (await get()).items.map(({ id }) => id) })
  t.equal(retried.count, 5)
  t.same(await pairsOfRun(retried.run_id), [first, second])

  const run = (json: object) => service.json('/api/run', { json })
  const { body: started } = await run({ pair_ids: [third.id, second] })
  t.same(await pairsOfRun(started.run_id), [second, third.id], 'in the order of all pairs')
  t.match(await run({ pair_ids: [first], pair_id: second }), { status: 400, body: { error: 'pair_or_pairs' } })
  t.match(await run({ pair_ids: [first, 'pair_none'] }), { status: 404, body: { error: 'pair_not_found' } })
  t.equal((await run({ pair_ids: [] })).status, 422)
  await expectOk(service, `/api/pairs/${second}`, { enabled: false }, 'PUT')
  t.match(await run({ pair_ids: [first, second] }), { status: 409, body: { error: 'pair_disabled' } })
  t.equal((await service.json(`/api/pairs/${third.id}`, { method: 'DELETE' })).status, 200)
})

async function pairsOfRun(runId: string): Promise<readonly string[]> {
  for (;;) {
    const { body } = await service.json('/api/run/summary')
    if (body.run_id === runId && body.running === false)
      return body.pairs.map(({ pair_id: id }: { readonly pair_id: string }) => id)
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

t.test('a page names its revision, and bad requests are refused', async (t) => {
  const answer = await service.call('/api/problems')
  await answer.text()
  const tag = answer.headers.get('etag') ?? ''
  t.equal((await service.call('/api/problems', { headers: { 'if-none-match': tag } })).status, 304)
  t.equal((await service.json('/api/problems?limit=9999')).status, 422)
  t.equal((await service.json('/api/problems?cause=%20')).status, 422)
  t.equal((await get('?cause=sync:nothing_like_it')).total, 0)
  for (const [path, body] of [
    ['ignore', {}],
    ['ignore', { ids: ['sync:x'], cause: 'sync:no_match' }],
    ['ignore', { ids: ['nonsense'] }],
    ['ignore', { ids: ['sync:item/%ff/a/b/c/d/e'] }],
    ['ignore', { ids: ['playhead:accounts'] }],
    ['restore', {}],
    ['restore', { undo: ['sync:yesterday'] }],
    ['restore', { undo: ['analyzer:{'] }],
    ['retry', { ids: ['analyzer:x///'] }],
  ] as const) {
    const { status: code, body: answer } = await post(path, body)
    t.ok(code >= 400 && code < 500, `${path} ${JSON.stringify(body)}: ${code} ${JSON.stringify(answer)}`)
  }
  t.equal((await service.json('/api/problems/ignore', { json: { ids: [] } })).status, 422)
})

t.test('10,000 problems are paged, and ignored at once', async (t) => {
  await house.enter({ ...OPEN, open: {} })
  const db = new DatabaseSync(join(service.directory, 'data/databases/sync/library.sqlite'))
  db.exec('pragma busy_timeout = 10000')
  db.exec(`insert into sync__unresolved (pair_id, feature, uid, op, key, provider, instance, reason, identity, attempts,
      failures, skip_until_run, item, first_at, last_at, run_id)
    with recursive n(i) as (select 1 union all select i + 1 from n where i < 10000)
    select '${first}', 'history', 'u', 'add', 'movie:tmdb:' || (100000 + i), 'MEDIAC', 'default', 'id_mismatch', '', 1, 1, 0,
      json_object('type', 'movie', 'title', 'Film ' || i, 'ids', json_object('tmdb', '' || i)), i, i, 'r' from n`)
  db.close()
  await expectOk(service, `/api/pairs/${first}`, { name: 'Ten thousand' }, 'PUT')
  const startMs = performance.now()
  const page = await get('?offset=9950&limit=50')
  t.same([page.need_you, page.total, page.items.length], [10_000, 10_000, 50])
  t.ok(performance.now() - startMs < 5_000, `${performance.now() - startMs} ms`)
  const { body } = await post('ignore', { cause: 'sync:no_match' })
  t.equal(body.count, 10_000)
  t.equal(await status(), 0)
  t.equal((await post('restore', { undo: body.undo })).body.count, 10_000)
  t.equal(await status(), 10_000)
})

t.test('a run keeps an ignored item out of its number, and trying again clears the waiting time', async (t) => {
  await house.enter({ ...OPEN, runs: [], open: {} })
  house.emby.faults.add({
    kind: 'html',
    status: 500,
    match: ({ method, path }) => method === 'POST' && /Played/i.test(path),
  })
  const film = house.jellyfin.items('Movie')[0]!
  house.jellyfin.actions.markPlayed('sam', film.id, Date.now() - 86_400_000)
  await runToEnd(service, { pair_id: first })
  const board = await get(`?pair=${first}`)
  const left = board.items.filter(({ key }) => key !== null)
  if (left.length === 0) return t.fail(`nothing was left: ${JSON.stringify(board)}`)
  const at = left[0]!.actions.filter(({ kind }) => kind === 'open_at')
  const page = `${house.jellyfin.url}/web/#/details?id=${film.id}`
  t.match(at, [{ account: { provider: 'MEDIAB' } }], 'the account of the pair that has the film')
  t.ok(at[0]?.url?.startsWith(page), `${at[0]?.url}`)
  const { body: pages } = await service.json(`/api/library/${encodeURIComponent(left[0]!.key!)}/pages`)
  t.same(pages.pages, [{ provider: 'MEDIAB', instance: 'default', url: at[0]?.url }], 'as on the page of the title')
  t.equal((await service.json('/api/library/movie%3Atmdb%3A1/pages')).status, 404)
  await post('ignore', { ids: left.map(({ id }) => id) })
  await runToEnd(service, { pair_id: first })
  const { body } = await service.json('/api/runs')
  t.equal(body.runs[0].open, 0, 'the run does not count it')
  t.equal((await get()).ignored, left.length)
  await post('restore', { ids: left.map(({ id }) => id) })
  t.equal((await get(`?pair=${first}`)).need_you, left.length)
  house.emby.faults.clear()
  const { body: again } = await post('retry', { ids: left.map(({ id }) => id) })
  t.equal(again.count, left.length)
  t.type(again.run_id, 'string')
})
