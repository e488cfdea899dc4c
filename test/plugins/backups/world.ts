// A service with the backups plugin and a plugin that stores a word in every kind of storage, and handmade archives.
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { crc32, deflateRawSync } from 'node:zlib'
import { openArchive } from '@playhead/sdk'
import { type FixturePlugin, type ServiceOptions, startService } from '../../harness.ts'

const ROOT = join(import.meta.dirname, '../../..')

const KEEPER = `import { BACKUPS, definePlugin } from '@playhead/sdk'
export default definePlugin({
  migrations: [{ name: '1', up: async (db) => { await db.schema.createTable('keeper__word').addColumn('text', 'text').execute() } }],
  async setup(ctx) {
    const own = await ctx.openDatabase('own', { migrations: [{ name: 'a', up: async (db) => { await db.schema.createTable('word').addColumn('text', 'text').execute() } }] })
    globalThis.keeperOwn = own
  },
  routes(app) {
    const { db, files, store, work } = app.playhead
    const own = globalThis.keeperOwn
    const captures = files.shared('captures')
    const put = async (handle, table, text) => handle.transaction().execute(async (t) => { await t.deleteFrom(table).execute(); await t.insertInto(table).values({ text }).execute() })
    app.post('/api/keeper', async ({ body }) => {
      const { text } = body
      await put(db, 'keeper__word', text)
      await put(own.db, 'word', text)
      await files.write('word.txt', text)
      await store.set('word', text)
      await captures.write('2026/' + text.slice(0, 40) + '.ndjson', text)
      return { ok: true }
    })
    app.get('/api/keeper', async () => ({
      table: (await db.selectFrom('keeper__word').selectAll().execute()).map(({ text }) => text),
      own: (await own.reader.selectFrom('word').selectAll().execute()).map(({ text }) => text),
      file: String(await files.read('word.txt').catch(() => '')),
      store: (await store.get('word')) ?? null,
    }))
    let hold = null
    app.post('/api/keeper/hold', async ({ body }) => {
      hold?.release()
      hold = body.kind === 'none' ? null : work.begin({ kind: body.kind, label: 'something of the keeper', exclusive: body.exclusive === true })
      return { ok: true }
    })
    app.post('/api/keeper/due', async ({ body }) => {
      await app.playhead.use(BACKUPS).runScheduled(body)
      return { ok: true }
    })
  },
})`

const keeper: FixturePlugin = {
  manifest: {
    needs: { database: true, files: ['captures'] },
    activation: ['start'],
    optional: ['backups'],
    routes: [
      { method: 'POST', path: '/api/keeper', auth: 'P' },
      { method: 'GET', path: '/api/keeper', auth: 'P' },
      { method: 'POST', path: '/api/keeper/hold', auth: 'P' },
      { method: 'POST', path: '/api/keeper/due', auth: 'P' },
    ],
  },
  files: { 'index.ts': KEEPER },
}

export function openWorld(options: Pick<ServiceOptions, 'directory' | 'environment' | 'withoutAccount'> = {}) {
  return startService({
    ...options,
    plugins: { keeper, backups: { files: {}, registry: { source: join(ROOT, 'plugins/services/backups') } } },
    watch: false,
  })
}
export type World = Awaited<ReturnType<typeof openWorld>>

export const post = async (world: World, path: string, json: unknown) => await world.json(path, { json })

export async function create(world: World, order: object = {}): Promise<{ path: string; [name: string]: unknown }> {
  const { status, body } = await post(world, '/api/backups/create', order)
  if (status !== 200) throw new Error(`no backup: ${status} ${JSON.stringify(body)}`)
  return body.backup
}

export const validate = async (world: World, path: string, passphrase?: string) =>
  (await post(world, '/api/backups/validate', { path, passphrase })).body.validation

export async function upload(world: World, bytes: Uint8Array, name = 'some.zip') {
  const form = new FormData()
  form.append('file', new Blob([bytes as never]), name)
  return await world.json('/api/backups/upload', { method: 'POST', body: form })
}

export async function download(world: World, path: string): Promise<Buffer> {
  const answer = await world.call(`/api/backups/download?path=${encodeURIComponent(path)}`)
  if (answer.status !== 200) throw new Error(`no download: ${answer.status}`)
  return Buffer.from(await answer.arrayBuffer())
}

/** The databases of an archive, as files in a folder. */
export async function databasesOf(bytes: Uint8Array, folder: string): Promise<ReadonlyMap<string, string>> {
  const files = new Map<string, string>()
  mkdirSync(folder, { recursive: true })
  for (const { path, read } of await openArchive(bytes, { files: 100_000, totalBytes: 2 ** 30 })) {
    if (!path.endsWith('.sqlite')) continue
    const file = join(folder, path.replaceAll('/', '-'))
    writeFileSync(file, Buffer.concat(await Array.fromAsync(read())))
    files.set(path, file)
  }
  return files
}

export const dataOf = (world: { readonly directory: string }) => join(world.directory, 'data')
/** All files below a folder of the data directory. */
export const filesIn = (world: { readonly directory: string }, folder: string): readonly string[] =>
  readdirSync(join(dataOf(world), folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(dataOf(world).length + 1))
    .sort()

export interface Member {
  readonly name: string
  readonly content: Uint8Array | string
  /** Unix mode with its type. */
  readonly mode?: number
  readonly encrypted?: boolean
  readonly deflate?: boolean
  /** Declares this compression method. */
  readonly method?: number
  /** Declares this false size. */
  readonly size?: number
}

/** Builds a ZIP exactly as specified, even if invalid. */
export function zip(members: readonly Member[], { after = '', zip64 = false } = {}): Buffer {
  const parts: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const { name, content, mode = 0o100600, encrypted = false, deflate = false, method, size } of members) {
    const bytes = Buffer.from(content as string)
    const packed = deflate ? deflateRawSync(bytes) : bytes
    const nameBytes = Buffer.from(name)
    const fields = Buffer.alloc(26)
    fields.writeUInt16LE(20, 0)
    fields.writeUInt16LE((encrypted ? 1 : 0) | 0x800, 2)
    fields.writeUInt16LE(method ?? (deflate ? 8 : 0), 4)
    fields.writeUInt16LE(0x5821, 8)
    fields.writeUInt32LE(crc32(bytes), 10)
    fields.writeUInt32LE(packed.length, 14)
    fields.writeUInt32LE(size ?? bytes.length, 18)
    fields.writeUInt16LE(nameBytes.length, 22)
    const local = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), fields, nameBytes, packed])
    const tail = Buffer.alloc(14)
    tail.writeUInt32LE((mode << 16) >>> 0, 6)
    tail.writeUInt32LE(offset, 10)
    const wide = Buffer.alloc(zip64 ? 28 : 0)
    if (zip64) {
      // The sizes and the offset in 64 bits, and none in 32.
      wide.writeUInt16LE(1, 0)
      wide.writeUInt16LE(24, 2)
      wide.writeBigUInt64LE(BigInt(size ?? bytes.length), 4)
      wide.writeBigUInt64LE(BigInt(packed.length), 12)
      wide.writeBigUInt64LE(BigInt(offset), 20)
      fields.writeUInt32LE(0xffffffff, 14)
      fields.writeUInt32LE(0xffffffff, 18)
      fields.writeUInt16LE(wide.length, 24)
      tail.writeUInt32LE(0xffffffff, 10)
    }
    directory.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\x03', 'latin1'), fields, tail, nameBytes, wide]))
    parts.push(local)
    offset += local.length
  }
  const central = Buffer.concat(directory)
  const end = Buffer.alloc(22)
  end.write('PK\x05\x06', 'latin1')
  // Larger counts need 64 bits, which a foreign archive may omit.
  end.writeUInt16LE(zip64 ? 0xffff : members.length & 0xffff, 8)
  end.writeUInt16LE(zip64 ? 0xffff : members.length & 0xffff, 10)
  end.writeUInt32LE(zip64 ? 0xffffffff : central.length, 12)
  end.writeUInt32LE(zip64 ? 0xffffffff : offset, 16)
  const wideEnd = Buffer.alloc(zip64 ? 76 : 0)
  if (zip64) {
    wideEnd.write('PK\x06\x06', 'latin1')
    wideEnd.writeBigUInt64LE(44n, 4)
    wideEnd.writeUInt16LE(45, 12)
    wideEnd.writeUInt16LE(45, 14)
    wideEnd.writeBigUInt64LE(BigInt(members.length), 24)
    wideEnd.writeBigUInt64LE(BigInt(members.length), 32)
    wideEnd.writeBigUInt64LE(BigInt(central.length), 40)
    wideEnd.writeBigUInt64LE(BigInt(offset), 48)
    wideEnd.write('PK\x06\x07', 56, 'latin1')
    wideEnd.writeBigUInt64LE(BigInt(offset + central.length), 64)
    wideEnd.writeUInt32LE(1, 72)
  }
  return Buffer.concat([...parts, central, wideEnd, end, Buffer.from(after)])
}

export const sha256 = (bytes: Uint8Array | string) => createHash('sha256').update(bytes).digest('hex')

/** A manifest as the service writes it. */
export function manifest(files: readonly { path: string; content: string; group: string }[], changed: object = {}) {
  const rows = files.map(({ path, content, group }) => ({
    path,
    size: Buffer.byteLength(content),
    sha256: sha256(content),
    group,
  }))
  return JSON.stringify({
    kind: 'svc_backup',
    schema_version: 1,
    created_at: '2026-11-24T00:00:00.000Z',
    app_version: '0.1.0',
    min_app_version: '0.1.0',
    scope: 'app_state',
    label: 'x',
    trigger: 'manual',
    pinned: false,
    file_count: rows.length,
    total_size: rows.reduce((sum, { size }) => sum + size, 0),
    config_encrypted: false,
    master_key_included: false,
    external_key_required: false,
    env_key_configured: false,
    groups: [...new Set(rows.map(({ group }) => group))],
    files: rows,
    database_snapshots: [],
    db_schema_versions: {},
    plugins: [],
    warnings: [],
    ...changed,
  })
}

/** All rows of all tables of a database, independent of its page layout. */
export function dump(file: string): Readonly<Record<string, unknown>> {
  using database = new DatabaseSync(file, { readOnly: true })
  const tables = database
    .prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name")
    .all()
  return Object.fromEntries(
    tables.map(({ name, sql }) => [
      String(name),
      {
        sql,
        rows: database
          .prepare(`SELECT * FROM "${name}"`)
          .all()
          .map((row) => JSON.stringify(row))
          .sort(),
      },
    ]),
  )
}
