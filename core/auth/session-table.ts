// The table of sessions. Only the SHA-256 of a token is stored: with 256 random bits a fast hash is enough.
import { hash } from 'node:crypto'
import type { Kysely } from 'kysely'
import type { CallerSession, Tables } from '@playhead/sdk'

export interface Session extends CallerSession {
  readonly userId: string
  readonly credentialsId: string
  /** How the user signed in: `password`, or the token of an external sign-in. */
  readonly method: string
  readonly persistent: boolean
  readonly address: string
  readonly userAgent: string
  readonly createdAtMs: number
  /** Absolute expiry; an idle browser session ends earlier. */
  readonly latestEndAtMs: number
  readonly lastSeenAtMs: number
}

/** There is one administrator; the column allows more users without a migration. */
export const ADMIN_USER_ID = 'admin'

export async function createSessionTable(db: Tables): Promise<void> {
  await db.schema
    .createTable('core__sessions')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('token_hash', 'text', (column) => column.notNull().unique())
    .addColumn('user_id', 'text', (column) => column.notNull())
    .addColumn('username', 'text', (column) => column.notNull())
    .addColumn('credentials_id', 'text', (column) => column.notNull())
    .addColumn('auth_method', 'text', (column) => column.notNull())
    .addColumn('persistent', 'integer', (column) => column.notNull())
    .addColumn('ip', 'text', (column) => column.notNull())
    .addColumn('user_agent', 'text', (column) => column.notNull())
    .addColumn('created_at_ms', 'integer', (column) => column.notNull())
    .addColumn('expires_at_ms', 'integer', (column) => column.notNull())
    .addColumn('last_seen_at_ms', 'integer', (column) => column.notNull())
    .execute()
}

interface SessionDatabase {
  readonly core__sessions: SessionRow
}

interface SessionRow {
  readonly id: string
  readonly token_hash: string
  readonly user_id: string
  readonly username: string
  readonly credentials_id: string
  readonly auth_method: string
  readonly persistent: number
  readonly ip: string
  readonly user_agent: string
  readonly created_at_ms: number
  readonly expires_at_ms: number
  readonly last_seen_at_ms: number
}

export function tokenHash(token: string): string {
  return hash('sha256', token, 'hex')
}

export function toRow(session: Session, hashOfToken: string): SessionRow {
  return {
    id: session.id,
    token_hash: hashOfToken,
    user_id: session.userId,
    username: session.username,
    credentials_id: session.credentialsId,
    auth_method: session.method,
    persistent: session.persistent ? 1 : 0,
    ip: session.address,
    user_agent: session.userAgent,
    created_at_ms: session.createdAtMs,
    expires_at_ms: session.latestEndAtMs,
    last_seen_at_ms: session.lastSeenAtMs,
  }
}

export function fromRow(row: SessionRow): Session {
  return {
    id: row.id,
    userId: row.user_id,
    username: row.username,
    credentialsId: row.credentials_id,
    method: row.auth_method,
    persistent: row.persistent === 1,
    address: row.ip,
    userAgent: row.user_agent,
    createdAtMs: row.created_at_ms,
    latestEndAtMs: row.expires_at_ms,
    lastSeenAtMs: row.last_seen_at_ms,
  }
}

export function sessionTable(db: Tables): Kysely<SessionDatabase> {
  return db as Kysely<SessionDatabase>
}
