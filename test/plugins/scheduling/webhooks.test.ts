// Scheduling webhooks: their content and their permitted targets.
import t from 'tap'
import { NOTIFIERS } from '@playhead/sdk'
import { createTestHost, startServer } from '@playhead/sdk/testing'
import { payloadOf } from '../../../plugins/services/scheduling/run/announcements.ts'
import plugin from '../../../plugins/services/scheduling/index.ts'
import { normalizeScheduling } from '../../../plugins/services/scheduling/plan/normalize.ts'
import { emptyState, type Running } from '../../../plugins/services/scheduling/run/state.ts'
import {
  addressOf,
  createWebhookSender,
  type WebhookPayload,
} from '../../../plugins/services/scheduling/run/webhooks.ts'
import { createScene, START } from './support.ts'

const manifest = new URL('../../../plugins/services/scheduling/plugin.json', import.meta.url)
const webhooks = (more: object) =>
  normalizeScheduling({ webhooks: { enabled: true, allow_private: true, ...more } }).webhooks
const RUNNING: Running = {
  key: 'job:a',
  kind: 'job',
  id: 'a',
  pairId: 'p1',
  slotMs: START,
  dueMs: START,
  batch: START,
  step: 0,
  runId: 'r1',
  startedAtMs: START,
  owner: '',
}
const ORDER = {
  entry: undefined,
  pairId: 'p1',
  stepId: null,
  request: { scheduler_mode: 'advanced', job_id: 'a' },
  last: {},
}

async function sending(handler: Parameters<typeof startServer>[0], more: object = {}) {
  const server = await startServer(handler)
  const settings = (extra: object) =>
    webhooks({
      ...Object.fromEntries(
        Object.entries({ url: '', ...more, ...extra }).map(([name, value]) => [
          name,
          typeof value === 'string' && value.startsWith('/') ? server.url + value : value,
        ]),
      ),
    })
  const host = await createTestHost({
    plugin,
    manifest,
    capabilities: { sync: createScene({}).sync },
    allow: ['127.0.0.1'],
  })
  const sender = createWebhookSender({ upstream: host.ctx.upstream, log: host.ctx.log })
  return {
    server,
    host,
    send: (payload: WebhookPayload, extra: object = {}) => sender.send(settings(extra), payload),
    async [Symbol.asyncDispose]() {
      await host.close()
      await server.close()
    },
  }
}

t.test('an event goes to its own address, else to the common one, else below the base', async (t) => {
  const all = { url: 'https://u.example/x', base_url: 'https://b.example/ping?a=1', start_url: 'https://s.example/' }
  t.equal(addressOf(webhooks(all), 'start'), 'https://s.example/')
  t.equal(addressOf(webhooks(all), 'failure'), 'https://u.example/x')
  const base = webhooks({ base_url: 'https://b.example/ping/?a=1' })
  t.same(
    [addressOf(base, 'start'), addressOf(base, 'success'), addressOf(base, 'failure')],
    ['https://b.example/ping/start?a=1', 'https://b.example/ping?a=1', 'https://b.example/ping/fail?a=1'],
  )
  t.equal(addressOf(webhooks({}), 'start'), undefined)
})

t.test('the payload contains the work and its result, without empty fields', async (t) => {
  const told = (result: 'ok' | 'partial' | 'cancelled' | 'refused', summary?: object, alert = false) =>
    payloadOf(
      ORDER,
      RUNNING,
      {
        result,
        ...(summary === undefined
          ? {}
          : { summary: { run_id: 'r1', running: false, result: 'ok', exit_code: 0, dry_run: false, ...summary } }),
      },
      alert,
      START + 90_000,
    )
  t.same(payloadOf(ORDER, RUNNING, undefined, false, START), {
    event: 'start',
    status: 'started',
    run_id: 'r1',
    scheduler_mode: 'advanced',
    job_id: 'a',
    pair_id: 'p1',
    started_at: '2026-03-10T08:00:30.000Z',
  })
  t.match(told('ok', { added_last: 3, unresolved: 2 }), {
    event: 'success',
    status: 'ok',
    exit_code: 0,
    duration_sec: 90,
    finished_at: '2026-03-10T08:02:00.000Z',
    summary: { added: 3, removed: 0, updated: 0, unresolved: 2, errors: 0, blocked: 0, skipped: 0 },
  })
  t.match(told('ok', { unresolved: 2 }, true), { event: 'failure', status: 'failed', exit_code: 0 })
  t.match(told('partial', { exit_code: 2 }), { event: 'failure', exit_code: 2 })
  t.match(told('cancelled', { exit_code: 1 }), { event: 'failure' })
  t.match(told('refused'), { event: 'failure', status: 'failed', summary: undefined })
})

t.test('plain payloads are sent unchanged', async (t) => {
  await using at = await sending(() => ({ status: 204 }), { url: '/hook?token=1' })
  t.equal(await at.send({ event: 'start', status: 'started', run_id: 'r1', job_id: '' }), true)
  const [request] = at.server.requests
  t.match(request, { method: 'POST', path: '/hook' })
  t.same(JSON.parse(String(request?.body)), { event: 'start', status: 'started', run_id: 'r1' })
})

t.test('notifiarr gets its own format, with the channel as a number of all its digits', async (t) => {
  await using at = await sending(() => ({ status: 200 }), {
    url: '/hook',
    payload_format: 'notifiarr',
    notifiarr_channel_id: '735481457153277994',
  })
  await at.send({ event: 'failure', status: 'failed', run_id: 'r1', summary: { errors: 2 } })
  const text = String(at.server.requests[0]?.body)
  t.match(text, '"ids":{"channel":735481457153277994}')
  t.match(JSON.parse(text), {
    notification: { name: 'Playhead', event: 'r1' },
    discord: { color: 'e74c3c', text: { title: 'Sync failed', fields: Array } },
  })
})

t.test('a webhook is sent once, redirects are not followed, and the address is never logged', async (t) => {
  for (const answer of [
    { status: 500 },
    { status: 302, headers: { location: '/elsewhere' } },
    { status: 307, headers: { location: '/elsewhere' } },
  ]) {
    await using at = await sending(() => answer, { url: '/s3cret' })
    t.equal(await at.send({ event: 'start', status: 'started' }), false)
    t.same(
      at.server.requests.map(({ path }) => path),
      ['/s3cret'],
    )
    t.notMatch(JSON.stringify(at.host.logs), /s3cret/)
    t.equal(at.host.logs.filter(({ level }) => level === 'warn').length, 1)
  }
})

t.test('private addresses are refused unless they were allowed, and nothing is sent when turned off', async (t) => {
  await using at = await sending(() => ({ status: 200 }), { url: '/hook' })
  t.equal(await at.send({ event: 'start', status: 'started' }, { allow_private: false }), false)
  t.equal(await at.send({ event: 'start', status: 'started' }, { enabled: false }), false)
  t.equal(at.server.requests.length, 0)
})

/** A scheduled run that starts and ends. */
async function runOnce(url: string, more: Readonly<Record<string, object>> = {}) {
  const scene = createScene({}, { startMs: Date.now() })
  scene.next = () => ({ lastsMs: 0 })
  // The current minute is due at once, unless it was planned after it had passed.
  const at = new Date().toISOString().slice(11, 16)
  const host = await createTestHost({
    plugin,
    manifest,
    capabilities: { sync: scene.sync, ...more },
    config: {
      timezone: 'UTC',
      advanced: { enabled: true, jobs: [{ id: 'a', pair_id: 'p1', at }] },
      webhooks: { enabled: true, allow_private: true, base_url: url },
    },
  })
  await host.db
    .updateTable('scheduling__state')
    .set({ state: JSON.stringify(planned()) })
    .where('id', '=', 1)
    .executeTakeFirst()
  await host.db
    .insertInto('scheduling__state')
    .values({ id: 1, revision: 0, state: JSON.stringify(planned()) })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  await host.runJob('tick')
  return { host, scene }
}

t.test('a scheduled run is reported at its start and its end', async (t) => {
  const told: unknown[] = []
  await using server = await startServer((request) => {
    told.push([request.path, (request.json() as { status: string }).status])
    return { status: 200 }
  })
  const { host, scene } = await runOnce(server.url)
  t.teardown(() => host.close())
  t.match(scene.started, [{ request: { pair_id: 'p1', job_id: 'a', scheduler_mode: 'advanced' } }])
  while (told.length < 2) await new Promise((resolve) => setTimeout(resolve, 5))
  t.same(told.sort(), [
    ['/', 'ok'],
    ['/start', 'started'],
  ])
})

t.test('with the notifications, a webhook is stored there, and sent by them with the same body', async (t) => {
  await using server = await startServer(() => ({}))
  const stored: { id: string; data: Readonly<Record<string, unknown>> }[] = []
  const notifications = {
    deliver: async ({ id }: { id: string }, { data = {} }: { data?: Readonly<Record<string, unknown>> }) => {
      stored.push({ id, data })
      return id
    },
  }
  const { host } = await runOnce(server.url, { notifications })
  t.teardown(() => host.close())
  while (stored.length < 2) await new Promise((resolve) => setTimeout(resolve, 5))
  t.strictSame(new Set(stored.map(({ id }) => id)), new Set(['scheduling-start', 'scheduling-success']))
  t.equal(server.requests.length, 0, 'not twice')
  const notifier = host.capability(NOTIFIERS.of('scheduling'))
  for (const { id, data } of stored) {
    const message = { id: '1', event: 'scheduling.x', title: '', text: '', severity: 'info', atMs: 0, data } as const
    await notifier.send(id, message, new AbortController().signal)
  }
  t.strictSame(
    server.requests.map((request) => request.json()),
    stored.map(({ data }) => JSON.parse(JSON.stringify(data)) as unknown),
  )
})

/** The record of a job that was planned an hour ago. */
function planned() {
  return { ...emptyState('salt'), plannedUntilMs: { 'job:a': Date.now() - 3_600_000 } }
}
