// A year of events: runs that add, fail and retry, over items of a large library.
import type { EventRecord } from '@playhead/sdk'

const DAY_MS = 86_400_000
const ITEMS = 60_000
const ROUTES = [
  ['MEDIAB', 'TRACKA'],
  ['MEDIAA', 'TRACKA'],
  ['MEDIAC', 'TRACKB'],
  ['TRACKA', 'TRACKB'],
] as const
const REASONS = [
  'not_in_library',
  'episode_missing',
  'ambiguous_match',
  'write_failed:503',
  'missing_ids',
  'target_not_found:episode',
]
const WORDS = [
  'night',
  'river',
  'stone',
  'paper',
  'winter',
  'golden',
  'silent',
  'engine',
  'harbour',
  'signal',
  'copper',
  'meadow',
  'lantern',
  'orchard',
  'thunder',
  'velvet',
]

/** Deterministic, so that two benches use the same archive. */
function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 4_294_967_296
  }
}

/** Batches in time order, ending now; one run each. */
export function* makeEvents(count: number, nowMs: number): Generator<readonly EventRecord[]> {
  const random = createRandom(7)
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T
  const perRun = 300
  const runs = Math.ceil(count / perRun)
  for (let run = 0; run < runs; run += 1) {
    const startMs = Math.floor(nowMs - 365 * DAY_MS + (365 * DAY_MS * run) / runs)
    const runId = `${startMs.toString(36)}-${run}`
    const [from, to] = pick(ROUTES)
    const common = {
      run_id: runId,
      pair_key: [from, to].sort().join('-'),
      direction: 'a_to_b',
      source: { provider: from, instance: 'default' },
      destination: { provider: to, instance: 'default' },
      source_kind: 'runtime',
    } as const
    const events: EventRecord[] = [
      {
        type: 'sync_run_started',
        run_id: runId,
        operation: 'run',
        atMs: startMs,
        source_kind: 'runtime',
        detail: { mode: 'scheduler' },
      },
    ]
    events.push({
      ...common,
      type: 'plan_created',
      feature: 'history',
      operation: 'plan',
      atMs: startMs + 1_000,
      detail: { adds: 200, removes: 0, updates: 0 },
    })
    // A run processes a library in order, one feature after the other.
    const first = Math.floor(random() * ITEMS)
    const feature = pick(['history', 'watchlist', 'ratings'] as const)
    for (let index = 0; events.length < perRun - 1; index += 1) {
      const number = (first + index) % ITEMS
      const atMs = startMs + 2_000 + index * 100
      const item = {
        key: `movie:tmdb:${number}`,
        title: `${WORDS[number % 16]} ${WORDS[(number >> 4) % 16]} ${number}`,
        year: 1950 + (number % 75),
        media_type: 'movie',
      }
      const of = { ...common, feature, operation: 'add', item, atMs, match_basis: `imdb:tt${number}` }
      if (random() < 0.12) {
        const reason_code = pick(REASONS)
        events.push({
          ...of,
          type: 'write_failed',
          severity: 'error',
          reason_code,
          detail: { outcome: 'not_found', cause: 'new_on_a' },
        })
        events.push({ ...of, type: 'unresolved_recorded', severity: 'warn', reason_code })
      } else events.push({ ...of, type: 'write_succeeded', reason_code: 'new_on_a' })
    }
    const failed = events.filter(({ type }) => type === 'write_failed').length
    events.push({
      type: 'sync_run_finished',
      run_id: runId,
      operation: 'run',
      atMs: startMs + 60_000,
      source_kind: 'runtime',
      detail: { added: events.length, unresolved: failed, errors: run % 20 === 0 ? 1 : 0 },
    })
    yield events
  }
}
