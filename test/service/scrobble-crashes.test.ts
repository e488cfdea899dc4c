// slow: the service as a process, killed and started again
// The long version of scrobble-crash.test.ts.
import t from 'tap'
import { killAgainAndAgain } from './scrobble-kills.ts'

t.setTimeout(1_800_000)

t.test('100 kills lose and duplicate nothing', (t) => killAgainAndAgain(t, 100))
