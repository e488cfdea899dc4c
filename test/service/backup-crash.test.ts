// slow: the service as a process, killed and started again
// A few kills, or PLAYHEAD_CRASHES; backup-crashes.test.ts has more.
import t from 'tap'
import { killOften } from './backup-kills.ts'

const KILLS = Number(process.env['PLAYHEAD_CRASHES'] ?? 5)

t.setTimeout(120_000 + KILLS * 15_000)

t.test('property 52: kill -9 in a backup, a restore or an upgrade leaves the old or the new state', async (t) => {
  let wrong = 0
  const counted = await killOften(t.testdir(), KILLS, (what) => {
    wrong += 1
    t.fail(what)
  })
  t.equal(wrong, 0, counted)
})
