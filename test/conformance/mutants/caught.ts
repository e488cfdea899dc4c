// Whether the kit finds the mistake of a mutant.
import { CHECKS, runConformance, unexercised } from '@playhead/sdk/testing/conformance'
import type { Workshop } from './load.ts'
import type { Mutant } from './mutants.ts'

/** Why it is not caught; undefined if it is. */
export async function missed(
  shop: Workshop,
  mutant: Mutant,
  options: Parameters<Workshop['open']>[1] = {},
): Promise<string | undefined> {
  const { caught } = mutant
  try {
    const subject = await shop.open(mutant, options)
    if (caught.includes('load')) return 'it was loaded'
    if (caught.includes('coverage'))
      return (await unexercised(subject)).length > 0 ? undefined : 'everything was exercised'
    const { results } = await runConformance(subject, { checks: CHECKS.filter(({ id }) => caught.includes(id)) })
    const passed = results.filter(({ outcome }) => outcome !== 'failed').map(({ id, outcome }) => `${id} ${outcome}`)
    return results.length < caught.length
      ? `there is no check ${caught.join(', ')}`
      : passed.length === 0
        ? undefined
        : passed.join(', ')
  } catch (error) {
    if (!caught.includes('load')) throw error
    return undefined
  }
}
