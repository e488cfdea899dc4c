// The rule for one item, from the state after the last run and the current state of both accounts.

export interface Sides {
  /** Both accounts had it after the last run. */
  readonly before: boolean
  /** `unknown` if the account could not be read completely. */
  readonly here: boolean | 'unknown'
  readonly there: boolean | 'unknown'
}

export type Action = 'add here' | 'add there' | 'remove here' | 'remove there' | 'nothing'

/** Removes an item only if its absence from the other account was observed; an unknown state causes nothing. */
export function decide({ before, here, there }: Sides): Action {
  if (here === 'unknown' || there === 'unknown' || here === there) return 'nothing'
  if (before) return here ? 'remove here' : 'remove there'
  return here ? 'add there' : 'add here'
}
