// slow: every check of the kit
// Every check of the conformance kit, against the stand-in.
import t from 'tap'
import { openSubject, runConformance } from '@playhead/sdk/testing/conformance'

t.setTimeout(0)

const subject = await openSubject({ folder: import.meta.dirname })
const { results, points, possible, unexercised = [] } = await runConformance(subject)
for (const { id, title, outcome, reason } of results) {
  if (outcome === 'left_out') t.comment(`${id} is left out: ${reason}`)
  else t.equal(outcome, 'passed', `${id}: ${title}${reason === undefined ? '' : `: ${reason}`}`)
}
t.equal(points, possible)
t.same(unexercised, [], 'everything that it declares was exercised')
