// The key: tested before it is stored, inspected, and removed.
import { PlayheadError } from '@playhead/sdk'
import t from 'tap'
import { codeOf, startBench } from './support.ts'

const SAVE = '/api/metaB/save'
const STATUS = '/api/metaB/status'
const DISCONNECT = '/api/metaB/disconnect'

t.test('a valid key is stored, and a masked or blank one is the stored one', async (t) => {
  await using bench = await startBench({ settings: { api_key: '' } })
  const { metadb } = bench
  t.same((await bench.call('GET', STATUS)).body, { connected: false, instance: 'default', reason: 'api_key_required' })
  t.same((await bench.call('POST', SAVE, { api_key: '' })).body, {
    ok: false,
    error: 'api_key_required',
    instance: 'default',
  })
  t.same((await bench.call('POST', SAVE, { api_key: ` ${metadb.user.apiKey} ` })).body, {
    ok: true,
    instance: 'default',
  })
  t.same((await bench.call('GET', STATUS)).body, { connected: true, instance: 'default' })
  bench.asked()
  for (const payload of [{ api_key: '' }, { api_key: '••••••••' }, {}])
    t.same((await bench.call('POST', SAVE, payload)).body, { ok: true, instance: 'default' })
  t.same((await bench.call('GET', STATUS)).body, { connected: true, instance: 'default' })
  t.equal(bench.asked(), 0, 'what was just looked at is not looked at again')
  t.match(await bench.provider.probe('default'), { status: 'ok', account: /^key-/, plays: true })
  t.notOk(JSON.stringify(await bench.provider.probe('default')).includes(metadb.user.apiKey))
})

t.test('every reason for rejecting a key has a code, and the stored one stays', async (t) => {
  const cases = [
    [{ kind: 'status', status: 401 }, 200, 'invalid_api_key'],
    [{ kind: 'status', status: 403 }, 200, 'invalid_api_key'],
    [{ kind: 'status', status: 404 }, 200, 'validation_http_404'],
    [{ kind: 'status', status: 500 }, 200, 'validation_http_500'],
    [{ kind: 'reset' }, 200, 'validation_failed'],
    [{ kind: 'html', status: 200 }, 200, 'validation_bad_response'],
    [{ kind: 'empty' }, 200, 'validation_bad_response'],
    [{ kind: 'status', status: 429, headers: { 'retry-after': '90' } }, 429, 'rate_limited'],
  ] as const
  for (const [fault, status, error] of cases) {
    await using bench = await startBench()
    bench.metadb.faults.add({ ...fault, match: '/api/external/lists' })
    const answer = await bench.call('POST', SAVE, { api_key: 'pm-a-key-of-somebody-else' })
    t.match(answer, { status, body: { ok: false, error, instance: 'default' } }, error)
    if (status === 429) t.equal(answer.body.retry_after, 90)
    else t.match((await bench.call('GET', STATUS)).body, { connected: false, reason: error, instance: 'default' })
    bench.metadb.faults.clear()
    if (status !== 429) t.match(await bench.provider.probe('default'), { status: 'ok' })
    t.notOk(JSON.stringify([answer.body, bench.host.logs]).includes('pm-a-key'))
  }
  await using bench = await startBench()
  t.equal((await bench.call('POST', SAVE, { api_key: 7 })).status, 422)
  t.match((await bench.call('POST', SAVE, { api_key: 'pm-wrong' })).body, { ok: false, error: 'invalid_api_key' })
})

t.test('signing out deletes the key, and not while the profile is in use', async (t) => {
  await using bench = await startBench()
  t.same(await bench.call('POST', DISCONNECT), { status: 200, body: { ok: true, instance: 'default' } })
  t.match((await bench.call('GET', STATUS)).body, { connected: false, reason: 'api_key_required' })
  t.equal(await codeOf(bench.read('history')), 'PLH_NOT_READY')
  const inUse = async () => {
    throw new PlayheadError('PLH_CONFLICT', 'The profile is used by a pair.', {
      wire: 'provider_in_use',
      details: { usages: [{ feature: 'sync_pair' }] },
    })
  }
  await using used = await startBench({ capabilities: { accounts: { assertUnused: inUse, forget: async () => {} } } })
  t.match(await used.call('POST', DISCONNECT), { status: 409, body: { ok: false, error: 'provider_in_use' } })
  t.match((await used.call('GET', STATUS)).body, { connected: true })
})

t.test('unknown profiles and invalid names are refused; an additional one has no key', async (t) => {
  await using bench = await startBench()
  for (const [method, url, payload] of [
    ['POST', SAVE, {}],
    ['GET', STATUS, undefined],
    ['POST', DISCONNECT, {}],
  ] as const) {
    t.match(await bench.call(method, `${url}?instance=METAB-P07`, payload), {
      status: 404,
      body: { ok: false, error: 'not_found' },
    })
    t.match(await bench.call(method, `${url}?instance=../x`, payload), {
      status: 400,
      body: { ok: false, error: 'invalid_instance_id' },
    })
  }
  const instance = await bench.provider.createProfile({})
  t.same((await bench.call('GET', `${STATUS}?instance=${instance}`)).body, {
    connected: false,
    instance,
    reason: 'api_key_required',
  })
})

t.test('a key never appears in errors or logs', async (t) => {
  await using bench = await startBench()
  const told: unknown[] = []
  for (const fault of [
    { kind: 'status', status: 401 },
    { kind: 'status', status: 500 },
    { kind: 'reset' },
    { kind: 'html' },
  ] as const) {
    bench.metadb.faults.add({ ...fault, times: 2 })
    told.push(await bench.provider.probe('default'))
    try {
      await bench.read('history')
    } catch (error) {
      told.push(String(error), JSON.stringify(error), (error as Error).stack)
    }
  }
  t.notOk(JSON.stringify([told, bench.host.logs]).includes(bench.metadb.user.apiKey))
})
