// slow: every check of the kit
// The base provider of the mutants: it conforms, and the kit exercises everything that it declares.
import { join } from 'node:path'
import t from 'tap'
import { openSubject, runConformance } from '@playhead/sdk/testing/conformance'

t.setTimeout(900_000)

t.test('the provider conforms, and everything that it declares was exercised', async (t) => {
  const subject = await openSubject({ folder: join(import.meta.dirname, 'mutants', 'reel'), items: 300 })
  const { results, passed, unexercised } = await runConformance(subject)
  t.strictSame(
    results.filter(({ outcome }) => outcome === 'failed').map(({ id, reason }) => `${id}: ${reason}`),
    [],
  )
  t.ok(passed)
  t.strictSame(unexercised, [])
  t.ok(results.filter(({ outcome }) => outcome === 'passed').length >= 90, 'most checks say something about it')
})
