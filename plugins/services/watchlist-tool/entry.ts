// Watchlist entries with the account that each row was read from.
import type { Accounts, AccountRow, Remote, MergedItem } from '@playhead/sdk'

export interface EntryRow extends AccountRow {
  /** Provider token in lower case. */
  readonly token: string
}

export interface Entry extends Omit<MergedItem, 'rows'> {
  readonly rows: readonly EntryRow[]
}

/** Field name of a provider, whose settings section has another ending. */
export function wireToken(token: string): string {
  return token.replace(/_sync$/i, '').toLowerCase()
}

export type TokenOf = (provider: string) => string

export async function loadTokens(accounts: Pick<Remote<Accounts>, 'providers'>): Promise<TokenOf> {
  const tokens = new Map((await accounts.providers()).map(({ id, token }) => [id, wireToken(token)]))
  return (provider) => tokens.get(provider) ?? provider.toLowerCase()
}

export function toEntry(item: MergedItem, tokenOf: TokenOf): Entry {
  return { ...item, rows: item.rows.map((row) => ({ ...row, token: tokenOf(row.provider) })) }
}
