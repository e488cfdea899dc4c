// Who caused an operation, and where: stored with each planned operation, inherited through pairs.
import t from 'tap'
import { type Origin, originLabel } from '@playhead/sdk'
import { FakeAccount, type Traits } from '../sync/world/account.ts'
import { createWorld, featureCapabilities, pairOf, START_MS, type World } from '../sync/world/world.ts'
import { toItem, workNamed } from '../sync/world/works.ts'
import { originOf, timeOfAct } from '../../../plugins/services/sync/store/origin-of.ts'
import { toPlanItem } from '../../../plugins/services/sync/store/plans.ts'

await featureCapabilities()

const HEAT = workNamed('heat')
const ALIEN = workNamed('alien')
const DAY_MS = 86_400_000
const NAMES: Readonly<Record<string, string>> = { TRAKT: 'Trakt', PLEX: 'Plex', SIMKL: 'SIMKL' }
const iso = (atMs: number) => new Date(atMs).toISOString()

type Feature = 'ratings' | 'watchlist' | 'history' | 'progress'

/** A chain of accounts: TRAKT, PLEX, SIMKL. */
async function chain(feature: Feature, traits: Readonly<Record<string, Traits>> = {}, undated: readonly string[] = []) {
  const clock = { nowMs: START_MS }
  const accounts = ['TRAKT', 'PLEX', 'SIMKL'].map((id) => new FakeAccount({ id, now: () => clock.nowMs }))
  for (const account of accounts) {
    account.traits = traits[account.id] ?? {}
    account.undated = undated.includes(account.id)
  }
  const features = { [feature]: {} }
  const world = await createWorld(
    accounts,
    [pairOf('TRAKT', 'PLEX', { features }), pairOf('PLEX', 'SIMKL', { features })],
    clock,
  )
  world.settings = { ...world.settings, enable_remove: true }
  return {
    world,
    trakt: accounts[0]!,
    plex: accounts[1]!,
    simkl: accounts[2]!,
    feature,
    [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
  }
}

const nameOf = ({ provider, instance }: { provider: string; instance: string }) => ({ provider, instance })

/** The last operation of each account, with its origin. */
async function carried(world: World, feature: Feature) {
  const rows = await world.db
    .selectFrom('sync__plan_item as item')
    .innerJoin('sync__plan as plan', 'plan.id', 'item.plan_id')
    .selectAll('item')
    .select('plan.header')
    .where('plan.feature', '=', feature)
    .orderBy('item.id')
    .execute()
  const found: Record<string, { op: string; origin: Origin | null; label: string | null }> = {}
  for (const row of rows) {
    const { side, op, header } = row
    const { sides, pair_id: pairId } = JSON.parse(String(header))
    const [at, from] = side === 'a' ? [sides.a, sides.b] : [sides.b, sides.a]
    const stored = toPlanItem({ ...row })
    const origin = originOf(
      { ...stored, time: timeOfAct(feature, stored.item) },
      { feature, isOfPair: pairId !== '', from: nameOf(from), at: nameOf(at) },
    )
    const place = { feature, shownAt: nameOf(from), writtenTo: nameOf(at) }
    const label = origin === null ? null : originLabel(origin, place, (name) => NAMES[name] ?? name)
    found[sides[String(side)].provider] = { op: String(op), origin, label }
  }
  return found
}

t.test('a rating keeps its origin through a service that dates writes by its own clock', async (t) => {
  await using given = await chain('ratings', { PLEX: { stamps: true } })
  const { world, trakt, simkl, feature } = given
  await world.run()
  await world.run()
  trakt.put({ work: HEAT, feature, rating: 8 })
  const ratedAt = `${iso(world.nowMs).slice(0, 19)}Z`
  world.advance(3 * 3_600_000)
  await world.run()
  const first = await carried(world, feature)
  const of = { provider: 'TRAKT', instance: 'default', act: 'set', at: ratedAt, value: '8' }
  t.match(first['PLEX'], {
    op: 'add',
    origin: { ...of, by: 'person' },
    label: 'You rated it 8 at Trakt on 1 June 2026.',
  })
  t.match(first['SIMKL'], {
    op: 'add',
    origin: { ...of, by: 'written' },
    label: 'You rated it 8 at Trakt on 1 June 2026. Plex shows what Playhead wrote.',
  })

  world.advance(DAY_MS)
  await world.run()
  simkl.put({ work: HEAT, feature, rating: 3 })
  await world.run()
  await world.run()
  const second = await carried(world, feature)
  t.match(second['PLEX'], { op: 'update', origin: { provider: 'SIMKL', by: 'person', value: '3' } })
  t.match(second['TRAKT'], {
    op: 'update',
    origin: { provider: 'SIMKL', by: 'written', value: '3' },
    label: /^You rated it 3 at SIMKL on 2 June 2026\. Plex shows what Playhead wrote\.$/,
  })
})

t.test('a removal names the account that lost the row, and between which reads', async (t) => {
  await using given = await chain('watchlist')
  const { world, trakt, simkl, feature } = given
  trakt.put({ work: ALIEN, feature })
  trakt.put({ work: HEAT, feature })
  for (let run = 0; run < 3; run += 1) await world.run()
  const seenMs = world.nowMs
  world.advance(DAY_MS)
  simkl.drop(feature, HEAT)
  world.advance(DAY_MS)
  await world.run()
  const missedMs = world.nowMs
  await world.run()
  const found = await carried(world, feature)
  const span = { from_at: iso(seenMs), to_at: iso(missedMs) }
  t.match(found['PLEX'], {
    op: 'remove',
    origin: { provider: 'SIMKL', act: 'remove', at: null, by: 'person', ...span },
  })
  t.match(found['TRAKT'], {
    op: 'remove',
    origin: { provider: 'SIMKL', act: 'remove', at: null, by: 'written', ...span },
    label: 'Removed at SIMKL between 1 and 3 June 2026. Playhead removed it from Plex.',
  })
})

t.test('of what was there before the first read, only what the account shows is known', async (t) => {
  await using given = await chain('ratings')
  const { world, trakt, feature } = given
  trakt.put({ work: HEAT, feature, rating: 8, atMs: Date.UTC(2019, 4, 3, 20) })
  await world.run()
  const found = await carried(world, feature)
  const origin = { provider: 'TRAKT', act: 'set', at: '2019-05-03T20:00:00Z', by: 'unknown', value: '8' }
  t.match(found['PLEX'], { origin, label: 'Shown by Trakt, dated 3 May 2019.' })
  t.match(found['SIMKL'], { origin, label: 'Shown by Trakt, dated 3 May 2019. Plex shows what Playhead wrote.' })
})

t.test('after a restore nothing is known of what the accounts show', async (t) => {
  await using given = await chain('watchlist', {}, ['TRAKT', 'PLEX', 'SIMKL'])
  const { world, trakt, feature } = given
  await world.run()
  await world.run()
  const backup = world.backup()
  await world.run()
  trakt.put({ work: HEAT, feature })
  world.advance(DAY_MS)
  await world.restore(backup)
  await world.run()
  t.match((await carried(world, feature))['PLEX'], { origin: { provider: 'TRAKT', at: null, by: 'unknown' } })
})

t.test('an act without a time has the reads around it; a day stays a day', async (t) => {
  await using undated = await chain('watchlist', {}, ['TRAKT'])
  await undated.world.run()
  const lackedMs = undated.world.nowMs
  undated.world.advance(2 * DAY_MS)
  undated.trakt.put({ work: HEAT, feature: 'watchlist' })
  await undated.world.run()
  t.match((await carried(undated.world, 'watchlist'))['PLEX'], {
    origin: { by: 'person', at: null, from_at: iso(lackedMs), to_at: iso(undated.world.nowMs) },
    label: 'You added it to the watchlist at Trakt between 1 and 3 June 2026.',
  })

  await using days = await chain('watchlist', { TRAKT: { isDated: true } })
  await days.world.run()
  days.trakt.put({ work: HEAT, feature: 'watchlist' })
  await days.world.run()
  t.match((await carried(days.world, 'watchlist'))['PLEX'], {
    origin: { by: 'person', at: '2026-06-01' },
    label: 'You added it to the watchlist at Trakt on 1 June 2026.',
  })
})

t.test('a change through Playhead is carried as such, and an undo is one', async (t) => {
  await using given = await chain('watchlist')
  const { world, trakt, feature } = given
  await world.run()
  await world.run()
  const item = { ...toItem(HEAT, ['tmdb', 'imdb']), added_at: iso(world.nowMs) }
  await world.change({ provider: 'TRAKT', instance: 'default', feature, op: 'add', items: [{ key: 'heat', item }] })
  const requested = { provider: 'TRAKT', by: 'requested', act: 'set', at: iso(world.nowMs) }
  t.match((await carried(world, feature))['TRAKT'], {
    origin: requested,
    label: 'You added it to the watchlist at Trakt through Playhead on 1 June 2026.',
  })
  const ran = await world.run()
  const found = await carried(world, feature)
  t.match(found['PLEX'], { origin: requested })
  t.match(found['SIMKL'], {
    origin: requested,
    label: 'You added it to the watchlist at Trakt through Playhead on 1 June 2026. Plex shows what Playhead wrote.',
  })
  const outcome = ran.outcomes.find(({ provider }) => provider === 'SIMKL')
  t.match(outcome, { outcome: 'applied', origin: requested }, 'the outcome has it too')

  trakt.put({ work: ALIEN, feature })
  const last = await world.run()
  const order = { runId: 'undo', settings: world.settings, startedAtMs: world.nowMs, pairs: world.pairs }
  const listener = { event: () => {} }
  await world.engine.undo(order, listener, new AbortController().signal, last.report.run_id)
  t.match((await carried(world, feature))['SIMKL'], {
    op: 'remove',
    origin: { provider: 'SIMKL', act: 'remove', by: 'undo', at: iso(world.nowMs) },
    label: 'An undo changed it at SIMKL on 1 June 2026.',
  })
})

t.test('what a mirror removes carries no act', async (t) => {
  const clock = { nowMs: START_MS }
  const accounts = ['TRAKT', 'PLEX'].map((id) => new FakeAccount({ id, now: () => clock.nowMs }))
  const features = { watchlist: { remove_mode: 'mirror' } }
  await using world = await createWorld(accounts, [pairOf('TRAKT', 'PLEX', { mode: 'one_way', features })], clock)
  world.settings = { ...world.settings, enable_remove: true }
  accounts[0]!.put({ work: ALIEN, feature: 'watchlist' })
  accounts[1]!.put({ work: HEAT, feature: 'watchlist' })
  await world.run()
  await world.run({ confirm_mirror: true, pair_id: 'TRAKT-PLEX' })
  t.match((await carried(world, 'watchlist'))['PLEX'], { op: 'remove', origin: null })
})

t.test('a listed row has the origin of what waits, of a difference too', async (t) => {
  const clock = { nowMs: START_MS }
  const accounts = ['TRAKT', 'PLEX'].map((id) => new FakeAccount({ id, now: () => clock.nowMs }))
  const [trakt, plex] = accounts as [FakeAccount, FakeAccount]
  const features = { watchlist: { remove: false } }
  await using world = await createWorld(accounts, [pairOf('TRAKT', 'PLEX', { features })], clock)
  trakt.put({ work: ALIEN, feature: 'watchlist' })
  await world.run()
  await world.run()
  const seenMs = world.nowMs
  world.advance(DAY_MS)
  trakt.drop('watchlist', ALIEN)
  trakt.put({ work: HEAT, feature: 'watchlist' })
  plex.missing.add('heat')
  for (let run = 0; run < 3; run += 1) {
    await world.run()
    const { items } = await world.engine.unresolved.list({ runId: 'all' })
    const of = (title: string) => items.find(({ item }) => item.title === title)
    t.match(of('Alien'), {
      op: 'match',
      origin: { provider: 'TRAKT', act: 'remove', by: 'person', from_at: iso(seenMs) },
    })
    t.match(of('Heat'), {
      op: 'add',
      reason_code: 'not_found',
      origin: { provider: 'TRAKT', act: 'set', by: 'person', at: '2026-06-02T12:02:00Z' },
    })
  }
})
