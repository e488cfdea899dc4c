// The accounts of the index: names, bits, and the selection in a request.
import { accountName, type AccountName, ownsAccount, PlayheadError, type Tables } from '@playhead/sdk'
import { sql } from 'kysely'
import { bitOf } from '../tables.ts'

export interface IndexAccount {
  readonly id: number
  readonly provider: string
  readonly instance: string
}

export async function accountsOf(reader: Tables): Promise<ReadonlyMap<number, IndexAccount>> {
  const { rows } = await sql<IndexAccount>`select id, provider, instance from account where provider <> ''
    order by provider, instance`.execute(reader)
  return new Map(rows.map((row) => [row.id, row]))
}

/** The accounts of the index that belong to one person; all of them without a person. */
export function ownOf(
  accounts: ReadonlyMap<number, IndexAccount>,
  own: readonly AccountName[] | undefined,
): readonly IndexAccount[] {
  const all = [...accounts.values()]
  return own === undefined ? all : all.filter((one) => ownsAccount(own, one))
}

/**
 * The bits of the accounts in a request: `PLEX@default`, or `PLEX` for all profiles, separated by commas; null for none.
 *
 * @param own accounts of the chosen person, of which others do not count
 * @throws `PLH_NOT_FOUND` (`unknown_account`)
 */
export function maskOf(
  accounts: ReadonlyMap<number, IndexAccount>,
  names: string | undefined,
  own?: readonly AccountName[],
): number | null {
  const wanted = (names ?? '').split(',').flatMap((name) => (name.trim() === '' ? [] : [name.trim().toLowerCase()]))
  const ofPerson = ownOf(accounts, own)
  if (wanted.length === 0)
    return own === undefined ? null : Number(ofPerson.reduce((bits, { id }) => bits | BigInt(bitOf(id)), 0n))
  let mask = 0n
  for (const name of wanted) {
    const named = [...accounts.values()].filter(({ provider, instance }) =>
      [provider, accountName(provider, instance)].some((each) => each.toLowerCase() === name),
    )
    if (named.length === 0)
      throw new PlayheadError('PLH_NOT_FOUND', `There are no titles of an account "${name}".`, {
        wire: 'unknown_account',
      })
    for (const one of named) if (ofPerson.includes(one)) mask |= BigInt(bitOf(one.id))
  }
  return Number(mask)
}

export function namesOf(accounts: ReadonlyMap<number, IndexAccount>, services: string) {
  return (JSON.parse(services) as readonly [account: number, count: number][]).flatMap(([id, count]) => {
    const account = accounts.get(id)
    return account === undefined ? [] : [{ provider: account.provider, instance: account.instance, count }]
  })
}

/** ISO text that keeps the precision. */
export function isoOf(at: number | null, day: number | boolean): string | null {
  if (at === null) return null
  const text = new Date(at).toISOString()
  return day === 1 || day === true ? text.slice(0, 10) : `${text.slice(0, 19)}Z`
}
