// Opens an upload: one file, or an archive of files, each sketched before it is read.
import { type ImportFile, type ImportSketch, isArchive, openArchive, PlayheadError } from '@playhead/sdk'
import { decode } from './decode.ts'
import { columnsOf, csvRecords, type Damage, jsonRecords, tablesOf } from './records.ts'
import type { ImportRecord } from '@playhead/sdk'

export interface Upload {
  readonly sketch: ImportSketch
  records(file: ImportFile, damaged: (damage: Damage) => void): AsyncGenerator<ImportRecord>
}

const LIMITS = { totalBytes: 1024 * 1024 * 1024, files: 5_000 }
const MAX_JSON_BYTES = 256 * 1024 * 1024
const HEAD = 4_096
const SKETCH_BYTES = 64 * 1024

/** Throws `PLH_INVALID`: `empty_file`, `invalid_archive`, `archive_too_large`, `damaged_file`. */
export async function openUpload(bytes: Uint8Array, name: string): Promise<Upload> {
  if (bytes.length === 0) throw invalid('empty_file', 'The file is empty.')
  return isArchive(bytes) ? openZip(bytes) : openSingle(bytes, name)
}

function openSingle(bytes: Uint8Array, name: string): Upload {
  const text = decode(bytes)
  if (text.replace(/^\ufeff/, '').trim() === '') throw invalid('empty_file', 'The file is empty.')
  const document = looksLikeJson(text) ? parseDocument(text) : undefined
  const file: ImportFile = { ...sketchOf(name, text), tables: document === undefined ? null : tablesOf(document.value) }
  return {
    sketch: { files: [file], archive: false },
    async *records(_file, damaged) {
      if (document === undefined) yield* csvRecords(text, file, damaged)
      else yield* jsonRecords(document.value, file)
    },
  }
}

function parseDocument(text: string): { readonly value: unknown } {
  try {
    return { value: JSON.parse(text.replace(/^\ufeff/, '')) as unknown }
  } catch (error) {
    throw invalid('damaged_file', 'The file is not whole: its JSON breaks off or is not valid.', error)
  }
}

async function openZip(bytes: Uint8Array): Promise<Upload> {
  const entries = new Map<ImportFile, { readonly size: number; read(): AsyncIterable<Uint8Array> }>()
  for (const entry of await openArchive(bytes, LIMITS)) {
    if (!/\.(?:csv|json|txt)$/i.test(entry.path)) continue
    entries.set(sketchOf(entry.path, decode(await beginning(entry.read()))), entry)
  }
  return {
    sketch: { files: [...entries.keys()], archive: true },
    async *records(file, damaged) {
      const entry = entries.get(file)
      if (entry === undefined) return
      if (file.kind === 'json' && entry.size > MAX_JSON_BYTES)
        throw invalid('damaged_file', `${file.path} is larger than ${MAX_JSON_BYTES} bytes.`)
      const text = decode(await wholeOf(entry.read()))
      if (file.kind !== 'json') {
        yield* csvRecords(text, file, damaged)
        return
      }
      let document: unknown
      try {
        document = JSON.parse(text.replace(/^\ufeff/, ''))
      } catch {
        return damaged('invalid_json')
      }
      yield* jsonRecords(document, file)
    },
  }
}

async function beginning(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const parts: Uint8Array[] = []
  let size = 0
  for await (const chunk of chunks) {
    parts.push(chunk)
    size += chunk.length
    if (size >= SKETCH_BYTES) break
  }
  return Buffer.concat(parts).subarray(0, SKETCH_BYTES)
}

async function wholeOf(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  return Buffer.concat(await Array.fromAsync(chunks))
}

function sketchOf(path: string, text: string): ImportFile {
  const isJson = looksLikeJson(text)
  const columns = isJson ? [] : columnsOf(text)
  return {
    path,
    name: (path.split('/').at(-1) ?? path).toLowerCase(),
    kind: isJson ? 'json' : columns.length > 0 ? 'csv' : 'other',
    columns,
    tables: null,
    head: text.replace(/^\ufeff/, '').slice(0, HEAD),
  }
}

function looksLikeJson(text: string): boolean {
  return /^\ufeff?\s*[[{]/.test(text)
}

function invalid(wire: string, message: string, cause?: unknown): PlayheadError {
  return new PlayheadError('PLH_INVALID', message, { wire, cause })
}
