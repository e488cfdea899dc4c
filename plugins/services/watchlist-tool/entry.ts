// Entries of the list, and the account each of their rows was read from.
import type { Accounts, HeldRow, Remote, UnitedItem } from '@playhead/sdk'

export interface EntryRow extends HeldRow {
  /** The provider's token in lower case. */
  readonly token: string
}

export interface Entry extends Omit<UnitedItem, 'rows'> {
  readonly rows: readonly EntryRow[]
}

/** Provider names in fields: settings of one stand in a section with another ending. */
export function wireToken(token: string): string {
  return token.replace(/_sync$/i, '').toLowerCase()
}

export type TokenOf = (provider: string) => string

export async function loadTokens(accounts: Pick<Remote<Accounts>, 'providers'>): Promise<TokenOf> {
  const tokens = new Map((await accounts.providers()).map(({ id, token }) => [id, wireToken(token)]))
  return (provider) => tokens.get(provider) ?? provider.toLowerCase()
}

export function toEntry(item: UnitedItem, tokenOf: TokenOf): Entry {
  return { ...item, rows: item.rows.map((row) => ({ ...row, token: tokenOf(row.provider) })) }
}
