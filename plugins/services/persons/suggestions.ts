// Which accounts may belong to one person: equal names, or a pair between them. A person applies a suggestion; nothing is
// assigned by a name alone.
import { type Account, ownersByPairs, type PairState } from '@playhead/sdk'
import { foldText, looseTitle } from '@playhead/sdk/items'

export interface OwnedAccount {
  readonly uid: string
  readonly provider: string
  readonly instance: string
  /** `Jellyfin (Kim)` */
  readonly label: string
  /** The name of the user at the service, if it is known. */
  readonly user: string | null
}

export interface Suggestion {
  /** The person who gets the accounts; null: a new one. */
  readonly person: string | null
  /** Of the person, or for the new one. */
  readonly name: string
  /** Uids. */
  readonly accounts: readonly string[]
  /** `same_name`: users or profiles have one name. `paired`: a pair connects them. */
  readonly reason: 'same_name' | 'paired'
}

interface Named {
  readonly id: string
  readonly name: string
  readonly accounts: readonly OwnedAccount[]
}

/** Without case, accents, spaces and signs: `Zoë K.` is `zoek`. */
export function plainName(name: string): string {
  return looseTitle(name).replaceAll(' ', '') || foldText(name.trim())
}

export function suggestionsOf(
  persons: readonly Named[],
  free: readonly OwnedAccount[],
  all: readonly Pick<Account, 'uid' | 'label'>[],
  pairs: readonly PairState[],
): readonly Suggestion[] {
  const labels = new Map(all.map(({ uid, label }) => [uid, label]))
  const namesOf = ({ uid, user }: OwnedAccount) =>
    [user ?? '', labels.get(uid) ?? ''].filter((name) => name !== '').map(plainName)
  const left = new Set(free)
  const take = (accounts: readonly OwnedAccount[]) => {
    for (const one of accounts) left.delete(one)
    return accounts.map(({ uid }) => uid)
  }
  const found: Suggestion[] = []

  const known = persons.map((person) => ({
    ...person,
    names: new Set([plainName(person.name), ...person.accounts.flatMap(namesOf)]),
  }))
  const isOf = ({ names }: { readonly names: ReadonlySet<string> }, one: OwnedAccount) =>
    namesOf(one).some((name) => names.has(name))
  for (const person of known) {
    // Two persons with the same name at a service are told apart by people alone.
    const own = [...left].filter((one) => known.filter((other) => isOf(other, one)).length === 1 && isOf(person, one))
    if (own.length > 0) found.push({ person: person.id, name: person.name, accounts: take(own), reason: 'same_name' })
  }

  const ownerOf = ownersByPairs(pairs)
  for (const person of known) {
    const roots = new Set(person.accounts.map(ownerOf))
    const own = [...left].filter((one) => roots.has(ownerOf(one)))
    const isAlone = known.every((other) => other === person || !other.accounts.some((one) => roots.has(ownerOf(one))))
    if (own.length > 0 && isAlone)
      found.push({ person: person.id, name: person.name, accounts: take(own), reason: 'paired' })
  }

  const byName = Map.groupBy(
    [...left].flatMap((one) => [...new Set(namesOf(one))].map((name) => ({ name, one }))),
    ({ name }) => name,
  )
  for (const same of byName.values()) {
    const own = same.map(({ one }) => one).filter((one) => left.has(one))
    if (new Set(own.map(({ provider }) => provider)).size > 1)
      found.push({ person: null, name: shownName(own, labels), accounts: take(own), reason: 'same_name' })
  }
  for (const own of Map.groupBy([...left], ownerOf).values())
    if (own.length > 1)
      found.push({ person: null, name: shownName(own, labels), accounts: take(own), reason: 'paired' })
  return found
}

function shownName(accounts: readonly OwnedAccount[], labels: ReadonlyMap<string, string>): string {
  const names = accounts.flatMap(({ uid, user }) => [labels.get(uid) ?? '', user ?? '']).filter((name) => name !== '')
  const name = names[0] ?? accounts[0]?.label ?? ''
  return `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`.slice(0, 40)
}
