// fast-check with a fixed seed, so that a new failure means a change. PLAYHEAD_TEST_SEED=<number> tests other cases.
import fc from 'fast-check'

fc.configureGlobal({ seed: Number(process.env['PLAYHEAD_TEST_SEED'] ?? 20_260_601) })

export default fc
