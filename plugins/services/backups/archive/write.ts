// Writes a backup on a thread: every file is hashed while it is packed, and the manifest comes last.
import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { Readable, Writable } from 'node:stream'
import { ZipWriter } from '@zip.js/zip.js/lib/zip-core-native.js'
import { ARCHIVE_RATIO, type DataGroup, PlayheadError } from '@playhead/sdk'
import { encrypted } from './encryption.ts'
import { MAX_MEMBERS } from './limits.ts'
import { ENCRYPTED, ENCRYPTED_KIND, type EncryptedManifest, type FileRow, MANIFEST, type Manifest } from './manifest.ts'

export interface Source {
  /** Relative path in the archive and in the data directory. */
  readonly path: string
  /** Absolute path. */
  readonly file: string
  readonly group: DataGroup
}

export interface WriteOrder {
  readonly sources: readonly Source[]
  readonly manifest: Omit<Manifest, 'files' | 'file_count' | 'total_size'>
  /** Absolute path; a temporary file beside it is renamed to it. Its folder exists. */
  readonly target: string
  readonly temporary: string
  readonly passphrase: string | null
}

export interface Written {
  readonly manifest: Manifest
  readonly size: number
}

const CHUNK_BYTES = 256 * 1024
const ZIP = { level: 6, useWebWorkers: false, useCompressionStream: true, keepOrder: true, extendedTimestamp: false }

export async function writeArchive(
  order: WriteOrder,
  signal: AbortSignal,
  onProgress: (doneBytes: number) => void,
): Promise<Written> {
  if (order.sources.length >= MAX_MEMBERS)
    throw new PlayheadError('PLH_INVALID', `A backup holds at most ${MAX_MEMBERS} files.`, { wire: 'too_many_files' })
  const { temporary, target } = order
  try {
    // A very high compression ratio would look like a zip bomb at the restore, so the data are stored uncompressed.
    let stored: ReadonlySet<string> = new Set()
    for (;;) {
      const { manifest, tooSmall } = await pack(order, stored, signal, onProgress)
      if (tooSmall.size === stored.size) {
        const size = await flush(temporary)
        await rename(temporary, target)
        await flushFolder(dirname(target))
        return { manifest, size }
      }
      stored = tooSmall
    }
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
}

async function pack(
  { sources, manifest, temporary, passphrase }: WriteOrder,
  stored: ReadonlySet<string>,
  signal: AbortSignal,
  onProgress: (doneBytes: number) => void,
): Promise<{ readonly manifest: Manifest; readonly tooSmall: ReadonlySet<string> }> {
  const file = Writable.toWeb(createWriteStream(temporary, { mode: 0o600 })) as WritableStream<Uint8Array>
  const now = new Date(manifest.created_at)
  if (passphrase === null) return await packInto(file)

  const inner = new TransformStream<Uint8Array, Uint8Array>()
  const outer = new ZipWriter(file, { ...ZIP, level: 0 })
  const secret = await encrypted(inner.readable, passphrase)
  const [packed] = await allOrFirstError([
    packInto(inner.writable),
    outer.add(ENCRYPTED, secret, { level: 0, lastModDate: now }),
  ])
  const { files, groups, database_snapshots, db_schema_versions, plugins, warnings, ...header } = packed.manifest
  const shown: EncryptedManifest = { ...header, kind: ENCRYPTED_KIND, encryption: 'age-passphrase' }
  await outer.add(MANIFEST, textStream(JSON.stringify(shown, null, 1)), { lastModDate: now })
  await outer.close()
  return packed

  async function packInto(into: WritableStream<Uint8Array>) {
    const zip = new ZipWriter(into, ZIP)
    const rows: FileRow[] = []
    const tooSmall = new Set<string>(stored)
    let doneBytes = 0
    for (const source of sources) {
      if (signal.aborted) throw new PlayheadError('PLH_ABORTED', 'The backup was cancelled.')
      const handle = await openIfThere(source.file)
      // Deleted since the files were listed.
      if (handle === null) continue
      const hash = createHash('sha256')
      let size = 0
      const level = stored.has(source.path) ? 0 : ZIP.level
      const content = ReadableStream.from(
        contentOf(handle, signal, (chunk) => {
          hash.update(chunk)
          size += chunk.length
          onProgress(doneBytes + size)
        }),
      )
      const entry = await zip.add(source.path, content, { level, lastModDate: now })
      doneBytes += size
      if (size > ARCHIVE_RATIO.fromBytes && size > entry.compressedSize * ARCHIVE_RATIO.most) tooSmall.add(source.path)
      rows.push({ path: source.path, size, sha256: hash.digest('hex'), group: source.group })
    }
    const full: Manifest = { ...manifest, files: rows, file_count: rows.length, total_size: doneBytes }
    await zip.add(MANIFEST, textStream(JSON.stringify(full, null, 1)), { lastModDate: now })
    await zip.close()
    return { manifest: full, tooSmall }
  }
}

async function openIfThere(file: string): Promise<FileHandle | null> {
  try {
    return await open(file, 'r')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

/** Limited to the current length of the file, because it may grow. */
async function* contentOf(
  handle: FileHandle,
  signal: AbortSignal,
  onChunk: (chunk: Uint8Array) => void,
): AsyncGenerator<Uint8Array> {
  try {
    const { size } = await handle.stat()
    if (size === 0) return
    const stream = createReadStream('', { fd: handle, end: size - 1, highWaterMark: CHUNK_BYTES, autoClose: false })
    for await (const chunk of stream) {
      if (signal.aborted) throw new PlayheadError('PLH_ABORTED', 'The backup was cancelled.')
      onChunk(chunk as Uint8Array)
      yield chunk as Uint8Array
    }
  } finally {
    await handle.close()
  }
}

function textStream(text: string): ReadableStream<Uint8Array> {
  return Readable.toWeb(Readable.from([Buffer.from(text)])) as ReadableStream<Uint8Array>
}

async function flush(file: string): Promise<number> {
  const handle = await open(file, 'r')
  try {
    await handle.sync()
    return (await handle.stat()).size
  } finally {
    await handle.close()
  }
}

async function flushFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    // Not all file systems support this.
    await handle.sync().catch(() => {})
  } finally {
    await handle.close()
  }
}

/** As Promise.all, but the cause is thrown first: a failing reader makes the writer fail too. */
async function allOrFirstError<A, B>([a, b]: readonly [Promise<A>, Promise<B>]): Promise<readonly [A, B]> {
  let first: unknown
  const note = (error: unknown) => {
    first ??= error
    throw error
  }
  const [one, other] = await Promise.allSettled([a.catch(note), b.catch(note)])
  if (one.status === 'rejected' || other.status === 'rejected') throw first
  return [one.value, other.value]
}
