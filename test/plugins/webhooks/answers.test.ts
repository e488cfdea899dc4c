import t from 'tap'
import { PlayheadError, type PlaybackDecision, type WebhookReport } from '@playhead/sdk'
import {
  gone,
  openBench,
  OLD_TOKEN,
  PROFILE_TOKEN,
  QUEUED,
  RATED,
  RATING_TOKEN,
  sessionOf,
  STARTED,
} from './support.ts'

const URL_A = `/webhook/mediaA?profile=${PROFILE_TOKEN}`
const DOCUMENT = '{"event":"media.play","Account":{"title":"harbourmaster"}}'
const MULTIPART = [
  '--bnd',
  'Content-Disposition: form-data; name="payload"; filename="p.json"',
  'Content-Type: application/json',
  '',
  DOCUMENT,
  '--bnd',
  'Content-Disposition: form-data; name="thumb"; filename="thumb.jpg"',
  '',
  'x'.repeat(100_000),
  '--bnd--',
].join('\r\n')

t.test('a play is passed to the provider and the scrobbler, and the response contains the decision', async (t) => {
  await using bench = await openBench()
  const before = Date.now()
  const answer = await bench.post(URL_A, DOCUMENT, {
    'content-type': 'application/json',
    cookie: 'session=1',
    authorization: 'Bearer 1',
    'x-plex-token': 'secret',
    'x-plex-signature': 'abc',
    'x-playhead-received-at': '5',
  })

  t.strictSame(answer.body, {
    ok: true,
    action: 'start',
    status: 200,
    targets: QUEUED.targets,
    activity_recorded: true,
    progress: 40,
  })
  t.equal(answer.status, 200)
  const [parsed] = bench.parsed
  t.match(parsed, { instance: 'MEDIAA-P02', request: { payload: { event: 'media.play' }, needs: { libraries: true } } })
  t.equal(Buffer.from(parsed?.request.body ?? []).toString(), DOCUMENT)
  t.equal(parsed?.request.headers['x-plex-signature'], 'abc')
  for (const name of ['cookie', 'authorization', 'x-plex-token', 'x-playhead-received-at'])
    t.notOk(name in (parsed?.request.headers ?? {}), name)
  const [played] = bench.played
  t.match(played, { provider: 'MEDIAA', instance: 'MEDIAA-P02', scope: 'scope-1', report: STARTED })
  t.ok((played?.receivedAtMs ?? 0) >= before, 'nobody else says when it arrived')
})

for (const [title, type, payload] of [
  ['JSON', 'application/json', DOCUMENT],
  ['text', 'text/plain', DOCUMENT],
  ['nothing said', '', DOCUMENT],
  ['a form', 'application/x-www-form-urlencoded', `payload=${encodeURIComponent(DOCUMENT)}`],
  ['a part beside a poster', 'multipart/form-data; boundary=bnd', MULTIPART],
] as const) {
  t.test(`encoding: ${title}`, async (t) => {
    await using bench = await openBench()
    const headers: Record<string, string> = type === '' ? {} : { 'content-type': type }
    t.match(await bench.post(URL_A, payload, headers), { status: 200, body: { ok: true, action: 'start' } })
    t.same(bench.parsed[0]?.request.payload, JSON.parse(DOCUMENT))
  })
}

for (const [title, type, payload, reason] of [
  ['nothing', 'application/json', '', 'empty_payload'],
  ['a list', 'application/json', '[]', 'empty_payload'],
  ['no JSON', 'text/plain', '{"IsPaused": True}', 'parse_error'],
  ['too much', 'text/plain', `"${'x'.repeat(1_100_000)}"`, 'too_large'],
  ['another field', 'application/x-www-form-urlencoded', 'data=%7B%7D', 'empty_payload'],
] as const) {
  t.test(`a body with ${title} is ignored with a reason`, async (t) => {
    await using bench = await openBench()
    const { status, body } = await bench.post(URL_A, payload, { 'content-type': type })
    t.match({ status, body }, { status: 200, body: { ok: true, ignored: true, error: reason, reason } })
    t.strictSame([bench.parsed, bench.played], [[], []])
    t.match(bench.lines(), [{ level: 'warn', fields: { reason } }])
  })
}

for (const reason of [
  'webhook_disabled',
  'invalid_profile',
  'provider_not_connected',
  'profile_disabled',
  'no_destinations',
] as const) {
  t.test(`refused: ${reason}`, async (t) => {
    await using bench = await openBench({ access: async () => ({ ok: false, reason }) })
    const { status, body } = await bench.post(URL_A)
    t.strictSame({ status, body }, { status: 200, body: { ok: true, ignored: true, reason, error: reason } })
    t.strictSame(bench.parsed, [])
    t.match(bench.lines(), [{ text: 'a webhook was refused', fields: { reason, path: '/webhook/mediaA' } }])
  })
}

t.test('wrong tokens of old and rating addresses are 401', async (t) => {
  await using bench = await openBench()
  for (const url of ['/webhook/mediaAtrackA', '/webhook/mediaB?token=x', '/webhook/mediaAwatcher?route=r&token=x']) {
    const { status, body } = await bench.post(url)
    t.strictSame({ status, body }, { status: 401, body: { detail: 'invalid_webhook_token' } })
  }
})

for (const report of [
  { type: 'ignored', event: 'library.new', reason: 'unsupported_event' },
  { type: 'ignored', reason: 'unsupported_media_type' },
] as const satisfies readonly WebhookReport[]) {
  t.test(`the provider ignores: ${report.reason}`, async (t) => {
    await using bench = await openBench({ parse: async () => report })
    t.strictSame((await bench.post(URL_A)).body, { ok: true, ignored: true, reason: report.reason })
    t.match(bench.lines(), [{ level: 'info', text: 'webhook ignored', fields: { reason: report.reason } }])
  })
}

t.test('a wrong signature is an error in the response', async (t) => {
  await using bench = await openBench({ parse: async () => ({ type: 'ignored', reason: 'invalid_signature' }) })
  t.match((await bench.post(URL_A)).body, { ok: true, ignored: true, error: 'invalid_signature' })
})

const failed = { target: 'TRACKB', target_instance: 'default', ok: false, error: 'not_configured' } as const
const skipped = {
  target: 'SVC',
  target_instance: 'default',
  ok: true,
  skipped: true,
  ignored: true,
  reason: 'edition:x',
} as const
for (const [title, decision, expected] of [
  [
    'ignored',
    { ignored: true, reason: 'account_not_allowed', targets: [] },
    { ok: true, ignored: true, reason: 'account_not_allowed', status: 200, activity_recorded: false },
  ],
  ['dedup', { dedup: true, reason: 'duplicate_event', targets: [] }, { ok: true, dedup: true }],
  [
    'debounced',
    { debounced: true, action: 'pause', reason: 'pause_debounce', targets: [] },
    { ok: true, debounced: true, action: 'pause' },
  ],
  [
    'suppressed',
    { suppressed: true, action: 'stop', reason: 'duplicate_finish', progress: 97, targets: [] },
    { ok: true, suppressed: true, progress: 97 },
  ],
  [
    'all destinations failed',
    { action: 'stop', targets: [failed] },
    { ok: false, status: 502, error: 'not_configured', activity_recorded: false, targets: [failed] },
  ],
  [
    'one of two failed',
    { action: 'stop', targets: [failed, QUEUED.targets[0] as typeof failed | (typeof QUEUED.targets)[0]] },
    { ok: true, status: 200, activity_recorded: true },
  ],
  [
    'filtered',
    { action: 'start', targets: [skipped] },
    { ok: true, status: 200, activity_recorded: false, targets: [skipped] },
  ],
] as const satisfies readonly (readonly [string, PlaybackDecision, object])[]) {
  t.test(`decision: ${title}`, async (t) => {
    await using bench = await openBench({ decide: async () => decision })
    const { status, body } = await bench.post(URL_A)
    t.match({ status, body }, { status: 200, body: expected })
    t.equal('error' in body, 'error' in expected)
    t.equal(bench.lines().length, 1)
  })
}

t.test('ratings: from the rating address, and from the address of plays', async (t) => {
  await using bench = await openBench({ parse: async () => RATED })
  t.match((await bench.post(`/webhook/mediaAwatcher?route=r1&token=${RATING_TOKEN}`)).body, {
    ok: true,
    action: 'rating',
  })
  t.match((await bench.post(URL_A)).body, { ok: true, action: 'rating' })
  t.equal(bench.rated.length, 2)
  t.strictSame(
    bench.parsed.map(({ request }) => request.purpose),
    ['ratings', undefined],
  )
  bench.behaviour.parse = async () => STARTED
  const answer = await bench.post(`/webhook/mediaAwatcher?token=${RATING_TOKEN}`)
  t.strictSame(answer.body, { ok: true, ignored: true, reason: 'unsupported_event' })
  t.strictSame(bench.played, [], 'a play is not taken from the rating address')
})

t.test('a hanging provider is awaited for two seconds', async (t) => {
  let aborted = false
  await using bench = await openBench({
    parse: (_request, signal) =>
      new Promise(() => {
        signal?.addEventListener('abort', () => {
          aborted = true
        })
      }),
  })
  t.match(await bench.post(URL_A), { status: 200, body: { ok: false, error: 'internal' } })
  t.ok(aborted)
  t.match(bench.lines(), [{ level: 'error', text: /is lost/, fields: { provider: 'MEDIAA', instance: 'MEDIAA-P02' } }])
})

for (const [title, behaviour] of [
  ['the provider throws', { parse: () => Promise.reject(new PlayheadError('PLH_UPSTREAM', 'The server is ill.')) }],
  ['the provider is off', { parse: gone }],
  ['the scrobbler throws', { decide: () => Promise.reject(new Error('disk full')) }],
  ['the scrobbler is off', { access: gone }],
] as const) {
  t.test(`${title}: in the response and the log`, async (t) => {
    await using bench = await openBench(behaviour)
    t.match(await bench.post(URL_A), { status: 200, body: { ok: false, error: 'internal', reason: 'internal' } })
    t.match(bench.lines(), [{ level: 'error', text: /is lost/ }])
    t.strictSame(bench.host.failures, [], 'it is no fault of the plugin')
  })
}

t.test('reports of an account are passed on in order of arrival', async (t) => {
  const slow = Promise.withResolvers<void>()
  await using bench = await openBench({
    async parse({ payload }) {
      if (payload['n'] === 0) await slow.promise
      if (payload['n'] === 1) throw new Error('unreadable')
      return { ...STARTED, event: String(payload['n']) } as WebhookReport
    },
  })
  const answers = [0, 1, 2, 3].map((n) => bench.post(URL_A, { n }))
  for (let round = 0; round < 200 && bench.parsed.length < 4; round += 1)
    await new Promise((done) => setTimeout(done, 5))
  t.equal(bench.parsed.length, 4, 'they are read side by side')
  t.strictSame(bench.played, [])
  slow.resolve()
  t.strictSame(
    (await Promise.all(answers)).map(({ body }) => body['ok']),
    [true, false, true, true],
  )
  t.strictSame(
    bench.played.map(({ report }) => report.event),
    ['0', '2', '3'],
  )
})

t.test('the log contains the reason, and no private data', async (t) => {
  await using bench = await openBench({
    decide: async () => ({ ...QUEUED, ignored: true, reason: 'account_not_allowed', targets: [] }),
  })
  await bench.post(URL_A, { event: 'media.play', private: 'PAYLOAD-TEXT' })
  bench.behaviour.parse = async () => ({
    type: 'playback',
    event: 'PlaybackProgress',
    action: 'progress',
    session: sessionOf({ account: { name: '漢字の人', relation: 'other' } }),
  })
  await bench.post(`/webhook/mediaAtrackA?token=${OLD_TOKEN}`)
  t.match(bench.lines(), [
    {
      level: 'info',
      text: 'webhook ignored',
      fields: {
        provider: 'MEDIAA',
        instance: 'MEDIAA-P02',
        event: 'media.play',
        title: 'Harbour Nine S02E03',
        account: 'ha***',
        reason: 'account_not_allowed',
      },
    },
    { level: 'debug', fields: { account: '漢字***' } },
  ])
  const all = JSON.stringify(bench.host.logs)
  for (const secret of [PROFILE_TOKEN, OLD_TOKEN, 'PAYLOAD-TEXT', 'harbourmaster', '漢字の人']) t.notMatch(all, secret)
})
