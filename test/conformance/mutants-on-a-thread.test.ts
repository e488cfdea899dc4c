// slow: every check of the kit
// Faulty providers on their own thread are caught as in the service's thread.
import t from 'tap'
import { atEndOfFile } from '../at-end-of-file.ts'
import { missed } from './mutants/caught.ts'
import { openWorkshop } from './mutants/load.ts'
import { MUTANTS } from './mutants/mutants.ts'

t.setTimeout(900_000)

const shop = await openWorkshop()
atEndOfFile(() => shop[Symbol.asyncDispose]())

t.test('mutants on their own thread are caught as well', async (t) => {
  const chosen = [
    'counts pages from 1 where the service counts from 0',
    'takes an answer of 404 for an empty list',
    'gives times in the zone of the machine as UTC',
    'deletes a work with its rating and its plays when it leaves the watchlist',
    'repeats a play whose answer is lost, which makes two of it',
    'stores the end of a token in milliseconds',
    'prints its tokens on the console',
    'marks every episode up to the watched one',
  ]
  for (const mistake of chosen) {
    const mutant = MUTANTS.find((one) => one.mistake === mistake)
    t.ok(mutant !== undefined, mistake)
    if (mutant !== undefined) t.equal(await missed(shop, mutant, { isolated: true }), undefined, mistake)
  }
})
