// The capability family `setup:<part>`: what a service keeps between accounts, such as pairs or scrobble routes. A plan of
// several services is made of the changes that its parts propose, and is applied, or undone, part by part.
import { capabilityFamily } from '../capability.ts'
import type { Feature } from '../provider/features.ts'
import type { PairMode } from '../sync/contract.ts'
import type { AccountName } from './accounts.ts'

/** A plugin that provides `SETUP.of('pairs')` takes part in plans. */
export const SETUP = capabilityFamily<SetupPart>('setup:')

/** A wish of a person. A part ignores the kinds that are not its own. */
export type SetupWish =
  | {
      readonly kind: 'pair'
      readonly source: AccountName
      readonly target: AccountName
      readonly mode: PairMode
      readonly features: readonly Feature[]
      /** A first copy: the pair runs before the others. The maker of the plan stops it after that run. */
      readonly once?: true
    }
  /** All lists of both accounts, each with the one of the same name at the other. */
  | { readonly kind: 'playlists'; readonly source: AccountName; readonly target: AccountName }
  | { readonly kind: 'scrobble'; readonly source: AccountName; readonly target: AccountName }
  | { readonly kind: 'schedule'; readonly everyHours: number }

/** Fields of a setting; JSON without secrets. */
export type SetupValues = Readonly<Record<string, unknown>>

/** Something between accounts, for display. */
export interface SetupEntry {
  /** `pair`, `playlist`, `scrobble`, `webhook`, `schedule`, … */
  readonly kind: string
  /** Unique within the part. */
  readonly id: string
  readonly label: string
  readonly source: AccountName | null
  readonly target: AccountName | null
  readonly mode?: PairMode
  readonly features?: readonly Feature[]
}

/**
 * One change of a setting. It is plain data that can be stored, and applied at any later time: the part compares the setting
 * with `before` and `after` first.
 */
export interface SetupChange extends SetupEntry {
  readonly action: 'make' | 'change' | 'stop' | 'start' | 'remove'
  /** The fields as they are; null: the setting does not exist. */
  readonly before: SetupValues | null
  /** The fields as they become; null: the setting is removed. */
  readonly after: SetupValues | null
  /** The id of a pair that this one makes, and of the pair whose place it takes. */
  readonly pair?: { readonly id: string; readonly replaces?: string }
  /** A first copy, see `SetupWish`. Both values have the field `enabled`. */
  readonly once?: true
}

/** A wish that a part cannot fulfil, or not in full. */
export interface SetupRefusal extends Omit<SetupEntry, 'id'> {
  /**
   * `unsupported`: the accounts have no such feature in common. `one_way_only`: one of them cannot take part in a two-way
   * pair. `no_scrobbling`: the source reports no playback, or the target takes none. `no_lists`: the account creates no such
   * lists. `mirror_source`: a mirror of a list that is to be replaced. `too_many`: more lists than a plan takes. `unreadable`:
   * the service did not list them. `switched_off`: a person turned it off. `invalid`: the settings are not valid.
   */
  readonly reason: string
}

export interface SetupProposal {
  readonly changes: readonly SetupChange[]
  /** Already as wished. */
  readonly kept: readonly SetupEntry[]
  readonly refused: readonly SetupRefusal[]
}

export interface Replacement {
  readonly from: AccountName
  readonly to: AccountName
  /** Changes that other parts proposed before, for parts that refer to their pairs. */
  readonly earlier: readonly SetupChange[]
}

/** `other`: the setting is neither as before nor as after the change. */
export type SetupState = 'before' | 'after' | 'other'

export interface SetupPart {
  /** Changes that meet the wishes. Stores nothing. */
  meet(wishes: readonly SetupWish[]): Promise<SetupProposal>
  /**
   * Changes that put an account in the place of another wherever the other one is in use. Settings that are turned off stay
   * unchanged. Stores nothing.
   */
  replace(replacement: Replacement): Promise<SetupProposal>
  /** The state of each change, in order. */
  states(changes: readonly SetupChange[]): Promise<readonly SetupState[]>
  /**
   * Stores all changes whose state is `before`, in one write; leaves out the others. Applying them twice has no further
   * effect. Throws, and stores nothing, if one of them is not possible now (`PLH_CONFLICT`: `pair_running`, `pair_in_use`).
   */
  apply(changes: readonly SetupChange[]): Promise<void>
  /** Path and query of the addresses that a person enters at another service, by id of the entry. They contain secrets. */
  addresses?(ids: readonly string[]): Promise<Readonly<Record<string, string>>>
}

export const NO_SETUP: SetupProposal = Object.freeze({ changes: [], kept: [], refused: [] })

export function joinedSetup(all: readonly SetupProposal[]): SetupProposal {
  return {
    changes: all.flatMap(({ changes }) => changes),
    kept: all.flatMap(({ kept }) => kept),
    refused: all.flatMap(({ refused }) => refused),
  }
}

const INVERSE = { make: 'remove', remove: 'make', stop: 'start', start: 'stop', change: 'change' } as const

/** The changes that undo these, last one first. */
export function inverseSetup<Change extends SetupChange>(changes: readonly Change[]): Change[] {
  return changes
    .map((change) => ({ ...change, action: INVERSE[change.action], before: change.after, after: change.before }))
    .toReversed()
}

/**
 * The state of a change of fields.
 *
 * @param current the stored fields; null: the setting does not exist
 * @param identity for a setting that is made or removed: the fields that tell it from another one with its id
 */
export function setupStateOf(
  { before, after }: Pick<SetupChange, 'before' | 'after'>,
  current: SetupValues | null,
  identity: readonly string[],
): SetupState {
  if (before === null || after === null) {
    const made = (before ?? after)!
    const isThere = current !== null
    if (isThere && identity.some((name) => !isSame(current[name], made[name]))) return 'other'
    return isThere === (after !== null) ? 'after' : 'before'
  }
  if (current === null) return 'other'
  const has = (values: SetupValues) => Object.entries(values).every(([name, value]) => isSame(current[name], value))
  return has(after) ? 'after' : has(before) ? 'before' : 'other'
}

function isSame(a: unknown, b: unknown): boolean {
  return stable(a) === stable(b)
}

/** JSON with sorted names. */
function stable(value: unknown): string {
  return JSON.stringify(value, (_name, one: unknown) =>
    typeof one === 'object' && one !== null && !Array.isArray(one)
      ? Object.fromEntries(Object.entries(one).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : one,
  )
}

export function isSameAccount(a: AccountName, b: AccountName): boolean {
  return a.provider === b.provider && a.instance === b.instance
}
