// A few kills; the many are in backup-crashes.test.ts.
import t from 'tap'
import { killOften } from './backup-kills.ts'

t.setTimeout(240_000)

t.test(
  'property 52: after kill -9 in a backup, a restore or an upgrade there is the old or the new state',
  async (t) => {
    let wrong = 0
    const counted = await killOften(t.testdir(), 10, (what) => {
      wrong += 1
      t.fail(what)
    })
    t.equal(wrong, 0, counted)
  },
)
