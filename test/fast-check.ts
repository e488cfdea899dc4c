// fast-check as all tests use it: the seed is the current day, which the runner prints and which repeats a day
// (`PLAYHEAD_TEST_SEED=20261129 node test/x.test.ts`). Each property has a quarter of its runs unless PLAYHEAD_TEST_RUNS sets
// another factor: `npm run test:all` sets 1.
import fc from 'fast-check'

const TODAY = Number(new Date().toISOString().slice(0, 10).replaceAll('-', ''))

/** The seed of everything random in tests. */
export const seed = Number(process.env['PLAYHEAD_TEST_SEED'] ?? TODAY)

/** The reduced number of runs of a property: at least one. */
export function runsOf(whole: number): number {
  return Math.max(1, Math.round(whole * Number(process.env['PLAYHEAD_TEST_RUNS'] ?? 0.25)))
}

/** Every so many cases of a whole proof are tried now, from another one each day. */
export function stepOf(whole: number): { readonly step: number; readonly first: number } {
  const step = Math.max(1, Math.round(whole / Number(process.env['PLAYHEAD_TEST_RUNS'] ?? 0.25)))
  return { step, first: seed % step }
}

fc.configureGlobal({ seed, numRuns: runsOf(100) })

export default fc
