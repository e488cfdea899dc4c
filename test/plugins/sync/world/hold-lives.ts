// The property of random lives: no law is broken, in any order of the pairs.
import fc from '../../../fast-check.ts'
import t from 'tap'
import { scripts } from './random-scripts.ts'
import { RANGES } from './ranges.ts'
import { playScript } from './script.ts'

/** @param numRuns lives of each range */
export function holdLives(numRuns: number): void {
  for (const [name, range] of Object.entries(RANGES))
    t.test(`L1 L2 L3 L4 L5 L6 L7 hold in random lives: ${name}`, () =>
      fc.assert(
        fc.asyncProperty(scripts(range), fc.boolean(), async (script, reversed) => {
          const { violations, log } = await playScript(script, { reversed })
          if (violations.length === 0) return
          const found = violations.map(({ law, text }) => `L${law} ${text}`)
          throw new Error([...found, '', script, '', ...log].join('\n'))
        }),
        { numRuns },
      ),
    )
}
