// slow: the whole service, or very many cases
// For any earlier user data: a write reports its result, has its effect once, and removes nothing else.
import fc, { runsOf } from '../../fast-check.ts'
import t from 'tap'
import { itemFor, PRODUCTS, signedIn } from './support.ts'

const START_MS = Date.UTC(2026, 0, 1)
const time = fc.integer({ min: 0, max: 5 }).map((days) => START_MS + days * 86_400_000)
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined })
const state = fc
  .record({
    played: fc.boolean(),
    lastPlayedAtMs: maybe(time),
    positionTicks: fc.constantFrom(0, 6_000_000_000, 12_000_000_000),
    favourite: fc.boolean(),
    rating: maybe(fc.integer({ min: 1, max: 10 })),
  })
  .map((record) => ({ ...record, playCount: record.played ? 1 : 0, savedAtMs: START_MS }))

for (const product of PRODUCTS) {
  t.test(`${product}: a play is added once, with its own time or the existing one, and removes nothing`, async (t) => {
    await using account = await signedIn(product, { movies: 1, shows: 0 })
    const { server } = account
    const movie = server.items('Movie')[0]!
    const { data } = server.world.users[0]!
    await fc.assert(
      fc.asyncProperty(state, maybe(time), async (before, atMs) => {
        data.set(movie.id, { ...before })
        const item = {
          ...itemFor(server, movie),
          watched: true,
          ...(atMs === undefined ? {} : { watched_at: new Date(atMs).toISOString() }),
        }
        const [first] = await account.write('history', 'add', [item])
        const after = { ...data.get(movie.id)! }
        const [second] = await account.write('history', 'add', [item])
        const isNewer = atMs !== undefined && (before.lastPlayedAtMs === undefined || atMs > before.lastPlayedAtMs)
        const wasUsed = before.played || before.positionTicks > 0
        const kept = [
          first?.outcome === 'applied' || first?.outcome === 'already',
          second?.outcome === 'already',
          JSON.stringify(after) === JSON.stringify(data.get(movie.id)),
          after.played && after.playCount <= before.playCount + 1,
          after.favourite === before.favourite && after.rating === before.rating,
          after.lastPlayedAtMs === before.lastPlayedAtMs || after.lastPlayedAtMs === atMs,
          !wasUsed || isNewer || after.lastPlayedAtMs === before.lastPlayedAtMs,
          after.positionTicks === before.positionTicks ||
            (before.lastPlayedAtMs !== undefined && atMs! >= before.lastPlayedAtMs),
        ]
        if (kept.includes(false)) throw new Error(`${kept.join()} ${JSON.stringify({ first, second, after })}`)
      }),
      { numRuns: runsOf(150) },
    )
    t.ok(true)
  })

  t.test(`${product}: a position is set once and changes only itself and its own time`, async (t) => {
    await using account = await signedIn(product, { movies: 1, shows: 0 })
    const { server } = account
    const movie = server.items('Movie')[0]!
    const { data } = server.world.users[0]!
    await fc.assert(
      fc.asyncProperty(state, time, fc.constantFrom('add', 'update', 'remove'), async (before, atMs, op) => {
        data.set(movie.id, { ...before })
        const current = {
          ...itemFor(server, movie),
          progress_ms: before.positionTicks / 10_000,
          native: { item_id: movie.id },
        }
        const wished = { ...itemFor(server, movie), progress_ms: 900_000, progress_at: new Date(atMs).toISOString() }
        const [told] =
          op === 'remove'
            ? await account.write('progress', op, [current])
            : await account.write('progress', op, [wished], before.positionTicks > 0 ? [current] : [])
        const after = data.get(movie.id)!
        const positionTicks = op === 'remove' ? 0 : 9_000_000_000
        const kept = [
          told?.outcome === (before.positionTicks === positionTicks ? 'already' : 'applied'),
          after.positionTicks === positionTicks,
          after.played === before.played && after.playCount === before.playCount,
          after.favourite === before.favourite && after.rating === before.rating,
          after.lastPlayedAtMs === before.lastPlayedAtMs ||
            (op !== 'remove' && !before.played && after.lastPlayedAtMs === atMs),
        ]
        if (kept.includes(false)) throw new Error(`${kept.join()} ${JSON.stringify({ told, after })}`)
      }),
      { numRuns: runsOf(150) },
    )
    t.ok(true)
  })

  t.test(`${product}: a play is removed without other user data`, async (t) => {
    await using account = await signedIn(product, { movies: 1, shows: 0 })
    const { server } = account
    const movie = server.items('Movie')[0]!
    const { data } = server.world.users[0]!
    await fc.assert(
      fc.asyncProperty(state, async (before) => {
        data.set(movie.id, { ...before })
        const { rows } = await account.read('history')
        if (rows.length !== (before.played ? 1 : 0)) throw new Error('the read is wrong')
        const told = await account.write('history', 'remove', rows)
        const after = data.get(movie.id)!
        const kept = [
          told.every(({ outcome }) => outcome === 'applied'),
          !after.played && after.playCount === 0,
          after.positionTicks === before.positionTicks,
          after.favourite === before.favourite && after.rating === before.rating,
        ]
        if (kept.includes(false)) throw new Error(`${kept.join()} ${JSON.stringify({ told, after })}`)
      }),
      { numRuns: runsOf(60) },
    )
    t.ok(true)
  })
}
