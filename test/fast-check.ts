// fast-check as all tests use it: the seed is that of the day, which the runner prints and which repeats a day
// (`PLAYHEAD_TEST_SEED=20261129 node test/x.test.ts`), and each property has a quarter of its runs unless
// PLAYHEAD_TEST_RUNS says how many times as many: `npm run test:all` sets 1.
import fc from 'fast-check'

const TODAY = Number(new Date().toISOString().slice(0, 10).replaceAll('-', ''))

/** The seed of everything random in tests. */
export const seed = Number(process.env['PLAYHEAD_TEST_SEED'] ?? TODAY)

/** How many of the runs of a whole proof are made now: at least one. */
export function runsOf(whole: number): number {
  return Math.max(1, Math.round(whole * Number(process.env['PLAYHEAD_TEST_RUNS'] ?? 0.25)))
}

fc.configureGlobal({ seed, numRuns: runsOf(100) })

export default fc
