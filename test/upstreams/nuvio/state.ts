// The state of the Nuvio stand-in: people, their profiles, and the rows of each profile with their change log.
export type TableName = 'library' | 'watched' | 'progress'
export const TABLE_NAMES: readonly TableName[] = ['library', 'watched', 'progress']

export type Row = Record<string, unknown>

export interface Event {
  readonly id: number
  readonly operation: 'upsert' | 'delete'
  readonly row: Row
}

export interface Table {
  readonly rows: Map<string, Row>
  readonly events: Event[]
}

export interface Person {
  readonly index: number
  readonly name: string
  readonly locked: boolean
}

export interface Account {
  readonly id: string
  readonly name: string
  /** Empty: only a default profile, number 1. */
  people: Person[]
  readonly tables: Map<string, Table>
}

export interface Token {
  /** undefined: an anonymous session. */
  readonly account: Account | undefined
  expiresAtMs: number
  /** Identifies the tokens that come from one sign-in. */
  readonly family: string
}

export interface Login {
  readonly nonce: string
  readonly expiresAtMs: number
  polls: number
  status: 'pending' | 'approved' | 'used' | 'cancelled'
  account: Account | undefined
}

/** Abilities that an older service lacks. */
export interface Abilities {
  /** Single rows of the library can be added and removed. */
  readonly singleRows: boolean
  /** The service has a change log. */
  readonly deltas: boolean
  /** Functions that write accept the name of the writer. */
  readonly origin: boolean
  readonly overview: boolean
  /** Maximum rows per page, regardless of the request. */
  readonly mostRows: number
}

export interface State {
  readonly clientKey: string
  readonly nowMs: () => number
  readonly tokenLifetimeS: number
  readonly loginIntervalS: number
  readonly abilities: { -readonly [name in keyof Abilities]: Abilities[name] }
  readonly accounts: Map<string, Account>
  readonly access: Map<string, Token>
  /** By refresh token. A used token is kept, to detect its reuse. */
  readonly refresh: Map<string, { readonly account: Account; readonly family: string; used: boolean }>
  readonly logins: Map<string, Login>
  /** Writer names that clients sent. */
  readonly origins: Set<string>
  lastEvent: number
}

export function tableOf(account: Account, profile: number, name: TableName): Table {
  const key = `${profile} ${name}`
  const known = account.tables.get(key)
  if (known !== undefined) return known
  const made: Table = { rows: new Map(), events: [] }
  account.tables.set(key, made)
  return made
}

export function put(state: State, account: Account, profile: number, name: TableName, row: Row): void {
  const { rows, events } = tableOf(account, profile, name)
  const key = keyOf(name, row)
  const stored = { ...rows.get(key), ...row, profile_id: profile }
  rows.set(key, stored)
  events.push({ id: (state.lastEvent += 1), operation: 'upsert', row: stored })
}

export function drop(state: State, account: Account, profile: number, name: TableName, key: string): boolean {
  const { rows, events } = tableOf(account, profile, name)
  const row = rows.get(key)
  if (row === undefined) return false
  rows.delete(key)
  events.push({ id: (state.lastEvent += 1), operation: 'delete', row })
  return true
}

export function keyOf(name: TableName, row: Row): string {
  const { content_id: id, content_type: type, season, episode, progress_key: own } = row
  if (name === 'library') return `${String(id)} ${String(type)}`
  if (name === 'watched') return `${String(id)} ${String(season ?? '')} ${String(episode ?? '')}`
  if (typeof own === 'string') return own
  return season == null ? String(id) : `${String(id)}_s${String(season)}e${String(episode)}`
}
