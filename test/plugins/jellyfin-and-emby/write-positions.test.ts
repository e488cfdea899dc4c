// Written positions: with their time and nothing else, and never over a newer one or a running playback.
import t from 'tap'
import { copiesOf, itemFor, outcomes, PRODUCTS, signedIn } from './support.ts'

const AT_MS = Date.UTC(2026, 5, 1, 20)
const AT = new Date(AT_MS).toISOString()
const DAY_MS = 86_400_000

for (const product of PRODUCTS) {
  t.test(`${product}: a position is written with its time and nothing else changes`, async (t) => {
    await using account = await signedIn(product, { movies: 5, shows: 0 })
    const { server } = account
    const [a, b, c] = server.items('Movie')
    server.actions.setFavourite('sam', a!.id, true)
    server.actions.setRating('sam', a!.id, 3)
    server.actions.markPlayed('sam', b!.id, AT_MS - DAY_MS)
    const told = await account.write('progress', 'add', [
      { ...itemFor(server, a!), progress_ms: 640_000, progress_at: AT },
      { ...itemFor(server, b!), progress_ms: 640_000, progress_at: AT },
      { ...itemFor(server, c!), progress_percent: 25, progress_at: AT },
    ])
    t.same(outcomes(told), ['applied', 'applied', 'applied'])
    const positionTicks = 6_400_000_000
    const played = { played: true, playCount: 1, lastPlayedAtMs: AT_MS - DAY_MS }
    t.match(server.actions.userData('sam', a!.id), {
      positionTicks,
      lastPlayedAtMs: AT_MS,
      favourite: true,
      rating: 3,
      played: false,
    })
    t.match(
      server.actions.userData('sam', b!.id),
      { positionTicks, ...played },
      'the time of a play is not replaced by that of a position',
    )
    t.equal(server.actions.userData('sam', c!.id)?.positionTicks, c!.runtimeTicks! / 4)
    const again = { ...itemFor(server, a!), progress_ms: 640_400, progress_at: AT }
    t.same(outcomes(await account.write('progress', 'add', [again])), ['already'])
    const rows = (await account.read('progress')).rows.filter(({ native }) => native?.item_id !== c!.id)
    t.same(outcomes(await account.write('progress', 'remove', rows)), ['applied', 'applied'])
    t.match(server.actions.userData('sam', a!.id), { positionTicks: 0, favourite: true, rating: 3 })
    t.match(server.actions.userData('sam', b!.id), { positionTicks: 0, ...played })
  })

  t.test(`${product}: a position is not written while the user plays the item`, async (t) => {
    await using account = await signedIn(product, { movies: 9, shows: 0 })
    const { server } = account
    const [film, other] = server.items('Movie')
    const [one, copy] = copiesOf(server)
    const play = await server.playback.start({ userId: 'sam', item: film!, deviceId: 'tv', deviceName: 'TV' })
    await server.playback.start({ userId: 'kim', item: other!, deviceId: 'tv', deviceName: 'TV' })
    const along = await server.playback.start({
      userId: 'kim',
      item: copy!,
      deviceId: 'b',
      deviceName: 'B',
      along: ['sam'],
    })
    const wished = [film, other, one].map((item) => ({
      ...itemFor(server, item!),
      progress_ms: 640_000,
      progress_at: AT,
    }))
    account.requests()
    const told = await account.write('progress', 'add', wished)
    t.same(outcomes(told), ['failed: active_session', 'applied', 'failed: active_session'])
    t.equal(
      server.count(({ path }) => path.endsWith('/Sessions')),
      1,
      'asked once for all',
    )
    t.equal(server.actions.userData('sam', film!.id)?.positionTicks, 0)
    await play.at(1_200_000)
    const { rows } = await account.read('progress')
    const row = rows.find(({ native }) => native?.item_id === film!.id)!
    t.same(outcomes(await account.write('progress', 'remove', [row])), ['failed: active_session'])
    await play.stop()
    await along.stop()
    t.same(outcomes(await account.write('progress', 'remove', [row])), ['applied'])
    server.faults.add({ match: /Sessions$/, kind: 'status', status: 403 })
    t.same(outcomes(await account.write('progress', 'add', [wished[0]!])), ['applied'], 'unknown is no refusal')
    server.faults.clear()
    const before = server.count(/Sessions$/)
    t.same(outcomes(await account.write('progress', 'add', [wished[0]!])), ['already'])
    t.equal(server.count(/Sessions$/), before, 'nothing is asked for nothing')
  })

  t.test(`${product}: a position that moved since the read is left alone`, async (t) => {
    await using account = await signedIn(product, { movies: 3, shows: 0 })
    const { server } = account
    const [movie] = server.items('Movie')
    server.actions.setPosition('sam', movie!.id, 60_000, AT_MS)
    const {
      rows: [row],
    } = await account.read('progress')
    server.actions.setPosition('sam', movie!.id, 1_200_000, AT_MS + 1_000)
    const wished = { ...itemFor(server, movie!), progress_ms: 600_000, progress_at: AT }
    t.same(outcomes(await account.write('progress', 'update', [wished], [row!])), ['failed: changed_since_read'])
    t.same(outcomes(await account.write('progress', 'add', [wished])), ['failed: changed_since_read'])
    t.same(outcomes(await account.write('progress', 'remove', [row!])), ['failed: changed_since_read'])
    t.equal(server.actions.userData('sam', movie!.id)?.positionTicks, 12_000_000_000)
  })
}
