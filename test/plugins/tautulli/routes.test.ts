// Connecting Tautulli: the input is tested first, and each failure is named.
import { PlayheadError } from '@playhead/sdk'
import t from 'tap'
import { startServer } from '@playhead/sdk/testing'
import { type Bench, startBench, UNUSED } from './support.ts'

const SAVE = '/api/statsA/save'
const STATUS = '/api/statsA/status'
const DISCONNECT = '/api/statsA/disconnect'
const stored = async ({ provider }: Bench) => (await provider.profiles())[0]

t.test('address and key are tested, saved and shown as connected', async (t) => {
  await using bench = await startBench({ connected: false, basePath: '/tautulli' })
  const { tautulli } = bench
  t.strictSame((await bench.call('GET', STATUS)).body, {
    connected: false,
    instance: 'default',
    reason: 'server_url_required',
  })
  t.strictSame(
    await bench.call('POST', SAVE, { server_url: `${tautulli.url}/`, api_key: tautulli.apiKey, user_id: 9_001 }),
    { status: 200, body: { ok: true, server_url: tautulli.url, has_key: true, instance: 'default' } },
  )
  t.strictSame((await bench.call('GET', STATUS)).body, { connected: true, instance: 'default' })
  t.strictSame((await bench.call('GET', `${STATUS}?verify=1`)).body, { connected: true, instance: 'default' })
  t.match(await bench.provider.probe('default'), { status: 'ok', account: `${tautulli.serverId}/9001` })
  t.notOk(
    JSON.stringify([bench.host.logs, tautulli.requests.map(({ path, query }) => [path, [...query]])]).includes(
      tautulli.apiKey,
    ),
    'the key is in no log and no address',
  )
})

t.test(
  'the other names of the fields work, a masked key is the stored one, and the user changes only when it is sent',
  async (t) => {
    await using bench = await startBench({ connected: false })
    const { tautulli } = bench
    t.match(
      (await bench.call('POST', SAVE, { server: tautulli.url, key: tautulli.apiKey, 'history.user_id': '9001' })).body,
      { ok: true },
    )
    t.match((await bench.call('POST', SAVE, { api_key: '••••••••' })).body, { ok: true, server_url: tautulli.url })
    t.match(await bench.provider.probe('default'), { account: `${tautulli.serverId}/9001` })
    t.match((await bench.call('POST', SAVE, { history: { user_id: '' } })).body, { ok: true })
    t.match(await bench.provider.probe('default'), { account: `${tautulli.serverId}/*` })
    t.equal((await bench.call('POST', SAVE, { user_id: 'somebody' })).status, 422)
  },
)

t.test(
  'an address without a scheme is tried securely first, and the key is sent only where a server answered',
  async (t) => {
    await using bench = await startBench({ connected: false })
    const { tautulli } = bench
    t.match(
      (await bench.call('POST', SAVE, { server_url: tautulli.url.replace('http://', ''), api_key: tautulli.apiKey }))
        .body,
      { ok: true, server_url: tautulli.url },
    )
  },
)

t.test('missing fields are 400, and no request is sent', async (t) => {
  await using bench = await startBench({ connected: false })
  t.strictSame(await bench.call('POST', SAVE, {}), {
    status: 400,
    body: { ok: false, error: 'server_url_required', detail: 'server_url required' },
  })
  t.strictSame(await bench.call('POST', SAVE, { server_url: bench.tautulli.url }), {
    status: 400,
    body: { ok: false, error: 'api_key_required', detail: 'api_key required' },
  })
  t.match((await bench.call('POST', SAVE, { server_url: 'ftp://x', api_key: 'k' })).body, {
    ok: false,
    error: 'validation_failed',
  })
  t.equal(bench.asked(), 0)
})

t.test('the stored key is never sent to another address', async (t) => {
  await using bench = await startBench()
  await using other = await startServer(() => ({ json: {} }))
  t.strictSame(await bench.call('POST', SAVE, { server_url: other.url, api_key: '••••••••' }), {
    status: 400,
    body: { ok: false, error: 'api_key_required', detail: 'api_key required' },
  })
  t.strictSame(other.requests, [])
  t.match(await bench.provider.probe('default'), { status: 'ok' }, 'and the stored connection is as it was')
})

t.test('the address of a web page is accepted, and the key is sent only to Tautulli', async (t) => {
  for (const page of ['/home', '/home#a', '/history?user=1', '/']) {
    await using bench = await startBench({ connected: false })
    const { url, apiKey } = bench.tautulli
    t.match(
      await bench.call('POST', SAVE, { server_url: url + page, api_key: apiKey }),
      { status: 200, body: { ok: true, server_url: url } },
      page,
    )
  }
  await using bench = await startBench({ connected: false, settings: { max_retries: 0 } })
  await using other = await startServer(() => ({ json: { hello: 'world' } }))
  t.match(await bench.call('POST', SAVE, { server_url: other.url, api_key: 'a-secret-key' }), { body: { ok: false } })
  t.ok(other.requests.length > 0)
  t.notMatch(JSON.stringify(other.requests), /a-secret-key/)
})

t.test('every failure of a test has its name, and saves nothing', async (t) => {
  const failures = [
    [{ kind: 'status', status: 403 }, 'invalid_api_key'],
    [{ kind: 'status', status: 418 }, 'validation_http_418'],
    [{ kind: 'status', status: 500 }, 'validation_http_500'],
    [{ kind: 'html', status: 200 }, 'validation_bad_response'],
    [{ kind: 'empty' }, 'validation_bad_response'],
    [{ kind: 'reset' }, 'validation_failed'],
    [{ kind: 'slow', delayMs: 3_500 }, 'validation_timeout'],
  ] as const
  for (const [fault, error] of failures) {
    await using bench = await startBench({ connected: false, settings: { max_retries: 0, timeout: 1 } })
    bench.tautulli.faults.add(fault)
    t.match(
      await bench.call('POST', SAVE, { server_url: bench.tautulli.url, api_key: bench.tautulli.apiKey }),
      { status: 200, body: { ok: false, error, instance: 'default' } },
      error,
    )
    t.match(await stored(bench), { configured: false })
  }
  await using bench = await startBench({ connected: false })
  t.match((await bench.call('POST', SAVE, { server_url: bench.tautulli.url, api_key: 'wrong' })).body, {
    ok: false,
    error: 'invalid_api_key',
  })
  bench.tautulli.quirks.isEnabled = false
  t.match((await bench.call('POST', SAVE, { server_url: bench.tautulli.url, api_key: bench.tautulli.apiKey })).body, {
    ok: false,
    error: 'validation_http_404',
  })
  t.match((await bench.call('POST', SAVE, { server_url: 'http://127.0.0.1:1', api_key: 'k' })).body, {
    ok: false,
    error: 'validation_failed',
  })
  t.match(await stored(bench), { configured: false })
})

t.test('a probe of the server reports the problem; the stored data alone does not', async (t) => {
  await using bench = await startBench()
  bench.tautulli.quirks.isEnabled = false
  t.match((await bench.call('GET', STATUS)).body, { connected: true })
  t.match((await bench.call('GET', `${STATUS}?verify=1`)).body, { connected: false, reason: 'validation_http_404' })
  t.match(await bench.provider.probe('default'), { status: 'down', reasonCode: 'not_found' })
  t.equal((await bench.call('GET', `${STATUS}?verify=x`)).status, 422)
})

t.test('disconnecting deletes address and key, but not while the profile is in use', async (t) => {
  await using bench = await startBench()
  t.strictSame(await bench.call('POST', DISCONNECT), { status: 200, body: { ok: true, instance: 'default' } })
  t.match((await bench.call('GET', STATUS)).body, { connected: false, reason: 'server_url_required' })
  const inUse = async () => {
    throw new PlayheadError('PLH_CONFLICT', 'The profile is used by a pair.', { wire: 'provider_in_use' })
  }
  await using used = await startBench({ capabilities: { accounts: { ...UNUSED.accounts, assertUnused: inUse } } })
  t.match(await used.call('POST', DISCONNECT), { status: 409, body: { error: 'provider_in_use' } })
  t.match(await stored(used), { configured: true })
})

t.test('two profiles are two servers, and unknown ones are refused', async (t) => {
  await using bench = await startBench()
  await using second = await startBench({ connected: false })
  const instance = await bench.provider.createProfile({})
  t.match(
    await bench.call('POST', `${SAVE}?instance=${instance}`, {}),
    { status: 400, body: { ok: false, error: 'server_url_required', detail: 'server_url required' } },
    'nothing is inherited',
  )
  t.match(
    (
      await bench.call('POST', `${SAVE}?instance=${instance}`, {
        server_url: second.tautulli.url,
        api_key: second.tautulli.apiKey,
      })
    ).body,
    { ok: true, instance },
  )
  bench.tautulli.play(bench.tautulli.movie(0))
  t.strictSame([(await bench.read()).rows.length, (await bench.read({}, instance)).rows.length], [1, 0])
  for (const [method, path] of [
    ['POST', SAVE],
    ['GET', STATUS],
    ['POST', DISCONNECT],
  ] as const) {
    const payload = method === 'POST' ? {} : undefined
    t.match(await bench.call(method, `${path}?instance=STATSA-P07`, payload), {
      status: 404,
      body: { ok: false, error: 'not_found' },
    })
    t.match(await bench.call(method, `${path}?instance=../x`, payload), {
      status: 400,
      body: { ok: false, error: 'invalid_instance_id' },
    })
  }
})
