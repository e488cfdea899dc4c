// The notification routes in the whole service, with a real notifier and a server.
import { startServer } from '@playhead/sdk/testing'
import t from 'tap'
import { startService, until } from '../../harness.ts'

t.test('a target and a rule are created, tested, used and removed', async (t) => {
  let status = 200
  await using server = await startServer(() => ({ status, json: {} }))
  await using service = await startService({ shipped: true })
  const post = (path: string, json: object) => service.json(path, { method: 'POST', json })

  const overview = (await service.json('/api/notifications')).body
  const all = [
    'apprise',
    'discord',
    'email',
    'gotify',
    'ntfy',
    'pushover',
    'scheduling',
    'slack',
    'telegram',
    'webhook',
  ]
  t.ok(all.every((id) => overview.notifiers.some((one: { id: string }) => one.id === id)))
  t.match(
    overview.events.find(({ id }: { id: string }) => id === 'run_failed'),
    { label: 'A sync failed' },
  )

  const wrong = await post('/api/notifications/targets', {
    notifier: 'ntfy',
    name: 'Mine',
    settings: { server: server.url, topic: 'not a topic!' },
  })
  t.equal(wrong.status, 422)
  t.match(wrong.body, { detail: [{ loc: ['body', 'settings', 'topic'] }] })
  t.equal((await post('/api/notifications/targets', { notifier: 'nothing', name: 'x', settings: {} })).status, 404)

  const made = await post('/api/notifications/targets', {
    notifier: 'ntfy',
    name: 'Mine',
    settings: { server: server.url, topic: 'a-secret-topic-of-mine' },
  })
  t.equal(made.status, 200, JSON.stringify(made.body))
  const { id } = made.body.target
  t.match(id, /^ntfy-[0-9a-f]{10}$/)
  const again = await post('/api/notifications/targets', {
    notifier: 'ntfy',
    name: 'Mine',
    settings: { topic: 'a-secret-topic-of-mine', server: server.url },
  })
  t.match(again, { status: 200, body: { target: { id } } }, 'a save that is repeated makes no second target')
  t.equal((await service.json('/api/notifications/targets')).body.targets.length, 1)
  t.notMatch(JSON.stringify((await service.json('/api/notifications')).body), /a-secret-topic-of-mine/)

  t.match((await post('/api/notifications/test', { target: id })).body, { ok: true, error: null })
  t.match(server.requests.at(-1)?.json(), { topic: 'a-secret-topic-of-mine', title: 'Playhead can reach you here' })
  status = 401
  const refused = await post('/api/notifications/test', { target: id })
  t.equal(refused.status, 200)
  t.match(refused.body, { ok: false, error: /unauthorized/ })
  status = 200
  t.match((await post('/api/notifications/test', { target: 'ntfy-0' })).status, 404)

  const rule = { name: 'All', events: ['plugin_stopped', 'disk_low'], targets: [id] }
  t.match((await post('/api/notifications/rules', { ...rule, time_zone: 'Mars/Olympus' })).body, {
    detail: [{ loc: ['body', 'time_zone'] }],
  })
  t.match((await post('/api/notifications/rules', { ...rule, targets: ['ntfy-0'] })).body, {
    detail: [{ loc: ['body', 'targets', '0'] }],
  })
  const ruled = await post('/api/notifications/rules', rule)
  t.match(ruled.body, { ok: true, rule: { name: 'All', max_per_hour: 20, quiet: { enabled: false } } })
  t.equal((await post('/api/notifications/rules', { ...rule, id: 'nothing' })).status, 404)
  t.match((await service.json(`/api/notifications/targets/${id}`, { method: 'DELETE' })).body, {
    error: 'target_in_use',
  })

  const { body: log } = await service.json('/api/notifications/log')
  t.match(log, { total: 2, items: [{ state: 'failed' }, { state: 'sent' }] })
  const retried = await service.json(`/api/notifications/log/${log.items[0].id}/retry`, { method: 'POST' })
  t.match(retried.body, { ok: true })
  await until('it was sent', async () => (await service.json('/api/notifications/log?state=sent')).body.total === 2)

  t.equal((await service.json(`/api/notifications/rules/${ruled.body.rule.id}`, { method: 'DELETE' })).status, 200)
  t.equal((await service.json(`/api/notifications/targets/${id}`, { method: 'DELETE' })).status, 200)
  t.strictSame((await service.json('/api/notifications/targets')).body.targets, [])
})

t.test(
  'the webhooks of the scheduling are targets, keep their body, and are tested and logged like others',
  async (t) => {
    await using server = await startServer(() => ({ json: {} }))
    await using service = await startService({ shipped: true })
    const webhooks = { enabled: true, allow_private: true, failure_url: `${server.url}/fail/secret-of-a-hook` }
    t.equal((await service.json('/api/scheduling', { method: 'POST', json: { webhooks } })).status, 200)
    const { targets } = (await service.json('/api/notifications/targets')).body
    t.match(targets, [{ id: 'scheduling-failure', notifier: 'scheduling', enabled: true }])
    t.equal((await service.json('/api/notifications/targets/scheduling-failure', { method: 'DELETE' })).status, 409)
    const tested = await service.json('/api/notifications/test', {
      method: 'POST',
      json: { target: 'scheduling-failure' },
    })
    t.match(tested.body, { ok: true })
    t.match(server.requests, [{ path: '/fail/secret-of-a-hook' }])
    t.strictSame(server.requests[0]?.json(), { event: 'failure', status: 'failed', run_id: 'test' })
    t.match((await service.json('/api/notifications/log')).body, {
      items: [{ target: 'scheduling-failure', state: 'sent' }],
    })
  },
)
