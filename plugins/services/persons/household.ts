// The stored persons, one document written as a whole, joined with the accounts that exist now.
import {
  type Account,
  accountLabel,
  ACCOUNTS,
  createTurns,
  namedPerson,
  PERSON_COLORS,
  type Person,
  type PersonColor,
  PlayheadError,
  type PluginContext,
  SYNC,
} from '@playhead/sdk'
import { randomUUID } from 'node:crypto'
import { type OwnedAccount, plainName, type Suggestion, suggestionsOf } from './suggestions.ts'

interface StoredPerson {
  readonly id: string
  readonly name: string
  readonly color: PersonColor
  /** Uids of profiles: an id of a profile may be used again for another account. */
  readonly accounts: readonly string[]
}

export interface PersonChange {
  readonly name?: string
  readonly color?: PersonColor
  readonly accounts?: readonly string[]
}

export interface Household {
  persons(): Promise<readonly Person[]>
  overview(): Promise<{
    readonly persons: readonly (Omit<StoredPerson, 'accounts'> & { readonly accounts: readonly OwnedAccount[] })[]
    /** Accounts without an owner. */
    readonly accounts: readonly OwnedAccount[]
    readonly suggestions: readonly Suggestion[]
  }>
  /** Returns the id. Throws `PLH_CONFLICT` (`person_exists`, `account_taken`, `too_many_persons`), `PLH_NOT_FOUND` (`unknown_account`). */
  add(person: PersonChange & { readonly name: string }): Promise<string>
  /** Absent values stay. Throws as `add`, and `PLH_NOT_FOUND` (`unknown_person`). */
  change(id: string, change: PersonChange): Promise<void>
  /** The accounts stay. Throws `PLH_NOT_FOUND` (`unknown_person`). */
  remove(id: string): Promise<void>
  /** Names by id. */
  names(): ReadonlyMap<string, string>
  /** The id of the person of this name, who is added if there is none. Throws as `add`. */
  named(name: string): Promise<string>
  /** Gives an account to a person. Throws as `change`. */
  own(id: string, uid: string): Promise<void>
  /** Takes an account from its person, if it has one. */
  disown(uid: string): Promise<void>
}

const KEY = 'persons'
const MAX_PERSONS = 50

export async function createHousehold(ctx: Pick<PluginContext, 'store' | 'use' | 'tryUse'>): Promise<Household> {
  const inTurn = createTurns()
  let stored = (await ctx.store.get<readonly StoredPerson[]>(KEY)) ?? []
  const list = () => ctx.use(ACCOUNTS).list()

  async function write(persons: readonly StoredPerson[]): Promise<void> {
    await ctx.store.set(KEY, persons)
    stored = persons
  }

  /** The person with the change, checked against all others. */
  async function changed(before: StoredPerson, { name, color, accounts }: PersonChange): Promise<StoredPerson> {
    const others = stored.filter(({ id }) => id !== before.id)
    const wanted = name?.trim().replace(/\s+/gu, ' ') ?? before.name
    if (others.some((one) => plainName(one.name) === plainName(wanted)))
      throw new PlayheadError('PLH_CONFLICT', `There is a person called ${wanted} already.`, { wire: 'person_exists' })
    const all = accounts === undefined ? [] : await list()
    for (const uid of accounts ?? []) {
      if (!all.some((one) => one.uid === uid) && !before.accounts.includes(uid))
        throw new PlayheadError('PLH_NOT_FOUND', 'This account does not exist.', { wire: 'unknown_account' })
      const owner = others.find((one) => one.accounts.includes(uid))
      if (owner !== undefined)
        throw new PlayheadError('PLH_CONFLICT', `This account belongs to ${owner.name}.`, {
          wire: 'account_taken',
          details: { account: uid, person: owner.id },
        })
    }
    // Accounts that are not shown stay: of a provider that does not run now, or not signed in.
    const hidden = before.accounts.filter((uid) => !all.some((one) => one.uid === uid && one.configured))
    return {
      id: before.id,
      name: wanted,
      color: color ?? before.color,
      accounts: accounts === undefined ? before.accounts : [...new Set([...accounts, ...hidden])],
    }
  }

  async function add(person: PersonChange & { readonly name: string }): Promise<string> {
    if (stored.length >= MAX_PERSONS)
      throw new PlayheadError('PLH_CONFLICT', `There are ${MAX_PERSONS} persons, which is the limit.`, {
        wire: 'too_many_persons',
      })
    const used = new Set(stored.map(({ color }) => color))
    const color = PERSON_COLORS.find((one) => !used.has(one)) ?? PERSON_COLORS[0]
    const made = await changed({ id: randomUUID(), name: '', color, accounts: [] }, person)
    await write([...stored, made])
    return made.id
  }

  async function described(accounts: readonly Account[]): Promise<readonly OwnedAccount[]> {
    const directory = ctx.use(ACCOUNTS)
    const labels = new Map((await directory.providers()).map(({ id, label }) => [id, label]))
    return Promise.all(
      accounts.map(async ({ uid, provider, instance, label, actsAs }) => {
        const health = await directory.health(provider, instance, { known: true }).catch(() => undefined)
        return {
          uid,
          provider,
          instance,
          label: accountLabel(labels.get(provider) ?? provider, instance, label),
          user: health?.user?.name ?? actsAs?.name ?? null,
        }
      }),
    )
  }

  return {
    async persons() {
      // Most households have none, and then nothing is asked.
      if (stored.length === 0) return []
      const names = new Map((await list()).map(({ uid, provider, instance }) => [uid, { provider, instance }]))
      return stored.map((person) => ({ ...person, accounts: person.accounts.flatMap((uid) => names.get(uid) ?? []) }))
    },

    async overview() {
      const all = (await list()).filter(({ configured }) => configured)
      const [shown, pairs] = await Promise.all([described(all), ctx.tryUse(SYNC)?.pairs() ?? []])
      const byUid = new Map(shown.map((one) => [one.uid, one]))
      const persons = stored.map((person) => ({
        ...person,
        accounts: person.accounts.flatMap((uid) => byUid.get(uid) ?? []),
      }))
      const owned = new Set(stored.flatMap(({ accounts }) => accounts))
      const accounts = shown.filter(({ uid }) => !owned.has(uid))
      return { persons, accounts, suggestions: suggestionsOf(persons, accounts, all, pairs) }
    },

    names: () => new Map(stored.map(({ id, name }) => [id, name])),

    add: (person) => inTurn(() => add(person)),

    named: (name) =>
      inTurn(async () => stored.find((one) => plainName(one.name) === plainName(name))?.id ?? (await add({ name }))),

    own: (id, uid) =>
      inTurn(async () => {
        const before = namedPerson(stored, id)
        const after = await changed(before, { accounts: [...before.accounts, uid] })
        await write(stored.map((one) => (one.id === id ? after : one)))
      }),

    disown: (uid) =>
      inTurn(async () => {
        if (!stored.some(({ accounts }) => accounts.includes(uid))) return
        await write(stored.map((one) => ({ ...one, accounts: one.accounts.filter((own) => own !== uid) })))
      }),

    change: (id, change) =>
      inTurn(async () => {
        const after = await changed(namedPerson(stored, id), change)
        await write(stored.map((one) => (one.id === id ? after : one)))
      }),

    remove: (id) =>
      inTurn(async () => {
        namedPerson(stored, id)
        await write(stored.filter((one) => one.id !== id))
      }),
  }
}
