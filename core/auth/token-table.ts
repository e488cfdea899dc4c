// The table of API tokens. Only the SHA-256 of a token is stored: with 256 random bits a fast hash is enough.
import { hash, randomBytes } from 'node:crypto'
import type { Kysely } from 'kysely'
import type { CallerToken, Tables, TokenScope } from '@playhead/sdk'

export interface ApiToken extends CallerToken {
  readonly createdAtMs: number
  /** The person or token that created it. */
  readonly createdBy: string
  /** Null: it does not expire. */
  readonly expiresAtMs: number | null
  /** Null: never used. Written every few minutes, so it may be a little old after a crash. */
  readonly lastUsedAtMs: number | null
  readonly lastUsedFrom: string | null
}

export async function createTokenTable(db: Tables): Promise<void> {
  await db.schema
    .createTable('core__api_tokens')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('token_hash', 'text', (column) => column.notNull().unique())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('scope', 'text', (column) => column.notNull())
    .addColumn('created_by', 'text', (column) => column.notNull())
    .addColumn('created_at_ms', 'integer', (column) => column.notNull())
    .addColumn('expires_at_ms', 'integer')
    .addColumn('last_used_at_ms', 'integer')
    .addColumn('last_used_from', 'text')
    .execute()
}

interface TokenDatabase {
  readonly core__api_tokens: TokenRow
}

interface TokenRow {
  readonly id: string
  readonly token_hash: string
  readonly name: string
  readonly scope: string
  readonly created_by: string
  readonly created_at_ms: number
  readonly expires_at_ms: number | null
  readonly last_used_at_ms: number | null
  readonly last_used_from: string | null
}

/** The prefix is recognized by log redaction and by scanners for leaked secrets. */
const PREFIX = 'plh_'
const SHAPE = /^plh_[A-Za-z0-9_-]{43}$/
/** Matches a token anywhere in a text. */
export const API_TOKEN = /plh_[A-Za-z0-9_-]{43}/

export function newApiToken(): string {
  return PREFIX + randomBytes(32).toString('base64url')
}

/** True for a text with the shape of an API token. */
export function isApiToken(text: string): boolean {
  return SHAPE.test(text)
}

export function apiTokenHash(token: string): string {
  return hash('sha256', token, 'hex')
}

export function toTokenRow(token: ApiToken, hashOfToken: string): TokenRow {
  return {
    id: token.id,
    token_hash: hashOfToken,
    name: token.name,
    scope: token.scope,
    created_by: token.createdBy,
    created_at_ms: token.createdAtMs,
    expires_at_ms: token.expiresAtMs,
    last_used_at_ms: token.lastUsedAtMs,
    last_used_from: token.lastUsedFrom,
  }
}

export function fromTokenRow(row: TokenRow): ApiToken {
  return {
    id: row.id,
    name: row.name,
    scope: row.scope as TokenScope,
    createdBy: row.created_by,
    createdAtMs: row.created_at_ms,
    expiresAtMs: row.expires_at_ms,
    lastUsedAtMs: row.last_used_at_ms,
    lastUsedFrom: row.last_used_from,
  }
}

export function tokenTable(db: Tables): Kysely<TokenDatabase> {
  return db as Kysely<TokenDatabase>
}
