// Polling of accounts: rare, shared, with a time limit; and the validity of a response when the next one fails.
import t, { type Test } from 'tap'
import {
  createSessionPoller,
  POLL_INTERVAL_MS,
  MAX_AGE_MS,
  type PolledAccount,
} from '../../../plugins/services/scrobble/now/poll.ts'
import { polledSessions, toRows, toUnavailable } from '../../../plugins/services/scrobble/now/rows.ts'
import type { SessionSource } from '../../../plugins/services/scrobble/now/session-sources.ts'
import { type Product, type SignedIn, signedIn } from '../jellyfin-and-emby/support.ts'

const START_MS = Date.UTC(2026, 3, 1)
const MINUTE_MS = 60_000
const rowsOf = (accounts: readonly PolledAccount[]) =>
  toRows(polledSessions(accounts), { artOf: () => null, tokenOf: (provider) => provider.replace('MEDIA', 'media') })

async function startAccount(t: Test, product: Product): Promise<SignedIn & { readonly source: SessionSource }> {
  const account = await signedIn(product, { movies: 4, shows: 1, settings: { max_retries: 0 } })
  t.teardown(() => account[Symbol.asyncDispose]())
  const { provider } = account
  const token = product === 'jellyfin' ? 'mediaB' : 'mediaC'
  const playing: SessionSource['playing'] = (signal) => provider.playing!('default', {}, signal)
  return {
    ...account,
    source: { provider: token.toUpperCase(), token, instance: 'default', fingerprint: 'a', playing },
  }
}

function startPoller(timeoutMs?: number) {
  const clock = { nowMs: START_MS }
  const log = { debug() {}, error() {} } as never
  const end = new AbortController()
  const poller = createSessionPoller({
    log,
    signal: end.signal,
    now: () => clock.nowMs,
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  })
  return { clock, poller }
}

const titlesOf = (accounts: readonly PolledAccount[]) => rowsOf(accounts).map(({ title }) => title)

t.test('an account is polled once per interval, and once for all callers together', async (t) => {
  const { server, source } = await startAccount(t, 'jellyfin')
  const { clock, poller } = startPoller()
  await Promise.all([poller.poll([source]), poller.poll([source]), poller.poll([source])])
  clock.nowMs += POLL_INTERVAL_MS - 1
  await poller.poll([source])
  t.equal(server.count('/Sessions'), 1)
  clock.nowMs += 1
  await poller.poll([source])
  t.equal(server.count('/Sessions'), 2)
  await poller.poll([{ ...source, fingerprint: 'b' }])
  t.equal(server.count('/Sessions'), 3, 'another account is asked at once')
  clock.nowMs -= 3_600_000
  await poller.poll([{ ...source, fingerprint: 'b' }])
  t.equal(server.count('/Sessions'), 4, 'also after the clock was put back')
})

t.test(
  'the start time of playback stays while it continues, and is reset by the next item of the session',
  async (t) => {
    const { server, source } = await startAccount(t, 'emby')
    const { clock, poller } = startPoller()
    const [film, next] = server.items('Movie')
    const id = server.actions.startPlaying('sam', film!.id, MINUTE_MS)
    const look = async () => {
      const [row] = rowsOf(await poller.poll([source]))
      return [
        row?.title,
        row?.state,
        row?.position_ms,
        (row?.started ?? 0) * 1_000 - START_MS,
        (row?.updated ?? 0) * 1_000 - START_MS,
      ]
    }
    t.same(await look(), [film!.name, 'playing', MINUTE_MS, 0, 0])
    clock.nowMs += 30_000
    server.actions.reportPlaying(id, { positionMs: 2 * MINUTE_MS, paused: true })
    t.same(await look(), [film!.name, 'paused', 2 * MINUTE_MS, 0, 30_000])

    const { poller: later } = startPoller()
    later.restore(poller.snapshot())
    const [handed] = rowsOf(await later.poll([source]))
    t.match(handed, { title: film!.name, started: START_MS / 1_000 }, 'also when the plugin is loaded anew')

    clock.nowMs += 30_000
    server.actions.reportPlaying(id, { itemId: next!.id, positionMs: 0, paused: false })
    t.same(await look(), [next!.name, 'playing', 0, 60_000, 60_000])
    server.actions.stopPlaying(id)
    clock.nowMs += 30_000
    t.same(titlesOf(await poller.poll([source])), [])
  },
)

t.test('a failing account is named, affects no other, and keeps its sessions for ten minutes', async (t) => {
  const [jellyfin, emby] = await Promise.all([startAccount(t, 'jellyfin'), startAccount(t, 'emby')])
  const { clock, poller } = startPoller()
  const [film, other] = [jellyfin.server.items('Movie')[0]!, emby.server.items('Movie')[1]!]
  jellyfin.server.actions.startPlaying('sam', film.id, MINUTE_MS)
  emby.server.actions.startPlaying('sam', other.id, MINUTE_MS)
  const poll = () => poller.poll([jellyfin.source, emby.source])
  t.same(titlesOf(await poll()).sort(), [film.name, other.name].sort())

  jellyfin.server.faults.add({ kind: 'status', status: 500 })
  clock.nowMs += MINUTE_MS
  const accounts = await poll()
  t.same(titlesOf(accounts).sort(), [film.name, other.name].sort())
  t.same(toUnavailable(accounts), [
    { source: 'mediaB', provider: 'MEDIAB', provider_instance: 'default', reason: 'upstream_error' },
  ])
  t.match(
    rowsOf(accounts).find(({ title }) => title === film.name),
    { updated: START_MS / 1_000 },
    'with the time at which it was reported',
  )
  clock.nowMs = START_MS + MAX_AGE_MS + 1
  t.same(titlesOf(await poll()), [other.name])
  jellyfin.server.faults.clear()
  clock.nowMs += POLL_INTERVAL_MS
  const well = await poll()
  t.equal(rowsOf(well).length, 2)
  t.same(toUnavailable(well), [])
})

t.test('an invalid credential reveals nothing', async (t) => {
  const { server, source } = await startAccount(t, 'jellyfin')
  const { clock, poller } = startPoller()
  server.actions.startPlaying('sam', server.items('Movie')[0]!.id, MINUTE_MS)
  t.equal(titlesOf(await poller.poll([source])).length, 1)
  server.actions.expireTokens()
  clock.nowMs += POLL_INTERVAL_MS
  const accounts = await poller.poll([source])
  t.same(titlesOf(accounts), [])
  t.match(toUnavailable(accounts), [{ reason: 'unauthorized' }])
})

t.test('no account is awaited beyond the limit, and the request ends with it', async (t) => {
  const [slow, well] = await Promise.all([startAccount(t, 'jellyfin'), startAccount(t, 'emby')])
  const { poller } = startPoller(500)
  const film = well.server.items('Movie')[0]!
  well.server.actions.startPlaying('sam', film.id, MINUTE_MS)
  slow.server.faults.add({ match: '/Sessions', kind: 'hang' })
  let isEnded = false
  const source: SessionSource = {
    ...slow.source,
    async playing(signal) {
      signal.addEventListener('abort', () => {
        isEnded = true
      })
      return slow.source.playing(signal)
    },
  }
  const accounts = await poller.poll([source, well.source])
  t.same(titlesOf(accounts), [film.name])
  t.match(toUnavailable(accounts), [{ source: 'mediaB', reason: 'timeout' }])
  t.ok(isEnded)
})

t.test('the sessions of a removed account are deleted', async (t) => {
  const { server, source } = await startAccount(t, 'jellyfin')
  const { poller } = startPoller()
  server.actions.startPlaying('sam', server.items('Movie')[0]!.id, MINUTE_MS)
  t.equal(titlesOf(await poller.poll([source])).length, 1)
  t.same(await poller.poll([]), [])
  t.same(poller.snapshot(), [])
})
