// The capability `persons`: the people of a household, and whose each account is.
import { Type } from '@sinclair/typebox'
import { capability } from '../capability.ts'
import type { PluginContext } from '../context.ts'
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

/** For requests that join, or change at once, accounts: the value that `assertOnePerson` takes. */
export const AcrossPersons = Type.Optional(
  Type.Boolean({ description: 'The accounts belong to several persons, and all of them are meant.' }),
)

/** All persons; none without the plugin `persons`. A plugin that calls it lists `persons` under `optional`. */
export async function householdOf(ctx: Pick<PluginContext, 'tryUse'>): Promise<readonly Person[]> {
  return (await ctx.tryUse(PERSONS)?.list()) ?? []
}

/** The persons of whom an account is joined with that of another one. */
export function joinedPersons(
  persons: readonly Person[],
  joined: readonly (readonly AccountName[])[],
): readonly Person[] {
  const found = joined.map((accounts) => ownersOf(persons, accounts)).filter(({ length }) => length > 1)
  return persons.filter((one) => found.some((owners) => owners.includes(one)))
}

/**
 * Refuses to join, or to change at once, accounts of several persons without a confirmation.
 *
 * @param joined accounts that are joined with each other; several lists are independent
 * @param confirmed `across_persons` of the request
 * @param before accounts that are joined already, and were confirmed then
 * @throws `PLH_CONFLICT` (`crosses_persons`), with the names of the persons in `details.persons`
 */
export function assertOnePerson(
  persons: readonly Person[],
  joined: readonly (readonly AccountName[])[],
  confirmed: boolean | undefined,
  before: readonly (readonly AccountName[])[] = [],
): void {
  const isNew = (accounts: readonly AccountName[]) =>
    !before.some((known) => accounts.every((one) => ownsAccount(known, one)))
  const names = joinedPersons(persons, joined.filter(isNew)).map(({ name }) => name)
  if (confirmed === true || names.length === 0) return
  const shown = `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`
  throw new PlayheadError('PLH_CONFLICT', `These accounts belong to ${shown}. Confirm that all of them are meant.`, {
    wire: 'crosses_persons',
    details: { persons: names },
  })
}

function isSame(a: AccountName, b: AccountName): boolean {
  return a.provider.toLowerCase() === b.provider.toLowerCase() && nameOf(a) === nameOf(b)
}

function nameOf({ instance }: AccountName): string {
  return (instance || 'default').toLowerCase()
}
