// Reads a backup on a thread, as untrusted input: names, numbers, sizes and hashes are checked before and during the read, and a
// mismatch ends it.
import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { type ArchiveFile, defined, PlayheadError, scanArchive, type ScannedArchive } from '@playhead/sdk'
import { Value } from '@sinclair/typebox/value'
import { decrypted } from './encryption.ts'
import { type Limits, MAX_MANIFEST_BYTES, MAX_MEMBERS } from './limits.ts'
import { ENCRYPTED, ENCRYPTED_KIND, EncryptedManifest, type Finding, KIND, MANIFEST, Manifest } from './manifest.ts'

export interface ReadOrder {
  /** Absolute path of the archive. */
  readonly file: string
  readonly limits: Limits
  readonly passphrase: string | null
  /** Absolute path of an empty folder: for the files if `unpack`, and for the inner archive of an encrypted backup. */
  readonly folder: string
  /** Write the files below `folder/files`. */
  readonly unpack: boolean
}

export interface Reading {
  readonly encrypted: boolean
  readonly manifest: Manifest | EncryptedManifest | null
  readonly errors: readonly Finding[]
  /** How far the read got. */
  readonly archive: boolean
  readonly members: boolean
  readonly listed: boolean
  readonly hashes: boolean
  /** Contents of the settings and the key file, if the archive has them. */
  readonly settings: string | null
  readonly key: string | null
}

const MAX_TEXT_BYTES = 32 * 1024 * 1024
const MAX_FINDINGS = 200

/** Ends the read with one finding. */
class Refused extends Error {
  readonly finding: Finding

  constructor(code: string, message?: string, path?: string) {
    super(message ?? code)
    this.finding = { code, ...defined({ path, message }) }
  }
}

export async function readArchive(order: ReadOrder, signal: AbortSignal): Promise<Reading> {
  const { size } = await stat(order.file)
  if (size > order.limits.archiveBytes)
    return failed({}, [
      { code: 'archive_too_large', message: `It has ${size} bytes; ${order.limits.archiveBytes} are allowed.` },
    ])
  let outer: ScannedArchive
  try {
    outer = await scanned(order.file, order.limits)
  } catch (error) {
    return failed({}, [findingOf(error)])
  }
  if (!outer.sizes.has(ENCRYPTED)) return await readPlain(outer, order, signal)

  const state = { encrypted: true, archive: true }
  try {
    if (outer.sizes.size !== 2) throw new Refused('undeclared_member', 'An encrypted backup has exactly two members.')
    const manifest = await manifestOf(outer, EncryptedManifest, ENCRYPTED_KIND)
    const secret = (await memberOf(outer, ENCRYPTED)) as ArchiveFile
    if (order.passphrase === null) {
      // Without the manifest, at least verify the bytes.
      await pipeline(secret.read(), new Writable({ write: (_chunk, _encoding, done) => done() }), { signal })
      return {
        ...failed(state, [{ code: 'passphrase_required', message: 'The backup is encrypted. Give its passphrase.' }]),
        manifest,
      }
    }
    const inner = join(order.folder, 'inner.zip')
    const plain = await decrypted(ReadableStream.from(secret.read()), order.passphrase)
    await pipeline(Readable.fromWeb(plain as never), createWriteStream(inner, { mode: 0o600, flags: 'wx' }), {
      signal,
    }).catch((error: unknown) => {
      if (signal.aborted || isOfDisk(error)) throw error
      throw new Refused('archive_damaged', 'The encrypted part of the backup is damaged.')
    })
    return { ...(await readPlain(await scanned(inner, order.limits), order, signal)), encrypted: true }
  } catch (error) {
    return failed(state, [findingOf(error)])
  }
}

/** The manifest of an archive without any further check; null if it has none. */
export async function readManifest(file: string): Promise<Manifest | EncryptedManifest | null> {
  try {
    const archive = await scanned(file, { totalBytes: Number.POSITIVE_INFINITY })
    return archive.sizes.has(ENCRYPTED)
      ? await manifestOf(archive, EncryptedManifest, ENCRYPTED_KIND)
      : await manifestOf(archive, Manifest, KIND)
  } catch (error) {
    findingOf(error)
    return null
  }
}

function scanned(file: string, { totalBytes }: Pick<Limits, 'totalBytes'>): Promise<ScannedArchive> {
  return scanArchive(file, { files: MAX_MEMBERS, totalBytes, folders: false })
}

async function readPlain(
  archive: ScannedArchive,
  { folder, unpack }: ReadOrder,
  signal: AbortSignal,
): Promise<Reading> {
  let manifest: Manifest
  try {
    manifest = await manifestOf(archive, Manifest, KIND)
  } catch (error) {
    return failed({ archive: true, members: true }, [findingOf(error)])
  }
  const state = { archive: true, members: true, listed: true, manifest }
  const errors = declarationErrors(archive.sizes, manifest)
  if (errors.length > 0) return failed(state, errors)

  const texts = new Map<string, string>()
  const rows = new Map(manifest.files.map((row) => [row.path, row]))
  for await (const member of archive.files()) {
    const row = rows.get(member.path)
    if (row === undefined) continue
    if (signal.aborted) throw new PlayheadError('PLH_ABORTED', 'Reading the backup was cancelled.')
    const { path, size, sha256 } = row
    try {
      const target = unpack ? join(folder, 'files', path) : null
      const isText = path === 'config.json' || path === 'secret.key'
      const { hash, text } = await readMember(member, size, target, isText, signal)
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

/** Compares the manifest with the members. */
function declarationErrors(sizes: ScannedArchive['sizes'], manifest: Manifest): Finding[] {
  const errors: Finding[] = []
  const listed = new Set<string>([MANIFEST])
  for (const { path, size, sha256 } of manifest.files) {
    if (listed.has(path)) errors.push({ code: 'duplicate_member', path })
    else if (!sizes.has(path)) errors.push({ code: 'missing_member', path })
    else if (sizes.get(path) !== size) errors.push({ code: 'size_mismatch', path })
    else if (!/^[0-9a-f]{64}$/.test(sha256)) errors.push({ code: 'invalid_hash', path })
    listed.add(path)
  }
  for (const path of sizes.keys()) if (!listed.has(path)) errors.push({ code: 'undeclared_member', path })
  const totalSize = manifest.files.reduce((sum, { size }) => sum + size, 0)
  if (manifest.file_count !== manifest.files.length || manifest.total_size !== totalSize)
    errors.push({ code: 'invalid_manifest', message: 'Its sums do not fit its files.' })
  return errors.slice(0, MAX_FINDINGS)
}

async function readMember(
  member: ArchiveFile,
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
  await pipeline(member.read(), checked, sink, { signal })
  if (bytes !== size) throw new Refused('size_mismatch')
  return { hash: hash.digest('hex'), text: Buffer.concat(kept).toString('utf8') }
}

async function memberOf(archive: ScannedArchive, path: string): Promise<ArchiveFile | undefined> {
  for await (const file of archive.files()) if (file.path === path) return file
  return undefined
}

async function manifestOf<Schema extends typeof Manifest | typeof EncryptedManifest>(
  archive: ScannedArchive,
  schema: Schema,
  kind: string,
): Promise<Schema extends typeof Manifest ? Manifest : EncryptedManifest> {
  const member = await memberOf(archive, MANIFEST)
  if (member === undefined) throw new Refused('manifest_missing', 'It is no backup of this service.')
  if (member.size > MAX_MANIFEST_BYTES) throw new Refused('invalid_manifest', 'It is too large.')
  const chunks: Uint8Array[] = []
  // Never more than the declared size.
  for await (const chunk of member.read()) chunks.push(chunk)
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

/** The finding for an error in the archive. Errors of the machine are rethrown. */
function findingOf(error: unknown): Finding {
  if (error instanceof Refused) return error.finding
  if (error instanceof PlayheadError) {
    if (error.code === 'PLH_ABORTED') throw error
    const { reason: code = error.wire, ...about } = (error.details ?? {}) as { reason?: string; path?: string }
    return { code, ...about, message: error.message }
  }
  if (isOfDisk(error)) throw error
  return { code: 'archive_damaged', message: String((error as Error).message).slice(0, 200) }
}

function isOfDisk(error: unknown): boolean {
  const { code, name } = error as NodeJS.ErrnoException
  if (name === 'NotReadableError') return true
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
