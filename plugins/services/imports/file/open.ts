// Opens an upload: one file, also packed with gzip, or an archive of files. The beginning of each file is inspected before it is read.
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import {
  type ImportFile,
  type ImportSketch,
  isArchive,
  isPlayheadError,
  openArchive,
  PlayheadError,
} from '@playhead/sdk'
import { type Bytes, decoded, textOf } from './decode.ts'
import { columnsOf, csvRecords, type Damage, jsonRecords, tablesOf, xmlRecords } from './records.ts'
import { looksLikeXml } from '@playhead/sdk/importer'
import type { ImportRecord } from '@playhead/sdk'

export interface Upload {
  readonly sketch: ImportSketch
  /** @param elements as `ImporterFormat.elements` */
  records(
    file: ImportFile,
    damaged: (damage: Damage) => void,
    elements?: readonly string[],
  ): AsyncGenerator<ImportRecord>
}

interface Source {
  /** Bytes. */
  readonly size: number
  readonly read: Bytes
}

const LIMITS = { totalBytes: 1024 * 1024 * 1024, files: 5_000 }
// The file is parsed as a whole, within the memory limit of a thread.
const MAX_JSON_MB = 128
/** Same limit as for an unpacked upload. */
const MAX_INNER_BYTES = 64 * 1024 * 1024
const GZIP = '1f8b'
/** Signatures of archives that are not supported, in hex. */
const PACKED = { '7-Zip': '377abcaf271c', RAR: '526172211a07', XZ: 'fd377a585a00', Zstandard: '28b52ffd' }
const HEAD = 4_096
const SKETCH_BYTES = 64 * 1024

/**
 * Throws `PLH_INVALID`: `empty_file`, `invalid_archive`, `archive_too_large`, `damaged_file`.
 * @param isUnpacked the file was packed with gzip
 */
export async function openUpload(bytes: Uint8Array, name: string, isUnpacked = false): Promise<Upload> {
  if (isArchive(bytes)) return openZip(bytes)
  const start = Buffer.from(bytes.subarray(0, 6)).toString('hex')
  if (start.startsWith(GZIP) && !isUnpacked) return openUpload(await unpacked(bytes), name.replace(/\.gz$/i, ''), true)
  const packed = Object.entries({ ...PACKED, gzip: GZIP }).find(([, beginning]) => start.startsWith(beginning))
  if (packed !== undefined)
    throw invalid(
      'invalid_archive',
      `The file is packed with ${packed[0]}. Unpack it, and upload what is in it, or a ZIP of that.`,
    )
  return openSingle({ size: bytes.length, read: () => slices(bytes) }, name)
}

async function unpacked(bytes: Uint8Array): Promise<Uint8Array> {
  try {
    return await promisify(gunzip)(bytes, { maxOutputLength: MAX_INNER_BYTES })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_BUFFER_TOO_LARGE')
      throw invalid('invalid_archive', 'The file is packed with gzip, and is damaged.', error)
    throw tooLarge('The unpacked file', MAX_INNER_BYTES / 1024 / 1024, error)
  }
}

async function openSingle(source: Source, name: string): Promise<Upload> {
  const head = await headOf(source)
  if (head.trim() === '' && (await textOf(source.read)).trim() === '') throw invalid('empty_file', 'The file is empty.')
  const sketch = sketchOf(name, head)
  const document = sketch.kind === 'json' ? await documentOf(source, name) : undefined
  const file: ImportFile = { ...sketch, tables: document === undefined ? null : tablesOf(document) }
  return {
    sketch: { files: [file], archive: false },
    async *records(_file, damaged, elements) {
      if (document !== undefined) yield* jsonRecords(document, file)
      else yield* textRecords(source, file, damaged, elements)
    },
  }
}

/** @param isInner the archive was in another one */
async function openZip(bytes: Uint8Array, isInner = false): Promise<Upload> {
  const sources = new Map<ImportFile, Source>()
  const entries = await openArchive(bytes, LIMITS)
  for (const entry of entries)
    if (/\.(?:csv|tsv|json|txt|xml|nfo)$/i.test(entry.path))
      sources.set(sketchOf(entry.path, await headOf(entry)), entry)
  // Packed again, directly or within its folder.
  const [inner, ...others] = entries.filter(({ path }) => /\.zip$/i.test(path))
  if (sources.size === 0 && inner !== undefined && others.length === 0 && !isInner && inner.size <= MAX_INNER_BYTES)
    return openZip(Buffer.concat(await Array.fromAsync(inner.read())), true)
  return {
    sketch: { files: [...sources.keys()], archive: true },
    async *records(file, damaged, elements) {
      const source = sources.get(file)
      if (source === undefined) return
      if (file.kind !== 'json') {
        yield* textRecords(source, file, damaged, elements)
        return
      }
      let document: unknown
      try {
        document = await documentOf(source, file.path)
      } catch (error) {
        if (!isPlayheadError(error) || error.wire !== 'damaged_file') throw error
        return damaged('invalid_json')
      }
      yield* jsonRecords(document, file)
    },
  }
}

function textRecords(
  { read }: Source,
  file: ImportFile,
  damaged: (damage: Damage) => void,
  elements: readonly string[] | undefined,
): AsyncGenerator<ImportRecord> {
  return file.kind === 'xml'
    ? xmlRecords(decoded(read), file, damaged, elements)
    : csvRecords(decoded(read), file, damaged)
}

async function documentOf({ size, read }: Source, name: string): Promise<unknown> {
  if (size > MAX_JSON_MB * 1024 * 1024) throw tooLarge(name, MAX_JSON_MB)
  const text = await textOf(read)
  try {
    return JSON.parse(text)
  } catch (error) {
    throw invalid('damaged_file', 'The file is not whole: its JSON breaks off or is not valid.', error)
  }
}

async function headOf({ read }: Source): Promise<string> {
  const parts: Uint8Array[] = []
  let size = 0
  for await (const chunk of read()) {
    parts.push(chunk)
    size += chunk.length
    if (size >= SKETCH_BYTES) break
  }
  const beginning = Buffer.concat(parts).subarray(0, SKETCH_BYTES)
  return textOf(() => [beginning])
}

function* slices(bytes: Uint8Array): Generator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += SKETCH_BYTES) yield bytes.subarray(start, start + SKETCH_BYTES)
}

function sketchOf(path: string, text: string): ImportFile {
  const isJson = looksLikeJson(text)
  const isXml = !isJson && looksLikeXml(text)
  const columns = isJson || isXml ? [] : columnsOf(text)
  return {
    path,
    name: (path.split('/').at(-1) ?? path).toLowerCase(),
    kind: isJson ? 'json' : isXml ? 'xml' : columns.length > 0 ? 'csv' : 'other',
    columns,
    tables: null,
    head: text.slice(0, HEAD),
  }
}

function looksLikeJson(text: string): boolean {
  return /^\s*[[{]/.test(text)
}

function tooLarge(what: string, megabytes: number, cause?: unknown): PlayheadError {
  const message = `${what} is larger than ${megabytes} MB.`
  return new PlayheadError('PLH_INVALID', message, { wire: 'archive_too_large', status: 413, cause })
}

function invalid(wire: string, message: string, cause?: unknown): PlayheadError {
  return new PlayheadError('PLH_INVALID', message, { wire, cause })
}
