// Reads a backup on a thread, and trusts nothing in it: names, numbers, sizes and hashes are checked before and while
// its files are read, and what does not fit ends the reading.
import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { type FileHandle, mkdir, open, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { type Entry, type FileEntry, Reader, ZipReader } from '@zip.js/zip.js/lib/zip-core-native.js'
import { PlayheadError } from '@playhead/sdk'
import { Value } from '@sinclair/typebox/value'
import { decrypted } from './encryption.ts'
import {
  type Limits,
  MAX_DIRECTORY_BYTES,
  MAX_MANIFEST_BYTES,
  MAX_MEMBERS,
  MAX_RATIO,
  problemOfName,
  RATIO_FROM_BYTES,
} from './limits.ts'
import { ENCRYPTED, ENCRYPTED_KIND, EncryptedManifest, type Finding, KIND, MANIFEST, Manifest } from './manifest.ts'

export interface ReadOrder {
  /** Absolute path of the archive. */
  readonly file: string
  readonly limits: Limits
  readonly passphrase: string | null
  /** Absolute path of an empty folder: for the files, if `unpack`, and for the inner archive of an encrypted one. */
  readonly folder: string
  /** Write the files below `folder/files`. */
  readonly unpack: boolean
}

export interface Reading {
  readonly encrypted: boolean
  readonly manifest: Manifest | EncryptedManifest | null
  readonly errors: readonly Finding[]
  /** How far it came. */
  readonly archive: boolean
  readonly members: boolean
  readonly listed: boolean
  readonly hashes: boolean
  /** Texts of the settings and of the key file, if the archive has them. */
  readonly settings: string | null
  readonly key: string | null
}

const MAX_TEXT_BYTES = 32 * 1024 * 1024
const MAX_FINDINGS = 200
const REGULAR = 0o100000
const TYPE_BITS = 0o170000
/** Without the name and the extra fields. */
const LOCAL_HEADER_BYTES = 30

/** Ends the reading with one finding. */
class Refused extends Error {
  readonly finding: Finding

  constructor(code: string, message?: string, path?: string) {
    super(message ?? code)
    this.finding = { code, ...(path === undefined ? {} : { path }), ...(message === undefined ? {} : { message }) }
  }
}

export async function readArchive(order: ReadOrder, signal: AbortSignal): Promise<Reading> {
  const { size } = await stat(order.file)
  if (size > order.limits.archiveBytes)
    return failed({}, [
      { code: 'archive_too_large', message: `It has ${size} bytes; ${order.limits.archiveBytes} are allowed.` },
    ])
  await using outer = await openZip(order.file, size)
  let members: Members
  try {
    members = await membersOf(outer.zip, order.limits)
  } catch (error) {
    return failed({}, [findingOf(error)])
  }
  if (!members.has(ENCRYPTED)) return await readPlain(outer.zip, members, order, signal)

  const state = { encrypted: true, archive: true }
  try {
    if (members.size !== 2) throw new Refused('undeclared_member', 'An encrypted backup has exactly two members.')
    const manifest = await manifestOf(members, EncryptedManifest, ENCRYPTED_KIND)
    const secret = members.get(ENCRYPTED)?.entry as FileEntry
    if (order.passphrase === null) {
      // Without it at least the bytes are checked.
      await pipeline(
        Readable.fromWeb(contentOf(secret) as never),
        new Writable({ write: (_chunk, _encoding, done) => done() }),
        { signal },
      )
      return {
        ...failed(state, [{ code: 'passphrase_required', message: 'The backup is encrypted. Give its passphrase.' }]),
        manifest,
      }
    }
    const inner = join(order.folder, 'inner.zip')
    const plain = await decrypted(contentOf(secret), order.passphrase)
    await pipeline(Readable.fromWeb(plain as never), createWriteStream(inner, { mode: 0o600, flags: 'wx' }), {
      signal,
    }).catch((error: unknown) => {
      if (signal.aborted || isOfDisk(error)) throw error
      throw new Refused('archive_damaged', 'The encrypted part of the backup is damaged.')
    })
    await using opened = await openZip(inner, (await stat(inner)).size)
    const inside = await membersOf(opened.zip, order.limits)
    return { ...(await readPlain(opened.zip, inside, order, signal)), encrypted: true }
  } catch (error) {
    return failed(state, [findingOf(error)])
  }
}

/** The list of an archive, without a check of anything else; null if it has none. */
export async function readManifest(file: string): Promise<Manifest | EncryptedManifest | null> {
  await using opened = await openZip(file, (await stat(file)).size)
  const limits = { archiveBytes: Number.POSITIVE_INFINITY, totalBytes: Number.POSITIVE_INFINITY }
  try {
    const members = await membersOf(opened.zip, limits)
    return members.has(ENCRYPTED)
      ? await manifestOf(members, EncryptedManifest, ENCRYPTED_KIND)
      : await manifestOf(members, Manifest, KIND)
  } catch (error) {
    findingOf(error)
    return null
  }
}

async function readPlain(
  zip: ZipReader<unknown>,
  members: Members,
  { limits, folder, unpack }: ReadOrder,
  signal: AbortSignal,
): Promise<Reading> {
  let manifest: Manifest
  try {
    manifest = await manifestOf(members, Manifest, KIND)
  } catch (error) {
    return failed({ archive: true, members: true }, [findingOf(error)])
  }
  const state = { archive: true, members: true, listed: true, manifest }
  const errors = declarationErrors(members, manifest)
  if (errors.length > 0) return failed(state, errors)

  const texts = new Map<string, string>()
  let totalBytes = 0
  const rows = new Map(manifest.files.map((row) => [row.path, row]))
  for await (const member of entriesOf(zip)) {
    const row = rows.get(member.filename)
    if (row === undefined) continue
    if (signal.aborted) throw new PlayheadError('PLH_ABORTED', 'Reading the backup was cancelled.')
    const { path, size, sha256 } = row
    totalBytes += size
    if (totalBytes > limits.totalBytes) return failed(state, [{ code: 'too_large_unpacked' }])
    try {
      const target = unpack ? join(folder, 'files', path) : null
      const isText = path === 'config.json' || path === 'secret.key'
      const { hash, text } = await readMember(member as FileEntry, size, target, isText, signal)
      if (hash !== sha256) errors.push({ code: 'hash_mismatch', path })
      if (isText) texts.set(path, text)
    } catch (error) {
      errors.push({ ...findingOf(error), path })
    }
    if (errors.length >= MAX_FINDINGS) break
  }
  return {
    ...failed(state, errors),
    hashes: errors.length === 0,
    settings: texts.get('config.json') ?? null,
    key: texts.get('secret.key') ?? null,
  }
}

/** What the list and the members say of each other. */
function declarationErrors(members: Members, manifest: Manifest): Finding[] {
  const errors: Finding[] = []
  const listed = new Set<string>([MANIFEST])
  for (const { path, size, sha256 } of manifest.files) {
    const nameProblem = problemOfName(path)
    const member = members.get(path)
    if (nameProblem !== undefined) errors.push({ code: nameProblem, path })
    else if (listed.has(path)) errors.push({ code: 'duplicate_member', path })
    else if (member === undefined) errors.push({ code: 'missing_member', path })
    else if (member.size !== size) errors.push({ code: 'size_mismatch', path })
    else if (!/^[0-9a-f]{64}$/.test(sha256)) errors.push({ code: 'invalid_hash', path })
    listed.add(path)
  }
  for (const path of members.keys()) if (!listed.has(path)) errors.push({ code: 'undeclared_member', path })
  const totalSize = manifest.files.reduce((sum, { size }) => sum + size, 0)
  if (manifest.file_count !== manifest.files.length || manifest.total_size !== totalSize)
    errors.push({ code: 'invalid_manifest', message: 'Its sums do not fit its files.' })
  return errors.slice(0, MAX_FINDINGS)
}

async function readMember(
  member: FileEntry,
  size: number,
  target: string | null,
  isText: boolean,
  signal: AbortSignal,
): Promise<{ readonly hash: string; readonly text: string }> {
  const hash = createHash('sha256')
  const kept: Buffer[] = []
  let bytes = 0
  if (isText && size > MAX_TEXT_BYTES) throw new Refused('size_mismatch')
  async function* checked(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of source) {
      bytes += chunk.length
      if (bytes > size) throw new Refused('size_mismatch', 'It is longer than its list says.')
      hash.update(chunk)
      if (isText) kept.push(Buffer.from(chunk))
      yield chunk
    }
  }
  if (target !== null) await mkdir(dirname(target), { recursive: true, mode: 0o700 })
  const sink =
    target === null
      ? new Writable({ write: (_chunk, _encoding, done) => done() })
      : createWriteStream(target, { mode: 0o600, flags: 'wx' })
  await pipeline(Readable.fromWeb(contentOf(member) as never), checked, sink, { signal })
  if (bytes !== size) throw new Refused('size_mismatch')
  return { hash: hash.digest('hex'), text: Buffer.concat(kept).toString('utf8') }
}

/** By name. Entries take some KB each, so that only those of the list and of an encrypted backup are kept. */
type Members = ReadonlyMap<string, { readonly size: number; readonly entry: FileEntry | null }>

function entriesOf(zip: ZipReader<unknown>): AsyncGenerator<Entry> {
  return zip.getEntriesGenerator({ strictness: 'strict', filenameValidation: 'tolerant' })
}

/** All members, none of them read. Throws Refused. */
async function membersOf(zip: ZipReader<unknown>, limits: Limits): Promise<Members> {
  const members = new Map<string, { readonly size: number; readonly entry: FileEntry | null }>()
  const spans: (readonly [from: number, to: number])[] = []
  let totalBytes = 0
  for await (const entry of entriesOf(zip)) {
    if (members.size >= MAX_MEMBERS) throw new Refused('too_many_members', `At most ${MAX_MEMBERS} are allowed.`)
    const { filename: path } = entry
    const problem = problemOfMember(entry)
    if (problem !== undefined) throw new Refused(problem, undefined, path)
    if (members.has(path)) throw new Refused('duplicate_member', undefined, path)
    totalBytes += entry.uncompressedSize
    if (totalBytes > limits.totalBytes)
      throw new Refused('too_large_unpacked', `Unpacked it is larger than ${limits.totalBytes} bytes.`)
    const isKept = path === MANIFEST || path === ENCRYPTED
    members.set(path, { size: entry.uncompressedSize, entry: isKept ? (entry as FileEntry) : null })
    spans.push([entry.offset, entry.offset + LOCAL_HEADER_BYTES + entry.rawFilename.length + entry.compressedSize])
  }
  // The library's own check of this keeps every entry, which is too much for 50,000 of them.
  spans.sort(([a], [b]) => a - b)
  if (spans.some(([from], index) => index > 0 && from < spans[index - 1]![1]))
    throw new Refused('archive_damaged', 'Files of the archive lie on each other.')
  return members
}

function problemOfMember(entry: Entry): string | undefined {
  const nameProblem = problemOfName(entry.filename.replace(/\/$/, ''))
  if (nameProblem !== undefined) return nameProblem
  const type = (entry.unixMode ?? 0) & TYPE_BITS
  if (entry.symlink || (type !== 0 && type !== REGULAR && !entry.directory)) return 'symlink_member'
  if (entry.directory) return 'directory_member'
  if (entry.encrypted) return 'encrypted_member'
  if (entry.compressionMethod !== 0 && entry.compressionMethod !== 8) return 'unsupported_member'
  const { compressedSize, uncompressedSize } = entry
  if (uncompressedSize > RATIO_FROM_BYTES && uncompressedSize > compressedSize * MAX_RATIO) return 'packed_too_well'
  return undefined
}

async function manifestOf<Schema extends typeof Manifest | typeof EncryptedManifest>(
  members: Members,
  schema: Schema,
  kind: string,
): Promise<Schema extends typeof Manifest ? Manifest : EncryptedManifest> {
  const member = members.get(MANIFEST)?.entry ?? undefined
  if (member === undefined) throw new Refused('manifest_missing', 'It is no backup of this service.')
  if (member.uncompressedSize > MAX_MANIFEST_BYTES) throw new Refused('invalid_manifest', 'It is too large.')
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of contentOf(member)) {
    bytes += chunk.length
    if (bytes > MAX_MANIFEST_BYTES) throw new Refused('invalid_manifest', 'It is too large.')
    chunks.push(chunk)
  }
  let value: unknown
  try {
    value = JSON.parse(Buffer.concat(chunks).toString('utf8'))
  } catch {
    throw new Refused('invalid_manifest', 'It is not JSON.')
  }
  const { kind: found, schema_version: version } = (value ?? {}) as { kind?: unknown; schema_version?: unknown }
  if (found !== kind) throw new Refused('wrong_kind', 'It is no backup of this service.')
  if (version !== 1)
    throw new Refused('unsupported_schema', 'It was written in a format that this version does not know.')
  if (!Value.Check(schema, value)) {
    const { path, message } = Value.Errors(schema, value).First() ?? { path: '', message: '' }
    throw new Refused('invalid_manifest', `${path} ${message}`.trim().slice(0, 200))
  }
  return value as never
}

function contentOf(member: FileEntry): ReadableStream<Uint8Array> {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
  const options = { strictness: 'strict', checkCrc32: true, useWebWorkers: false } as const
  // A failure reaches the reader of the stream.
  member.getData(writable, options).catch((error: unknown) => writable.abort(error).catch(() => {}))
  return readable
}

async function openZip(file: string, size: number) {
  const handle = await open(file, 'r')
  return {
    zip: new ZipReader(new ArchiveReader(handle, size), { useWebWorkers: false }),
    [Symbol.asyncDispose]: () => handle.close(),
  }
}

class ArchiveReader extends Reader<FileHandle> {
  readonly #handle: FileHandle

  constructor(handle: FileHandle, size: number) {
    super(handle)
    this.#handle = handle
    this.size = size
  }

  override async readUint8Array(index: number, length: number): Promise<Uint8Array> {
    if (length > MAX_DIRECTORY_BYTES) throw new Refused('too_many_members', 'The directory of the archive is too long.')
    const wanted = Math.max(0, Math.min(length, this.size - index))
    const bytes = new Uint8Array(wanted)
    let done = 0
    while (done < wanted) {
      const { bytesRead } = await this.#handle.read(bytes, done, wanted - done, index + done)
      if (bytesRead === 0) break
      done += bytesRead
    }
    return bytes.subarray(0, done)
  }
}

/** The finding of an error in the archive. Errors of the machine are thrown on. */
function findingOf(error: unknown): Finding {
  if (error instanceof Refused) return error.finding
  if (error instanceof PlayheadError) {
    if (error.code === 'PLH_ABORTED') throw error
    return { code: error.wire, message: error.message }
  }
  if (isOfDisk(error)) throw error
  const { message, reason } = error as { message?: string; reason?: string }
  if (/duplicate/i.test(reason ?? '')) return { code: 'duplicate_member' }
  if (/crc/i.test(message ?? '')) return { code: 'crc_mismatch' }
  return { code: 'archive_damaged', message: [message, reason].filter(Boolean).join(': ').slice(0, 200) }
}

function isOfDisk(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException
  return typeof code === 'string' && /^E[A-Z]+$/.test(code) && code !== 'EEXIST' && code !== 'ENAMETOOLONG'
}

function failed(state: Partial<Reading>, errors: readonly Finding[]): Reading {
  return {
    encrypted: false,
    manifest: null,
    archive: false,
    members: false,
    listed: false,
    hashes: false,
    settings: null,
    key: null,
    ...state,
    errors,
  }
}
