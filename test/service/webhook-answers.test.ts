// slow: the service as a process, killed and started again
// The service's answers to Plex webhooks in sequence and with real delays, from the request to the decision.
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { atEndOfFile } from '../at-end-of-file.ts'
import { expectOk, signInToPlex, signInToTrakt } from '../demo/sign-in.ts'
import { startService } from '../harness.ts'
import { webhookBodies } from '../plugins/plex/webhook-bodies.ts'
import { startPlex } from '../upstreams/plex.ts'
import { startTrakt } from '../upstreams/trakt.ts'

const [plex, trakt] = await Promise.all([startPlex({ movies: 2, shows: 1 }), startTrakt({ movies: 2, shows: 1 })])
const service = await startService({ shipped: true, watch: false })
atEndOfFile(async () => {
  await service[Symbol.asyncDispose]()
  await Promise.all([plex.close(), trakt.close()])
})
await signInToPlex(service, plex)
await signInToTrakt(service, trakt)
const bodies = webhookBodies(plex.state.machineIdentifier)
type Name = keyof typeof bodies

async function saveProfile(filters: object, more: object = {}): Promise<string> {
  const { webhooks } = await expectOk(service, '/api/scrobbler/webhooks/profile', {
    provider: 'MEDIAA',
    provider_instance: 'default',
    sinks: ['TRACKA'],
    filters,
    ...more,
  })
  const url = new URL(webhooks[0].endpoint_url)
  return `${url.pathname}${url.search}`
}

const path = await saveProfile({})

// eslint-disable
async function send(name: Name, change: Record<string, unknown> = {}): Promise<any> {
  const body = bodies[name] as { readonly Metadata: object }
  const { status, body: answer } = await service.json(path, {
    json: { ...body, Metadata: { ...body.Metadata, ...change } },
  })
  if (status !== 200) throw new Error(`${name} answered ${status}: ${JSON.stringify(answer)}`)
  return answer
}

t.test('a start, and a repeated pause', async (t) => {
  t.match(await send('A1'), { ok: true, action: 'start', progress: 0, targets: [{ target: 'TRACKA', queued: true }] })
  await sleep(2_100)
  t.match(await send('A2'), { action: 'pause' })
  await sleep(500)
  t.match(await send('A2'), { dedup: true })
  await sleep(2_000)
  t.match(await send('A2'), { debounced: true, reason: 'pause_debounce' })
  await sleep(3_500)
  t.match(await send('A2'), { action: 'pause', targets: [{ queued: true }] })
})

t.test('a play counted by the server at 90 %, and stopped at the end, is one play', async (t) => {
  t.match(await send('A3'), { action: 'start', progress: 40 })
  t.match(await send('A4', { ratingKey: '52014' }), { action: 'stop', progress: 95, targets: [{ queued: true }] })
  t.match(await send('A5', { ratingKey: '52014' }), { suppressed: true, reason: 'duplicate_finish' })
  t.match(await send('A5', { ratingKey: '52015', index: 5, Guid: [{ id: 'tvdb://9902015' }] }), {
    action: 'stop',
    progress: 97,
    targets: [{ queued: true }],
  })
})

t.test('playback of another person is ignored unless the filter names them', async (t) => {
  t.match(await send('A6'), { ok: true, ignored: true, reason: 'account_not_allowed' })
  await saveProfile({ username_whitelist: ['id:1'] })
  t.match(await send('A6'), { ok: true, ignored: true, reason: 'account_not_allowed' })
  await saveProfile({ username_whitelist: ['*'] })
  t.match(await send('A6'), { action: 'stop', progress: 40, targets: [{ queued: true }] })
  await saveProfile({ username_whitelist: [] })
})

t.test('an event of another server is reported as such, not as a disallowed account', async (t) => {
  // The owner is user 1 of each server, and does not own that one.
  const { status, body } = await service.json(path, { json: webhookBodies('ff'.repeat(20)).A6 })
  t.match([status, body], [200, { ok: true, ignored: true, reason: 'other_server' }])
})

t.test('items other than movies and episodes, other events, placeholders and television are ignored', async (t) => {
  t.match(await send('A7'), { ignored: true, reason: 'unsupported_media_type' })
  t.match(await send('A10'), { ignored: true, reason: 'unsupported_event' })
  await saveProfile({ ignore_placeholder_trailers: true, ignore_live_tv_dvr: true })
  t.match(await send('A8'), { ignored: true, targets: [{ reason: 'filename_pattern:{edition-trailer}' }] })
  t.match(await send('A9'), { ignored: true })
  await saveProfile({ ignore_placeholder_trailers: false, ignore_live_tv_dvr: false })
})

t.test('ratings arrive on the playback webhook, if they are turned on', async (t) => {
  t.match(await send('R1'), { ignored: true })
  await saveProfile({}, { mediaA_trackA_ratings: true })
  t.match(await send('R1'), { ok: true, action: 'rating', targets: [{ target: 'TRACKA', queued: true }] })
  t.match(await send('R1'), { dedup: true })
  t.match(await send('R2'), { action: 'rating', targets: [{ queued: true }] })
  t.match(await send('R3'), { action: 'rating', targets: [{ queued: true }] })
})

t.test('a wrong token, a broken body, and no body are refused', async (t) => {
  const wrong = await service.json('/webhook/mediaA?profile=abcdefghijklmnopqrstuvwxyz012345', { json: {} })
  t.match(wrong, { status: 200, body: { ok: true, ignored: true, error: 'invalid_profile' } })
  const broken = await service.json(path, { method: 'POST', body: '{"event": True}' })
  t.match(broken, { status: 200, body: { ok: true, ignored: true, error: 'parse_error' } })
  await expectOk(service, '/api/scrobbler/settings', { sources: { watcher: true, webhook: true } })
  t.equal((await service.json('/webhook/mediaAwatcher?token=wrong', { json: {} })).status, 401)
})
