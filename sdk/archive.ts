// ZIP archives. Uploaded archives are not trusted: names, numbers and sizes are checked before anything is unpacked,
// and sizes and checksums again during unpacking.
import { openAsBlob } from 'node:fs'
import type { Entry, FileEntry, ZipReader } from '@zip.js/zip.js/lib/zip-core-native.js'
import { PlayheadError } from './errors.ts'

export interface ArchiveLimits {
  /** Bytes of all files, unpacked. */
  readonly totalBytes: number
  /** Number of entries. */
  readonly files: number
  /** Whether folders may have entries of their own. Default: true. */
  readonly folders?: boolean
}

export interface ArchiveFile {
  /** With folders: `export/diary.csv`. */
  readonly path: string
  /** Bytes, unpacked. */
  readonly size: number
  /** Its bytes, in chunks. Throws `PLH_INVALID` (`invalid_archive`) if they do not match the archive's directory. */
  read(): AsyncIterable<Uint8Array>
}

export interface ScannedArchive {
  /** Bytes of each file, unpacked, by its path. */
  readonly sizes: ReadonlyMap<string, number>
  /** The files, one after another in the order of the archive: not all of a large one are in memory. */
  files(): AsyncGenerator<ArchiveFile>
}

/** A file of more than `fromBytes` bytes with a compression ratio above `most` is refused: it would fill the disk. */
export const ARCHIVE_RATIO = { most: 200, fromBytes: 1024 * 1024 } as const
const MAX_PATH_LENGTH = 512
const MAX_DEPTH = 16
/** The directory of an archive is read in one piece. */
const MAX_DIRECTORY_BYTES = 64 * 1024 * 1024
/** Size of an entry without the name and the extra fields. */
const LOCAL_HEADER_BYTES = 30
const TYPE_BITS = 0o170000
const REGULAR = 0o100000
const METHODS = [0, 8]
const SIGNATURE = [0x50, 0x4b, 0x03, 0x04]

/** True if the bytes begin like a ZIP archive with files. */
export function isArchive(bytes: Uint8Array): boolean {
  return SIGNATURE.every((byte, index) => bytes[index] === byte)
}

/**
 * The files of an archive, without folders.
 *
 * @param source its bytes, or the absolute path of its file, which is read only as far as needed
 * @throws as `scanArchive`
 */
export async function openArchive(source: Uint8Array | string, limits: ArchiveLimits): Promise<readonly ArchiveFile[]> {
  return await Array.fromAsync((await scanArchive(source, limits)).files())
}

/**
 * Checks all entries of an archive without reading their content.
 *
 * @throws `PLH_INVALID`: `invalid_archive`, `archive_too_large` (413). `details` have the reason, and the `path` of an entry:
 * `archive_damaged`, `unsafe_path`, `path_too_long`, `symlink_member` (or a device), `directory_member`, `encrypted_member`,
 * `unsupported_member`, `duplicate_member`, `packed_too_well`, `too_many_members`, `too_large_unpacked`
 */
export async function scanArchive(source: Uint8Array | string, limits: ArchiveLimits): Promise<ScannedArchive> {
  const zip = await openZip(source)
  const sizes = new Map<string, number>()
  const spans: (readonly [from: number, to: number])[] = []
  let [count, total] = [0, 0]
  try {
    for await (const entry of entriesOf(zip)) {
      count += 1
      if (count > limits.files) throw tooLarge('too_many_members', `It has more than ${limits.files} files.`)
      const { filename, offset, rawFilename, compressedSize, uncompressedSize } = entry
      const path = filename.replace(/\/$/, '')
      const problem = problemOf(entry, path, limits)
      if (problem !== undefined) throw invalid(PROBLEMS[problem], { reason: problem, path })
      if (sizes.has(path)) throw invalid(PROBLEMS.duplicate_member, { reason: 'duplicate_member', path })
      total += uncompressedSize
      if (total > limits.totalBytes)
        throw tooLarge('too_large_unpacked', `Unpacked it is larger than ${limits.totalBytes} bytes.`)
      if (!entry.directory) sizes.set(path, uncompressedSize)
      spans.push([offset, offset + LOCAL_HEADER_BYTES + rawFilename.length + compressedSize])
    }
  } catch (error) {
    throw asInvalid(error)
  }
  // The library's own check keeps every entry in memory, which is too much for 50,000 of them.
  spans.sort(([a], [b]) => a - b)
  if (spans.some(([from], index) => index > 0 && from < spans[index - 1]![1]))
    throw invalid('Files of the archive lie on each other.', { reason: 'archive_damaged' })
  return {
    sizes,
    async *files() {
      for await (const entry of entriesOf(zip)) {
        const { filename: path, uncompressedSize: size } = entry
        if (!entry.directory) yield { path, size, read: () => contentOf(entry) }
      }
    },
  }
}

const PROBLEMS = {
  unsafe_path: 'The archive has a file with an unsafe name.',
  path_too_long: 'The archive has a file with a name that is too long.',
  symlink_member: 'The archive has a link or a device.',
  directory_member: 'The archive has a folder.',
  encrypted_member: 'The archive is encrypted. Unpack it, and pack it without a password.',
  unsupported_member: 'A file of the archive is packed in a way that cannot be read. Pack it as an ordinary ZIP file.',
  duplicate_member: 'The archive has two files with one name.',
  packed_too_well: 'A file of the archive is packed too well to be what it says.',
} as const

function problemOf(entry: Entry, path: string, { folders = true }: ArchiveLimits): keyof typeof PROBLEMS | undefined {
  if (path.length > MAX_PATH_LENGTH || path.split('/').length > MAX_DEPTH) return 'path_too_long'
  if (isUnsafe(path)) return 'unsafe_path'
  const type = (entry.unixMode ?? 0) & TYPE_BITS
  if (entry.symlink || (type !== 0 && type !== REGULAR && !entry.directory)) return 'symlink_member'
  if (entry.directory) return folders ? undefined : 'directory_member'
  if (entry.encrypted) return 'encrypted_member'
  if (!METHODS.includes(entry.compressionMethod)) return 'unsupported_member'
  const { compressedSize, uncompressedSize } = entry
  const isBomb = uncompressedSize > ARCHIVE_RATIO.fromBytes && uncompressedSize > compressedSize * ARCHIVE_RATIO.most
  return isBomb ? 'packed_too_well' : undefined
}

async function openZip(source: Uint8Array | string): Promise<ZipReader<unknown>> {
  // Loaded on demand.
  const { BlobReader, ZipReader } = await import('@zip.js/zip.js/lib/zip-core-native.js')
  class ArchiveReader extends BlobReader {
    override readUint8Array(index: number, length: number): Promise<Uint8Array> {
      if (length > MAX_DIRECTORY_BYTES) throw tooLarge('too_many_members', 'Its directory is too long.')
      return super.readUint8Array(index, length)
    }
  }
  const blob = typeof source === 'string' ? await openAsBlob(source) : new Blob([source as Uint8Array<ArrayBuffer>])
  return new ZipReader(new ArchiveReader(blob), { useWebWorkers: false })
}

function entriesOf(zip: ZipReader<unknown>): AsyncGenerator<Entry> {
  return zip.getEntriesGenerator({ strictness: 'strict', filenameValidation: 'tolerant' })
}

export interface ArchiveEntry {
  /** With folders: `export/diary.csv`. */
  readonly path: string
  /** Read while the archive is written; text is UTF-8. */
  readonly content: Iterable<Uint8Array | string> | AsyncIterable<Uint8Array | string>
  /** Epoch milliseconds. Default: now. */
  readonly modifiedAtMs?: number
}

/**
 * A ZIP archive of any size, written while it is read. An entry is requested after the previous one is written. Errors
 * of entries are thrown; the output so far is then no valid archive.
 *
 * @example reply.type('application/zip').send(Readable.from(writeArchive([{ path: 'notes.txt', content: ['one\n'] }])))
 */
export async function* writeArchive(
  entries: Iterable<ArchiveEntry> | AsyncIterable<ArchiveEntry>,
): AsyncGenerator<Uint8Array> {
  // Loaded on demand.
  const { ZipWriter } = await import('@zip.js/zip.js/lib/zip-core-native.js')
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
  const written = (async () => {
    const zip = new ZipWriter(writable, { level: 6, useWebWorkers: false, useCompressionStream: true, keepOrder: true })
    for await (const { path, content, modifiedAtMs = Date.now() } of entries) {
      await zip.add(path, ReadableStream.from(bytesOf(content)), { lastModDate: new Date(modifiedAtMs) })
    }
    await zip.close()
  })()
  written.catch((error: unknown) => writable.abort(error).catch(() => {}))
  yield* readable
  await written
}

async function* bytesOf(content: ArchiveEntry['content']): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder()
  for await (const chunk of content) yield typeof chunk === 'string' ? encoder.encode(chunk) : chunk
}

async function* contentOf(entry: FileEntry): AsyncGenerator<Uint8Array> {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
  const options = { strictness: 'strict', checkCrc32: true, useWebWorkers: false } as const
  // A failure reaches the reader of the stream.
  entry.getData(writable, options).catch((error: unknown) => writable.abort(error).catch(() => {}))
  let size = 0
  try {
    for await (const chunk of readable) {
      size += chunk.length
      if (size > entry.uncompressedSize)
        throw invalid('A file of the archive is larger than it says.', { reason: 'size_mismatch' })
      yield chunk
    }
  } catch (error) {
    throw asInvalid(error)
  }
}

function isUnsafe(path: string): boolean {
  return (
    path === '' ||
    path.startsWith('/') ||
    path.includes('\\') ||
    /^[A-Za-z]:|[\u0000-\u001f\u007f]/.test(path) ||
    path.split('/').some((part) => part === '' || part === '.' || part === '..')
  )
}

/** Maps the library's errors. Errors of the machine are passed on. */
function asInvalid(error: unknown): unknown {
  const { name, code, message = '', reason = '' } = error as Readonly<Record<string, string | undefined>>
  const isOfMachine = name === 'NotReadableError' || (typeof code === 'string' && /^E[A-Z]+$/.test(code))
  if (error instanceof PlayheadError || isOfMachine) return error
  const known = /duplicate/i.test(reason)
    ? 'duplicate_member'
    : /crc/i.test(message)
      ? 'crc_mismatch'
      : 'archive_damaged'
  return invalid('The archive is broken.', { reason: known }, error)
}

function invalid(message: string, details: { reason: string; path?: string }, cause?: unknown): PlayheadError {
  return new PlayheadError('PLH_INVALID', message, { wire: 'invalid_archive', details, cause })
}

function tooLarge(reason: string, message: string): PlayheadError {
  return new PlayheadError('PLH_INVALID', message, { wire: 'archive_too_large', status: 413, details: { reason } })
}
