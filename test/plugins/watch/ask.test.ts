// How accounts are asked: seldom, together, not for long; and what is left of an answer when the next one does not
// come.
import t, { type Test } from 'tap'
import { createAsking, KEPT_MS, OLDEST_MS, type Told } from '../../../plugins/services/watch/ask.ts'
import { rowsOf, unavailableOf } from '../../../plugins/services/watch/rows.ts'
import type { Teller } from '../../../plugins/services/watch/tellers.ts'
import { type Product, type SignedIn, signedIn } from '../jellyfin-and-emby/support.ts'

const START_MS = Date.UTC(2026, 3, 1)
const MINUTE_MS = 60_000
const withoutArt = { artOf: () => null }

async function startAccount(t: Test, product: Product): Promise<SignedIn & { readonly teller: Teller }> {
  const account = await signedIn(product, { movies: 4, shows: 1, settings: { max_retries: 0 } })
  t.teardown(() => account[Symbol.asyncDispose]())
  const { provider } = account
  const token = product === 'jellyfin' ? 'mediaB' : 'mediaC'
  const playing: Teller['playing'] = (signal) => provider.playing!('default', signal)
  return {
    ...account,
    teller: { provider: token.toUpperCase(), token, instance: 'default', fingerprint: 'a', playing },
  }
}

function startAsking(limitMs?: number) {
  const clock = { nowMs: START_MS }
  const log = { debug() {}, error() {} } as never
  const end = new AbortController()
  const asking = createAsking({
    log,
    signal: end.signal,
    now: () => clock.nowMs,
    ...(limitMs === undefined ? {} : { limitMs }),
  })
  return { clock, asking }
}

const titlesOf = (told: readonly Told[]) => rowsOf(told, withoutArt).map(({ title }) => title)

t.test('an account is asked once in a while, and once for all who ask together', async (t) => {
  const { server, teller } = await startAccount(t, 'jellyfin')
  const { clock, asking } = startAsking()
  await Promise.all([asking.ask([teller]), asking.ask([teller]), asking.ask([teller])])
  clock.nowMs += KEPT_MS - 1
  await asking.ask([teller])
  t.equal(server.count('/Sessions'), 1)
  clock.nowMs += 1
  await asking.ask([teller])
  t.equal(server.count('/Sessions'), 2)
  await asking.ask([{ ...teller, fingerprint: 'b' }])
  t.equal(server.count('/Sessions'), 3, 'another account is asked at once')
  clock.nowMs -= 3_600_000
  await asking.ask([{ ...teller, fingerprint: 'b' }])
  t.equal(server.count('/Sessions'), 4, 'also after the clock was put back')
})

t.test(
  'since when something plays stays while it goes on, and begins anew with the next item of the session',
  async (t) => {
    const { server, teller } = await startAccount(t, 'emby')
    const { clock, asking } = startAsking()
    const [film, next] = server.items('Movie')
    const id = server.actions.startPlaying('sam', film!.id, MINUTE_MS)
    const look = async () => {
      const [row] = rowsOf(await asking.ask([teller]), withoutArt)
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

    const { asking: later } = startAsking()
    later.take(asking.give())
    const [handed] = rowsOf(await later.ask([teller]), withoutArt)
    t.match(handed, { title: film!.name, started: START_MS / 1_000 }, 'also when the plugin is loaded anew')

    clock.nowMs += 30_000
    server.actions.reportPlaying(id, { itemId: next!.id, positionMs: 0, paused: false })
    t.same(await look(), [next!.name, 'playing', 0, 60_000, 60_000])
    server.actions.stopPlaying(id)
    clock.nowMs += 30_000
    t.same(titlesOf(await asking.ask([teller])), [])
  },
)

t.test('an account that fails is named, spoils no other, and keeps for ten minutes what it told', async (t) => {
  const [jellyfin, emby] = await Promise.all([startAccount(t, 'jellyfin'), startAccount(t, 'emby')])
  const { clock, asking } = startAsking()
  const [film, other] = [jellyfin.server.items('Movie')[0]!, emby.server.items('Movie')[1]!]
  jellyfin.server.actions.startPlaying('sam', film.id, MINUTE_MS)
  emby.server.actions.startPlaying('sam', other.id, MINUTE_MS)
  const ask = () => asking.ask([jellyfin.teller, emby.teller])
  t.same(titlesOf(await ask()).sort(), [film.name, other.name].sort())

  jellyfin.server.faults.add({ kind: 'status', status: 500 })
  clock.nowMs += MINUTE_MS
  const told = await ask()
  t.same(titlesOf(told).sort(), [film.name, other.name].sort())
  t.same(unavailableOf(told), [
    { source: 'mediaB', provider: 'MEDIAB', provider_instance: 'default', reason: 'upstream_error' },
  ])
  t.match(
    rowsOf(told, withoutArt).find(({ title }) => title === film.name),
    { updated: START_MS / 1_000 },
    'with the time at which it was told',
  )
  clock.nowMs = START_MS + OLDEST_MS + 1
  t.same(titlesOf(await ask()), [other.name])
  jellyfin.server.faults.clear()
  clock.nowMs += KEPT_MS
  const well = await ask()
  t.equal(rowsOf(well, withoutArt).length, 2)
  t.same(unavailableOf(well), [])
})

t.test('a credential that works no more tells nothing at all', async (t) => {
  const { server, teller } = await startAccount(t, 'jellyfin')
  const { clock, asking } = startAsking()
  server.actions.startPlaying('sam', server.items('Movie')[0]!.id, MINUTE_MS)
  t.equal(titlesOf(await asking.ask([teller])).length, 1)
  server.actions.expireTokens()
  clock.nowMs += KEPT_MS
  const told = await asking.ask([teller])
  t.same(titlesOf(told), [])
  t.match(unavailableOf(told), [{ reason: 'unauthorized' }])
})

t.test('nobody is waited for beyond the limit, and the request ends with it', async (t) => {
  const [slow, well] = await Promise.all([startAccount(t, 'jellyfin'), startAccount(t, 'emby')])
  const { asking } = startAsking(500)
  const film = well.server.items('Movie')[0]!
  well.server.actions.startPlaying('sam', film.id, MINUTE_MS)
  slow.server.faults.add({ match: '/Sessions', kind: 'hang' })
  let isEnded = false
  const teller: Teller = {
    ...slow.teller,
    async playing(signal) {
      signal.addEventListener('abort', () => {
        isEnded = true
      })
      return slow.teller.playing(signal)
    },
  }
  const told = await asking.ask([teller, well.teller])
  t.same(titlesOf(told), [film.name])
  t.match(unavailableOf(told), [{ source: 'mediaB', reason: 'timeout' }])
  t.ok(isEnded)
})

t.test('what was told of an account that is gone is forgotten', async (t) => {
  const { server, teller } = await startAccount(t, 'jellyfin')
  const { asking } = startAsking()
  server.actions.startPlaying('sam', server.items('Movie')[0]!.id, MINUTE_MS)
  t.equal(titlesOf(await asking.ask([teller])).length, 1)
  t.same(await asking.ask([]), [])
  t.same(asking.give(), [])
})
