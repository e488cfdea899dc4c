// alone: services as processes, for a minute
// kill -9 at any moment of a run, and when a service received a request and stored it, or did not. For a night:
// PLAYHEAD_KILLS=500 PLAYHEAD_WORLD=all PLAYHEAD_SEED=7 node test/service/sync-kills.test.ts
import t from 'tap'
import { runsOf } from '../fast-check.ts'
import { killRuns, WORLDS } from './sync-kills.ts'

const KILLS = Number(process.env['PLAYHEAD_KILLS'] ?? runsOf(30))
const SEED = Number(process.env['PLAYHEAD_SEED'] ?? 1)
const WANTED = process.env['PLAYHEAD_WORLD'] ?? 'house'

t.setTimeout(0)

for (const world of WANTED === 'all' ? Object.keys(WORLDS) : WANTED.split(','))
  t.test(`P96 after ${KILLS} kills every account has the intended state (${world}, seed ${SEED})`, async (t) => {
    const { lost, doubled, different, listed, interrupted } = await killRuns(t, {
      world,
      seed: SEED,
      kills: KILLS,
      calm: process.env['PLAYHEAD_CALM'] !== undefined,
      say: (text) => t.comment(text),
    })
    t.comment(`${KILLS} kills, ${interrupted} of them in a run; ${listed} listed differences`)
    t.same(lost, [])
    t.same(doubled, [])
    t.same(different, [])
  })
