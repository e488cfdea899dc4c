import t from 'tap'
import type { WebhookCall } from '@playhead/sdk'
import { createTokenLimit } from '../../../plugins/services/scrobble/webhooks/token-limit.ts'
import { openBench, OLD_TOKEN, PROFILE_TOKEN, RATING_TOKEN } from './support.ts'

const LONG = 'x'.repeat(5_000)

for (const [url, expected] of [
  ['/webhook/mediaA?profile=p', { provider: 'mediaA', purpose: 'playback', profile: 'p' }],
  ['/webhook/mediaAtrackA?profile=p', { provider: 'mediaA', purpose: 'playback', profile: 'p' }],
  ['/webhook/mediaB?token=t', { provider: 'mediaB', purpose: 'playback', token: 't' }],
  ['/webhook/mediaBtrackA?id=t', { provider: 'mediaB', purpose: 'playback', token: 't' }],
  ['/webhook/mediaC?secret=t', { provider: 'mediaC', purpose: 'playback', token: 't' }],
  ['/webhook/mediaCtrackA?uid=t', { provider: 'mediaC', purpose: 'playback', token: 't' }],
  ['/webhook/mediaA?tok-en_1', { provider: 'mediaA', purpose: 'playback', token: 'tok-en_1' }],
  ['/webhook/mediaA?token=', { provider: 'mediaA', purpose: 'playback' }],
  ['/webhook/mediaA', { provider: 'mediaA', purpose: 'playback' }],
  ['/webhook/mediaA?profile=a&profile=b', { provider: 'mediaA', purpose: 'playback', profile: 'a' }],
  ['/webhook/mediaA?profile=p&token=t', { provider: 'mediaA', purpose: 'playback', profile: 'p', token: 't' }],
  ['/webhook/mediaAwatcher?token=t', { provider: 'mediaA', purpose: 'ratings', token: 't' }],
  ['/webhook/mediaAwatcher?route=r&token=t', { provider: 'mediaA', purpose: 'ratings', token: 't', route: 'r' }],
  ['/webhook/mediaAwatcher?route_id=r&token=t', { provider: 'mediaA', purpose: 'ratings', token: 't', route: 'r' }],
  ['/webhook/mediaAwatcher?webhook_id=r&secret=t', { provider: 'mediaA', purpose: 'ratings', token: 't', route: 'r' }],
  ['/webhook/mediaAwatcher?id=r&uid=t', { provider: 'mediaA', purpose: 'ratings', token: 't', route: 'r' }],
  [`/webhook/mediaA?profile=${LONG}`, { provider: 'mediaA', purpose: 'playback', profile: LONG.slice(0, 200) }],
  ['/webhook/mediaA?__proto__=x&constructor=y', { provider: 'mediaA', purpose: 'playback' }],
] as const satisfies readonly (readonly [string, WebhookCall])[]) {
  t.test(`the query of ${url.slice(0, 60)}`, async (t) => {
    await using bench = await openBench()
    await bench.post(url)
    t.strictSame(bench.calls, [expected])
  })
}

t.test('only POST is accepted', async (t) => {
  await using bench = await openBench()
  const answer = await bench.host.inject({ method: 'GET', url: `/webhook/mediaA?profile=${PROFILE_TOKEN}` })
  t.equal(answer.statusCode, 405)
})

t.test('guessing is limited per client, and locks out no valid token', async (t) => {
  await using bench = await openBench()
  const guess = (index: number, address?: string) =>
    bench.post(`/webhook/mediaA?profile=guess-${index}`, {}, {}, address)
  for (let index = 0; index < 20; index += 1) t.equal((await guess(index)).status, 200)
  const limited = await guess(20)
  t.match(limited, { status: 429, body: { detail: 'too_many_wrong_tokens' } })
  t.match(limited.headers['retry-after'], /^([1-9]|[1-5]\d|60)$/)
  t.equal((await bench.post('/webhook/mediaAwatcher?token=guess')).status, 429)

  t.equal((await bench.post(`/webhook/mediaA?profile=${PROFILE_TOKEN}`)).body['action'], 'start')
  t.equal((await bench.post(`/webhook/mediaAtrackA?token=${OLD_TOKEN}`)).body['action'], 'start')
  t.equal((await bench.post(`/webhook/mediaAwatcher?token=${RATING_TOKEN}`)).status, 200)
  t.equal((await guess(21, '192.168.1.6')).status, 200, 'another client')
  t.equal((await guess(22)).status, 429)
  const refusals = bench.lines().filter(({ text }) => text === 'a webhook was refused')
  t.equal(refusals.length, 22, 'a flood leaves few lines')
})

t.test('the limit ends after a minute, and its memory is bounded', async (t) => {
  const clock = { nowMs: 1_000_000 }
  const limit = createTokenLimit(() => clock.nowMs)
  for (let index = 0; index < 20; index += 1) t.equal(limit.note('10.0.0.1').isOver, false)
  t.match(limit.note('10.0.0.1'), { isOver: true, isFirst: true, retryAfterMs: 60_000 })
  t.match(limit.note('10.0.0.1'), { isOver: true, isFirst: false })
  clock.nowMs += 60_000
  t.equal(limit.note('10.0.0.1').isOver, false)

  for (let index = 0; index < 30; index += 1) limit.note('10.0.0.2')
  for (let index = 0; index < 1_000; index += 1) limit.note(`10.1.${index >> 8}.${index & 255}`)
  t.equal(limit.note('10.0.0.2').isOver, false, 'the least recently seen is forgotten')
  clock.nowMs -= 3_600_000
  t.equal(limit.note('10.0.0.2').isOver, false, 'also after the clock was set back')
})

t.test('a network of IPv6 addresses is one client', async (t) => {
  const limit = createTokenLimit(() => 0)
  for (let index = 0; index < 20; index += 1) limit.note(`2001:db8:1:2::${index.toString(16)}`)
  t.equal(limit.note('2001:db8:1:2:aaaa:bbbb:cccc:dddd').isOver, true)
  t.equal(limit.note('2001:db8:1:3::1').isOver, false)
  t.equal(limit.note('::1').isOver, false)
  t.equal(limit.note('::ffff:10.0.0.1').isOver, false)
})
