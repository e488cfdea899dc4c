// The rule for one item, from what both sides had after the last run and what they have now.

export interface Sides {
  /** Both sides had it after the last run. */
  readonly before: boolean
  /** `unknown` when the side could not be read completely. */
  readonly here: boolean | 'unknown'
  readonly there: boolean | 'unknown'
}

export type Action = 'add here' | 'add there' | 'remove here' | 'remove there' | 'nothing'

/**
 * Something is removed only where its absence on the other side was seen; what could not be read is no reason for
 * anything.
 */
export function decide({ before, here, there }: Sides): Action {
  if (here === 'unknown' || there === 'unknown' || here === there) return 'nothing'
  if (before) return here ? 'remove here' : 'remove there'
  return here ? 'add there' : 'add here'
}
