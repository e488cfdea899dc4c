// kill -9 while people watch and the tracker fails: in the end every play is there once.
import t from 'tap'
import { killAgainAndAgain } from './scrobble-kills.ts'

t.setTimeout(240_000)

t.test('what was watched is at the tracker once, and nothing else, although the service is killed', (t) =>
  killAgainAndAgain(t, 2),
)
