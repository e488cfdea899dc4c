// slow: the whole service, or very many cases
// Random actions of people in the apps: following the changes gives the same rows as a full read.
import type { Item } from '@playhead/sdk'
import fc, { runsOf } from '../../fast-check.ts'
import t from 'tap'
import type { Row } from '../../upstreams/nuvio.ts'
import { type Bench, startBench } from './support.ts'

const TABLES = { watchlist: 'library', history: 'watched', progress: 'progress' } as const
type Feature = keyof typeof TABLES

const id = fc.constantFrom('tmdb:1', 'tmdb:2', 'tt3', 'tt4', 'kitsu:5', 'tmdb:x')
const number = fc.constantFrom(null, 0, 1, 2)
const row: fc.Arbitrary<Row> = fc
  .record({
    content_id: id,
    content_type: fc.constantFrom('movie', 'series', 'series', 'channel'),
    season: number,
    episode: number,
    added_at: fc.integer({ min: 0, max: 9 }).map((day) => day * 86_400_000),
    watched_at: fc.integer({ min: 1, max: 9 }).map((day) => Date.UTC(2026, 0, day)),
    last_watched: fc.integer({ min: 1, max: 9 }).map((day) => Date.UTC(2026, 0, day)),
    position: fc.integer({ min: 0, max: 6_000_000 }),
    duration: fc.constantFrom(0, 6_000_000),
    isCopy: fc.boolean(),
  })
  .map(({ isCopy, ...one }) => ({
    ...one,
    // Older apps use the key of the show.
    progress_key:
      isCopy || one.season === null || one.episode === null
        ? one.content_id
        : `${one.content_id}_s${one.season}e${one.episode}`,
  }))
const step = fc.record({ put: fc.array(row, { maxLength: 4 }), drop: fc.array(row, { maxLength: 3 }) })

function follow(
  state: ReadonlyMap<string, Item>,
  { rows, end }: Awaited<ReturnType<Bench['read']>>,
): Map<string, Item> {
  const next = new Map(end.semantics === 'present' ? [] : state)
  for (const gone of end.deleted ?? []) next.delete(String(gone.native?.item_id))
  for (const item of rows) next.set(String(item.native?.item_id), item)
  return next
}

for (const feature of Object.keys(TABLES) as Feature[]) {
  t.test(`${feature}: following the changes and a full read give the same result`, async (t) => {
    const seen = { present: 0, delta: 0, unchanged: 0 }
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 5 }), async (steps) => {
        await using bench = await startBench({ movies: 1, shows: 1 })
        let read = await bench.read(feature)
        let state = follow(new Map(), read)
        for (const { put, drop } of steps) {
          for (const one of put) bench.nuvio.user.put(TABLES[feature], one)
          for (const one of drop) bench.nuvio.user.drop(TABLES[feature], one)
          read = await bench.read(feature, { since: read.end.checkpoint as string })
          if (!read.end.complete) throw new Error(String(read.end.reason))
          seen[read.end.semantics] += 1
          state = follow(state, read)
        }
        const all = follow(new Map(), await bench.read(feature))
        for (const [key, item] of all)
          if (JSON.stringify(state.get(key)) !== JSON.stringify(item)) throw new Error(`${key} differs`)
        for (const key of state.keys()) if (!all.has(key)) throw new Error(`${key} is not there any more`)
      }),
      { numRuns: runsOf(40) },
    )
    t.ok(feature === 'progress' ? seen.unchanged > 0 : seen.delta > 0, 'and not everything was read each time')
  })
}
