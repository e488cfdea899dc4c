// The capability `persons`: the people of a household, and whose each account is.
import { capability } from '../capability.ts'
import { PlayheadError } from '../errors.ts'
import type { AccountName } from './accounts.ts'

export const PERSONS = capability<Persons>('persons')

/** Colors of persons, in the order in which new persons get them. */
export const PERSON_COLORS = ['blue', 'orange', 'teal', 'grape', 'green', 'pink', 'indigo', 'yellow'] as const
export type PersonColor = (typeof PERSON_COLORS)[number]

export interface Person {
  readonly id: string
  readonly name: string
  readonly color: PersonColor
  /** The accounts that exist now. Accounts of providers whose plugin does not run are missing. */
  readonly accounts: readonly AccountName[]
}

export interface Persons {
  /** All persons, in the order in which they were added; none in a household that does not use them. From memory. */
  list(): Promise<readonly Person[]>
}

/** Whether an account is among those of a person. Providers and profiles are the same in any case. */
export function ownsAccount(own: readonly AccountName[], account: AccountName): boolean {
  return own.some((one) => isSame(one, account))
}

/** The owners of these accounts, each once; accounts without an owner have none. */
export function ownersOf(persons: readonly Person[], accounts: readonly AccountName[]): readonly Person[] {
  return persons.filter(({ accounts: own }) => accounts.some((one) => ownsAccount(own, one)))
}

/**
 * The person with this id.
 *
 * @throws `PLH_NOT_FOUND` (`unknown_person`)
 */
export function namedPerson<Named extends { readonly id: string }>(persons: readonly Named[], id: string): Named {
  const found = persons.find((one) => one.id === id)
  if (found !== undefined) return found
  throw new PlayheadError('PLH_NOT_FOUND', 'This person does not exist.', { wire: 'unknown_person' })
}

/**
 * Refuses to connect, or to change at once, accounts of several persons.
 *
 * @param confirmed a person confirmed it
 * @throws `PLH_CONFLICT` (`crosses_persons`), with the names of the persons in `details.persons`
 */
export function assertOnePerson(
  persons: readonly Person[],
  accounts: readonly AccountName[],
  confirmed: boolean | undefined,
): void {
  const owners = ownersOf(persons, accounts).map(({ name }) => name)
  if (confirmed === true || owners.length < 2) return
  const names = `${owners.slice(0, -1).join(', ')} and ${owners.at(-1)}`
  throw new PlayheadError('PLH_CONFLICT', `These accounts belong to ${names}. Confirm that both are meant.`, {
    wire: 'crosses_persons',
    details: { persons: owners },
  })
}

function isSame(a: AccountName, b: AccountName): boolean {
  return a.provider.toLowerCase() === b.provider.toLowerCase() && nameOf(a) === nameOf(b)
}

function nameOf({ instance }: AccountName): string {
  return (instance || 'default').toLowerCase()
}
