// ZIP archives. Those that people upload are not trusted: names, numbers and sizes are checked before anything is unpacked,
// and sizes and checksums again while it is.
import { openAsBlob } from 'node:fs'
import type { FileEntry } from '@zip.js/zip.js/lib/zip-core-native.js'
import { PlayheadError } from './errors.ts'

export interface ArchiveLimits {
  /** Bytes of all files, unpacked. */
  readonly totalBytes: number
  /** Number of files. */
  readonly files: number
}

export interface ArchiveFile {
  /** With folders: `export/diary.csv`. */
  readonly path: string
  /** Bytes, unpacked. */
  readonly size: number
  /** Its bytes, in chunks. Throws `PLH_INVALID` (`invalid_archive`) where they are not what the archive says. */
  read(): AsyncIterable<Uint8Array>
}

const MAX_RATIO = 200
const RATIO_FROM_BYTES = 1024 * 1024
const MAX_PATH_LENGTH = 512
const TYPE_BITS = 0o170000
const REGULAR = 0o100000
const SIGNATURE = [0x50, 0x4b, 0x03, 0x04]

/** Whether the bytes begin like a ZIP archive with files. */
export function isArchive(bytes: Uint8Array): boolean {
  return SIGNATURE.every((byte, index) => bytes[index] === byte)
}

/**
 * The files of an archive, without folders.
 *
 * @param source its bytes, or the absolute path of its file, of which only what is needed is read
 * @throws `PLH_INVALID`: `invalid_archive` (broken, or with unsafe, repeated or encrypted entries, or links),
 * `archive_too_large` (413)
 */
export async function openArchive(source: Uint8Array | string, limits: ArchiveLimits): Promise<readonly ArchiveFile[]> {
  // Loaded on demand.
  const { BlobReader, Uint8ArrayReader, ZipReader } = await import('@zip.js/zip.js/lib/zip-core-native.js')
  const files = new Map<string, ArchiveFile>()
  let total = 0
  const reader = typeof source === 'string' ? new BlobReader(await openAsBlob(source)) : new Uint8ArrayReader(source)
  try {
    const zip = new ZipReader<unknown>(reader, { useWebWorkers: false })
    let count = 0
    for await (const entry of zip.getEntriesGenerator({ strictness: 'strict', filenameValidation: 'tolerant' })) {
      count += 1
      if (count > limits.files) throw tooLarge(`It has more than ${limits.files} files.`)
      const { filename, compressedSize, uncompressedSize } = entry
      const path = filename.replace(/\/$/, '')
      if (isUnsafe(path)) throw invalid('The archive has a file with an unsafe name.')
      if (entry.directory) continue
      const type = (entry.unixMode ?? 0) & TYPE_BITS
      if (entry.symlink || (type !== 0 && type !== REGULAR)) throw invalid('The archive has a link or a device.')
      if (entry.encrypted) throw invalid('The archive is encrypted. Unpack it, and pack it without a password.')
      if (files.has(path)) throw invalid('The archive has two files with one name.')
      total += uncompressedSize
      if (total > limits.totalBytes) throw tooLarge(`Unpacked it is larger than ${limits.totalBytes} bytes.`)
      if (uncompressedSize > RATIO_FROM_BYTES && uncompressedSize > compressedSize * MAX_RATIO)
        throw invalid('A file of the archive is packed too well to be what it says.')
      files.set(path, { path, size: uncompressedSize, read: () => contentOf(entry as FileEntry) })
    }
  } catch (error) {
    throw error instanceof PlayheadError ? error : invalid('The archive is broken.', error)
  }
  return [...files.values()]
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
 * A ZIP archive of any size, written while it is read. An entry is asked for when the one before is written. An error of
 * an entry is thrown, and what was written until then is no archive.
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
  const options = { strictness: 'strict', checkCrc32: true, checkOverlappingEntry: true, useWebWorkers: false } as const
  // A failure reaches the reader of the stream.
  entry.getData(writable, options).catch((error: unknown) => writable.abort(error).catch(() => {}))
  let size = 0
  try {
    for await (const chunk of readable) {
      size += chunk.length
      if (size > entry.uncompressedSize) throw invalid('A file of the archive is larger than it says.')
      yield chunk
    }
  } catch (error) {
    throw error instanceof PlayheadError ? error : invalid('A file of the archive is broken.', error)
  }
}

function isUnsafe(path: string): boolean {
  return (
    path === '' ||
    path.length > MAX_PATH_LENGTH ||
    path.startsWith('/') ||
    path.includes('\\') ||
    /^[A-Za-z]:|[\u0000-\u001f\u007f]/.test(path) ||
    path.split('/').some((part) => part === '' || part === '.' || part === '..')
  )
}

function invalid(message: string, cause?: unknown): PlayheadError {
  return new PlayheadError('PLH_INVALID', message, { wire: 'invalid_archive', cause })
}

function tooLarge(message: string): PlayheadError {
  return new PlayheadError('PLH_INVALID', message, { wire: 'archive_too_large', status: 413 })
}
