// API tokens: made for scripts and dashboards, checked on every request they send, revoked at once. As with sessions,
// the table survives restarts and the map in memory answers lookups synchronously.
import { randomBytes } from 'node:crypto'
import { PlayheadError, TOKEN_SCOPES, type Caller, type Logger, type Tables, type TokenScope } from '@playhead/sdk'
import type { Clock } from '../clock.ts'
import { includesScope } from '../http/access/scopes.ts'
import {
  apiTokenHash,
  fromTokenRow,
  isApiToken,
  newApiToken,
  tokenTable,
  toTokenRow,
  type ApiToken,
} from './token-table.ts'

export interface NewApiToken {
  readonly name: string
  readonly scope: TokenScope
  /** Null: it does not expire. */
  readonly expiresInDays: number | null
  /** The token of the caller; a new token has neither a wider scope nor a later expiry. */
  readonly by: Pick<Caller, 'token'> & { readonly name: string }
}

export interface ApiTokens {
  /** Finds a token by its text, expired ones included. Synchronous, without I/O. */
  find(text: string): ApiToken | undefined
  /** Records that the token was used. */
  used(id: string, address: string): void
  /** All tokens, newest first, including expired ones. */
  list(): readonly ApiToken[]
  create(request: NewApiToken): Promise<{ readonly secret: string; readonly token: ApiToken }>
  /** Deletes the token; throws PLH_NOT_FOUND. */
  revoke(id: string): Promise<ApiToken>
  revokeAll(): Promise<void>
  hasExpired(token: ApiToken): boolean
  /** Reports tokens that expired since the last call. Run it every minute. */
  prune(): void
  /** Called after a token was revoked or expired, so that its streams end. */
  onEnded(listener: (id: string) => void): () => void
  /** Writes buffered changes. */
  close(): Promise<void>
}

interface ApiTokenDependencies {
  readonly db: Tables
  readonly clock: Clock
  readonly log: Logger
}

const DAY_MS = 86_400_000
const LAST_USED_WRITE_MS = 5 * 60_000
const MAX_TOKENS = 100
const MAX_NAME_LENGTH = 64
export const MAX_TOKEN_DAYS = 3_650

interface Kept {
  token: ApiToken
  readonly hash: string
  writtenUsedAtMs: number
  endReported: boolean
}

export async function createApiTokens({ db, clock, log }: ApiTokenDependencies): Promise<ApiTokens> {
  const table = tokenTable(db)
  const byHash = new Map<string, Kept>()
  const listeners = new Set<(id: string) => void>()
  let lastWrite: Promise<unknown> = Promise.resolve()

  for (const row of await table.selectFrom('core__api_tokens').selectAll().execute()) {
    const token = fromTokenRow(row)
    // A scope of a later version grants nothing here.
    if (!TOKEN_SCOPES.includes(token.scope)) continue
    byHash.set(row.token_hash, {
      token,
      hash: row.token_hash,
      writtenUsedAtMs: token.lastUsedAtMs ?? 0,
      endReported: false,
    })
  }

  return {
    find: (text) => (isApiToken(text) ? byHash.get(apiTokenHash(text))?.token : undefined),
    used(id, address) {
      const kept = find(id)
      if (kept === undefined) return
      const now = clock.now()
      kept.token = { ...kept.token, lastUsedAtMs: now, lastUsedFrom: address }
      if (now - kept.writtenUsedAtMs >= LAST_USED_WRITE_MS) writeLastUsed(kept)
    },
    list: () => [...byHash.values()].map(({ token }) => token).sort((a, b) => b.createdAtMs - a.createdAtMs),
    create: (request) => write(() => create(request)),
    revoke: (id) =>
      write(async () => {
        const kept = find(id)
        if (kept === undefined)
          throw new PlayheadError('PLH_NOT_FOUND', 'This token does not exist. It may have been revoked.', {
            wire: 'token_not_found',
          })
        await table.deleteFrom('core__api_tokens').where('id', '=', id).execute()
        byHash.delete(kept.hash)
        notify(id)
        return kept.token
      }),
    revokeAll: () =>
      write(async () => {
        const ids = [...byHash.values()].map(({ token }) => token.id)
        // A start without an account ends all of them; a commit waits for the disk.
        if (ids.length === 0) return
        await table.deleteFrom('core__api_tokens').execute()
        byHash.clear()
        ids.forEach(notify)
      }),
    hasExpired,
    prune() {
      for (const kept of byHash.values()) {
        if (kept.endReported || !hasExpired(kept.token)) continue
        kept.endReported = true
        notify(kept.token.id)
      }
    },
    onEnded(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    async close() {
      for (const kept of byHash.values())
        if ((kept.token.lastUsedAtMs ?? 0) !== kept.writtenUsedAtMs) writeLastUsed(kept)
      await lastWrite
    },
  }

  async function create({ name: given, scope, expiresInDays, by }: NewApiToken) {
    const name = checkedName(given)
    const now = clock.now()
    const expiresAtMs = expiresInDays === null ? null : now + expiresInDays * DAY_MS
    if (by.token != null) assertWithin(by.token.id, by.token.scope, { scope, expiresAtMs })
    const existing = [...byHash.values()]
    if (existing.some(({ token }) => token.name.toLowerCase() === name.toLowerCase()))
      throw new PlayheadError('PLH_CONFLICT', `There is a token named "${name}" already. Choose another name.`, {
        wire: 'token_name_taken',
      })
    if (existing.length >= MAX_TOKENS)
      throw new PlayheadError('PLH_CONFLICT', `There are ${MAX_TOKENS} tokens already. Revoke one first.`, {
        wire: 'too_many_tokens',
      })
    const secret = newApiToken()
    const hash = apiTokenHash(secret)
    const token: ApiToken = {
      id: randomBytes(8).toString('hex'),
      name,
      scope,
      createdAtMs: now,
      createdBy: by.name,
      expiresAtMs,
      lastUsedAtMs: null,
      lastUsedFrom: null,
    }
    await table.insertInto('core__api_tokens').values(toTokenRow(token, hash)).execute()
    byHash.set(hash, { token, hash, writtenUsedAtMs: 0, endReported: false })
    return { secret, token }
  }

  function assertWithin(id: string, has: TokenScope, wanted: { scope: TokenScope; expiresAtMs: number | null }): void {
    const asking = find(id)?.token
    const lasts = asking?.expiresAtMs ?? null
    if (asking === undefined || !includesScope(has, wanted.scope))
      throw new PlayheadError('PLH_FORBIDDEN', `A token with the scope "${has}" cannot make one with more.`, {
        wire: 'insufficient_scope',
      })
    if (lasts !== null && (wanted.expiresAtMs === null || wanted.expiresAtMs > lasts))
      throw new PlayheadError('PLH_FORBIDDEN', 'A token cannot create a token that outlives it.', {
        wire: 'token_outlives_its_maker',
      })
  }

  function find(id: string): Kept | undefined {
    for (const kept of byHash.values()) if (kept.token.id === id) return kept
    return undefined
  }

  function hasExpired({ expiresAtMs }: ApiToken): boolean {
    return expiresAtMs !== null && clock.now() >= expiresAtMs
  }

  // Serialized, so that the map and the table change in the same order.
  function write<T>(change: () => Promise<T>): Promise<T> {
    const done = lastWrite.then(change)
    lastWrite = done.catch(() => undefined)
    return done
  }

  function writeLastUsed(kept: Kept): void {
    const { id, lastUsedAtMs, lastUsedFrom } = kept.token
    kept.writtenUsedAtMs = lastUsedAtMs ?? 0
    write(() =>
      table
        .updateTable('core__api_tokens')
        .set({ last_used_at_ms: lastUsedAtMs, last_used_from: lastUsedFrom })
        .where('id', '=', id)
        .execute(),
    ).catch((error: unknown) =>
      log.warn({ err: error, token: id }, 'the time a token was last used could not be stored'),
    )
  }

  function notify(id: string): void {
    for (const listener of listeners) {
      try {
        listener(id)
      } catch (error) {
        log.error({ err: error }, 'a listener for tokens failed')
      }
    }
  }
}

function checkedName(given: string): string {
  const name = given.trim()
  if (/^\P{C}+$/u.test(name) && name.length <= MAX_NAME_LENGTH && !isApiToken(name)) return name
  throw new PlayheadError('PLH_INVALID', `Enter a name of 1 to ${MAX_NAME_LENGTH} printable characters.`, {
    wire: 'invalid_token_name',
  })
}
