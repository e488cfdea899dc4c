// Syncs after a play.
import t from 'tap'
import { readEvent } from '../../../plugins/services/scheduling/plan/event-rules.ts'
import { createScene, HOUR, MINUTE } from './support.ts'

const rule = (more: object = {}) => ({
  id: 'r',
  source: 'watcher',
  event: 'stop',
  filters: { route_id: 'one' },
  action: { kind: 'sync_pair', pair_id: 'p1' },
  ...more,
})
const sceneOf = (...rules: object[]) => createScene({ advanced: { enabled: true, event_rules: rules } })
const EVENT = {
  source: 'watcher',
  route_id: 'one',
  provider: 'MEDIAA',
  provider_instance: 'default',
  account: 'Mira',
  media_type: 'movie',
  progress: 92,
  key: 'movie:tmdb:1',
}

t.test('an event that matches a rule starts a run of its pair', async (t) => {
  const scene = sceneOf(rule())
  t.same(await scene.scheduler().played('stop', EVENT), { ok: true, matched: 1, triggered: 1, skipped: [] })
  t.match(scene.started[0]?.request, { source: 'scheduler_event', pair_id: 'p1', trigger_event: 'watcher.stop' })
  t.match(scene.store.current().last, { rule_id: 'r', event_source: 'watcher', event_name: 'stop', pair_id: 'p1' })
})

t.test('an event hours after the last check is not treated as one from before a stop', async (t) => {
  const scene = sceneOf(rule())
  await scene.pass(5 * HOUR)
  t.ok(scene.wake.looks <= 1, 'nothing is planned, so nobody looks')
  await scene.scheduler().played('stop', EVENT)
  t.equal(scene.started.length, 1)
})

t.test('every filter must match', async (t) => {
  const filters = {
    route_id: 'one',
    provider: 'mediaa',
    provider_instance: 'default',
    account: 'MIRA',
    media_type: 'movie',
    min_progress: 90,
  }
  const matched = async (change: object, name = 'stop') =>
    (
      await sceneOf(rule({ filters }))
        .scheduler()
        .played(name, { ...EVENT, ...change })
    ).matched
  t.equal(await matched({}), 1)
  t.equal(await matched({}, 'pause'), 0)
  for (const change of [
    { source: 'webhook' },
    { route_id: 'two' },
    { provider: 'MEDIAB' },
    { provider_instance: 'MEDIAA-P01' },
    { account: 'ada' },
    { account: undefined },
    { media_type: 'episode' },
    { progress: 89 },
    { progress: undefined },
  ])
    t.equal(await matched(change), 0, JSON.stringify(change))
  t.equal(
    (
      await sceneOf(rule({ filters: {} }))
        .scheduler()
        .played('stop', EVENT)
    ).matched,
    0,
    'a rule without a route',
  )
  t.equal(
    (
      await sceneOf(rule({ active: false }))
        .scheduler()
        .played('stop', EVENT)
    ).matched,
    0,
  )
  t.equal(
    (
      await sceneOf(rule({ event: 'scrobble' }))
        .scheduler()
        .played('stop', EVENT)
    ).matched,
    1,
    'another word for stop',
  )
})

t.test('the guards delay runs, also over a restart', async (t) => {
  const guarded = async (guardrails: object, ...waits: number[]) => {
    const scene = sceneOf(rule({ guardrails }))
    const reasons: string[] = []
    for (const [index, minutes] of waits.entries()) {
      await scene.pass(minutes * MINUTE)
      if (index === 1) await scene.restart()
      const { skipped, triggered } = await scene.scheduler().played('stop', EVENT)
      reasons.push(triggered === 1 ? 'run' : skipped[0]!.reason)
    }
    return reasons
  }
  t.same(await guarded({}, 1, 2, 2), ['run', 'run', 'run'])
  t.same(await guarded({ cooldown_minutes: 10 }, 1, 5, 4, 2), ['run', 'cooldown', 'cooldown', 'run'])
  t.same(await guarded({ dedupe_window_seconds: 300 }, 1, 4, 2), ['run', 'dedupe', 'run'])
  t.same(await guarded({ max_runs_per_hour: 2 }, 1, 10, 10, 45), ['run', 'run', 'rate_limit', 'run'])
})

t.test('another item is no repetition', async (t) => {
  const scene = sceneOf(rule({ guardrails: { dedupe_window_seconds: 300 } }))
  await scene.scheduler().played('stop', EVENT)
  await scene.pass(2 * MINUTE)
  t.match(await scene.scheduler().played('stop', { ...EVENT, key: 'movie:tmdb:2' }), { triggered: 1 })
})

t.test('during a run one run per pair waits, and no more', async (t) => {
  const scene = sceneOf(rule(), rule({ id: 'q', action: { pair_id: 'p2' } }))
  await scene.runByHand(HOUR)
  t.match(await scene.scheduler().played('stop', EVENT), { matched: 2, triggered: 2 })
  t.match(await scene.scheduler().played('stop', EVENT), {
    matched: 2,
    triggered: 0,
    skipped: [
      { rule_id: 'r', reason: 'busy' },
      { rule_id: 'q', reason: 'busy' },
    ],
  })
  await scene.pass(2 * HOUR)
  t.same(
    scene
      .names()
      .slice(1)
      .map((name) => name.split(' +')[0]),
    ['scheduler_event p1', 'scheduler_event p2'],
  )
})

t.test('a missing or disabled pair, no rules, and a disabled schedule are reported as such', async (t) => {
  t.match(
    await sceneOf(rule({ action: { pair_id: 'nowhere' } }))
      .scheduler()
      .played('stop', EVENT),
    { skipped: [{ reason: 'missing_pair' }] },
  )
  t.match(
    await sceneOf(rule({ action: { pair_id: 'p4' } }))
      .scheduler()
      .played('stop', EVENT),
    { skipped: [{ reason: 'missing_pair' }] },
  )
  t.match(await sceneOf().scheduler().played('stop', EVENT), { ok: false, reason: 'no_rules' })
  t.match(
    await createScene({ advanced: { event_rules: [rule()] } })
      .scheduler()
      .played('stop', EVENT),
    { ok: false, reason: 'advanced_disabled' },
  )
})

t.test('fields of the wrong kind are treated as missing', async (t) => {
  t.same(readEvent({ source: 'watcher', account: 5, progress: '90', extra: {} }), { source: 'watcher' })
  t.same(readEvent({ progress: 90, key: 'k' }), { key: 'k', progress: 90 })
})
