// slow: every check of the kit
// Faulty providers, each with one typical mistake of authors: the conformance kit finds every one.
import { readFile } from 'node:fs/promises'
import t from 'tap'
import { atEndOfFile } from '../at-end-of-file.ts'
import { missed } from './mutants/caught.ts'
import { openWorkshop } from './mutants/load.ts'
import { MUTANTS } from './mutants/mutants.ts'
import { REFERENCE, withTables } from './mutants/table.ts'

t.setTimeout(900_000)

/** They mostly wait. */
const AT_ONCE = 12
const shop = await openWorkshop()
atEndOfFile(() => shop[Symbol.asyncDispose]())

t.test('every mutant is caught by the checks for its mistake', async (t) => {
  t.ok(MUTANTS.length >= 140)
  t.equal(new Set(MUTANTS.map(({ mistake }) => mistake)).size, MUTANTS.length)
  const waiting = MUTANTS.values()
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (const mutant of waiting)
        t.equal(
          await missed(shop, mutant),
          undefined,
          `a provider that ${mutant.mistake} (${mutant.caught.join(', ')})`,
        )
    }),
  )
})

t.test('the reference lists the current checks and mistakes', async (t) => {
  const reference = await readFile(REFERENCE, 'utf8')
  t.equal(reference, withTables(reference), 'node test/conformance/mutants/table.ts writes them')
})
