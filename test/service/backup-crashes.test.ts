// slow: the service as a process, killed and started again
// 200 kills at random points.
import t from 'tap'
import { killOften } from './backup-kills.ts'

t.setTimeout(3_600_000)

t.test(
  'property 52: 200 times kill -9 in a backup, a restore or an upgrade leave the old or the new state',
  async (t) => {
    let wrong = 0
    const counted = await killOften(t.testdir(), 200, (what) => {
      wrong += 1
      t.fail(what)
    })
    t.equal(wrong, 0, counted)
  },
)
