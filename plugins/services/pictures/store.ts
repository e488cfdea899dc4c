// Pictures on disk, per account, up to a total size; the least recently used are deleted first. A row without bytes means that the
// account has no such picture.
import { createHash } from 'node:crypto'
import type { Migration, OwnDatabase, Picture, PictureRequest, PictureType } from '@playhead/sdk'
import { sql } from 'kysely'

export interface StoredPicture {
  /** The account, as `Source.owner`. */
  readonly owner: string
  readonly atMs: number
  /** Null if the account has none. */
  readonly picture: (Picture & { readonly etag: string }) | null
}

export interface Store {
  /** The stored pictures of one title, by account. */
  find(request: PictureRequest): Promise<readonly StoredPicture[]>
  save(request: PictureRequest, owner: string, picture: Picture | null): Promise<StoredPicture>
  /** Deletes data of removed accounts and long unused pictures. */
  prune(owners: readonly string[]): Promise<void>
  count(): Promise<{ readonly rows: number; readonly bytes: number }>
  clear(): Promise<number>
}

interface StoreOptions {
  readonly maxBytes?: number
  readonly maxRows?: number
  readonly now?: () => number
}

const MAX_BYTES = 256 * 1024 * 1024
const MAX_ROWS = 100_000
/** The share that is deleted when the limit is exceeded. */
const ROOM = 0.9
const UNUSED_MS = 90 * 86_400_000
/** Precision of the last-use time. */
const USE_MS = 3_600_000
const ETAG_LENGTH = 22

export const migrations: readonly Migration[] = [
  {
    name: '001-pictures',
    async up(db) {
      for (const statement of [
        `create table picture (
          id integer primary key, title text not null, art text not null, width integer not null, owner text not null,
          at integer not null, used_at integer not null, size integer not null, type text, etag text, bytes blob,
          unique (title, art, width, owner)
        )`,
        'create index picture_used on picture (used_at)',
        'create index picture_owner on picture (owner)',
      ])
        await sql.raw(statement).execute(db)
    },
  },
]

interface Row {
  readonly id: number
  readonly owner: string
  readonly at: number
  readonly used_at: number
  readonly type: string | null
  readonly etag: string | null
  readonly bytes: Uint8Array | null
}

export function createStore(
  { db }: Pick<OwnDatabase, 'db'>,
  { maxBytes = MAX_BYTES, maxRows = MAX_ROWS, now = Date.now }: StoreOptions = {},
): Store {
  async function count() {
    const { rows } = await sql<{ rows: number; bytes: number | null }>`select count(*) as rows, sum(size) as bytes
      from picture`.execute(db)
    return { rows: Number(rows[0]?.rows ?? 0), bytes: Number(rows[0]?.bytes ?? 0) }
  }

  let total: { rows: number; bytes: number } | undefined

  async function makeRoom(added: number): Promise<void> {
    total ??= { ...(await count()) }
    total.rows += 1
    total.bytes += added
    if (total.bytes <= maxBytes && total.rows <= maxRows) return
    await sql`delete from picture where id in (
      select id from (
        select id, sum(size) over (order by used_at desc, id desc) as bytes, row_number() over (order by used_at desc, id desc) as place
        from picture
      ) where bytes > ${Math.floor(maxBytes * ROOM)} or place > ${Math.floor(maxRows * ROOM)}
    )`.execute(db)
    total = { ...(await count()) }
  }

  return {
    count,
    async find(request) {
      const { rows } = await sql<Row>`select id, owner, at, used_at, type, etag, bytes from picture
        where title = ${titleOf(request)} and art = ${request.art} and width = ${request.width}`.execute(db)
      const stale = rows.filter(({ used_at: used }) => now() - used > USE_MS).map(({ id }) => id)
      if (stale.length > 0)
        await sql`update picture set used_at = ${now()} where id in (${sql.join(stale)})`.execute(db)
      return rows.map(({ owner, at, type, etag, bytes }) => ({
        owner,
        atMs: at,
        picture: bytes === null ? null : { bytes, type: type as PictureType, etag: etag ?? '' },
      }))
    },
    async save(request, owner, picture) {
      const etag = picture === null ? null : etagOf(picture.bytes)
      const size = picture?.bytes.byteLength ?? 0
      await sql`insert or replace into picture (title, art, width, owner, at, used_at, size, type, etag, bytes) values (
        ${titleOf(request)}, ${request.art}, ${request.width}, ${owner}, ${now()}, ${now()}, ${size},
        ${picture?.type ?? null}, ${etag}, ${picture?.bytes ?? null})`.execute(db)
      await makeRoom(size)
      return { owner, atMs: now(), picture: picture === null ? null : { ...picture, etag: etag ?? '' } }
    },
    async prune(owners) {
      const kept = owners.length === 0 ? sql`('')` : sql`(${sql.join([...owners])})`
      await sql`delete from picture where owner not in ${kept} or used_at < ${now() - UNUSED_MS}`.execute(db)
      total = undefined
    },
    async clear() {
      const { numAffectedRows = 0n } = await sql`delete from picture`.execute(db)
      total = undefined
      return Number(numAffectedRows)
    },
  }
}

export function titleOf({ type, ids }: Pick<PictureRequest, 'type' | 'ids'>): string {
  const parts = Object.entries(ids).map(([scheme, id]) => `${scheme}:${id}`)
  return `${type} ${parts.toSorted().join(' ')}`
}

export function etagOf(bytes: Uint8Array): string {
  return `"${createHash('sha256').update(bytes).digest('base64url').slice(0, ETAG_LENGTH)}"`
}
