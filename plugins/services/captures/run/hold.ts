// Locks an account while it is captured or restored.
import { accountLabel, type WorkHold } from '@playhead/sdk'
import type { Named } from '../account.ts'
import type { Parts } from '../parts.ts'
import type { Job } from './jobs.ts'

type HeldFor = 'capture' | 'restore'

function describe({ provider, instance, description }: Named, kind: HeldFor, what: string) {
  return { kind, label: `${what} ${accountLabel(description.label, instance)}`, accounts: [{ provider, instance }] }
}

/** Throws `PLH_CONFLICT` (`busy`) while other work uses the account. */
export function hold({ holds }: Parts, named: Named, kind: HeldFor, what: string): WorkHold {
  return holds.begin(describe(named, kind, what))
}

/** Waits for other work on the account, and reports the wait in the job's progress. */
export function holdWhenFree(
  { holds }: Parts,
  named: Named,
  kind: HeldFor,
  what: string,
  { signal, waits: onWait }: Pick<Job, 'signal' | 'waits'>,
): Promise<WorkHold> {
  return holds.beginWhenFree(describe(named, kind, what), { signal, onWait })
}
