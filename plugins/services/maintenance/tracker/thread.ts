// Exports of the tracker, and imports, on a thread. An import is trusted in nothing: no name,
// number or size. Its items are given in pages.
import { type FileEntry, Uint8ArrayReader, ZipReader } from '@zip.js/zip.js/lib/zip-core-native.js'
import { PlayheadError, type ThreadHost, TRACKER_STORE } from '@playhead/sdk'
import { type ExportOrder, exportTracker } from './export.ts'
import {
  type ImportPage,
  type ImportPlan,
  MAX_MEMBERS,
  MAX_RATIO,
  MAX_TOTAL_BYTES,
  RATIO_FROM_BYTES,
  snapshotOf,
  stateOf,
  type TrackerFeature,
} from './format.ts'

interface Content {
  readonly name: string
  readonly feature: TrackerFeature
  readonly rows: readonly (readonly [key: string, item: unknown])[]
}

const PAGE = 250
const TYPE_BITS = 0o170000
const REGULAR = 0o100000

function work(host: ThreadHost) {
  let contents: readonly Content[] = []
  return {
    /** Checks all of it. @param name of a single JSON file */
    async open(bytes: Uint8Array, name: string): Promise<ImportPlan> {
      const isZip = bytes[0] === 0x50 && bytes[1] === 0x4b
      const { files, skipped } = isZip ? await readZip(bytes) : { files: [readSingle(bytes, name)], skipped: [] }
      contents = files
      return {
        mode: isZip ? 'zip' : 'json',
        files: files.map((file) => ({ name: file.name, feature: file.feature, rows: file.rows.length })),
        skipped,
      }
    },
    async *pages(): AsyncGenerator<ImportPage> {
      for (const { feature, rows } of contents)
        for (let from = 0; from < rows.length; from += PAGE)
          yield { feature, rows: rows.slice(from, from + PAGE).map(([key, item]) => ({ key, item })) }
    },
    export: (order: ExportOrder) => exportTracker(host.use(TRACKER_STORE), order),
    async close(): Promise<void> {
      contents = []
    },
  }
}
export default work
export type TrackerWork = ReturnType<typeof work>

async function readZip(
  bytes: Uint8Array,
): Promise<{ readonly files: readonly Content[]; readonly skipped: readonly string[] }> {
  const zip = new ZipReader(new Uint8ArrayReader(bytes), { useWebWorkers: false, checkSignature: true })
  let entries: readonly FileEntry[]
  try {
    const all = await zip.getEntries()
    if (all.length > MAX_MEMBERS) throw refused(`It has ${all.length} files; ${MAX_MEMBERS} are allowed.`)
    entries = all.flatMap((entry) => {
      if (entry.directory) return []
      return [entry as FileEntry]
    })
  } catch (error) {
    throw error instanceof PlayheadError ? error : refused('It is no ZIP archive that can be read.')
  }
  const seen = new Set<string>()
  let total = 0
  for (const { filename, encrypted, uncompressedSize, compressedSize, externalFileAttributes } of entries) {
    if (seen.has(filename)) throw refused(`It has two files ${shown(filename)}.`)
    seen.add(filename)
    if (encrypted) throw refused('It is encrypted.')
    const type = (externalFileAttributes >>> 16) & TYPE_BITS
    if (type !== 0 && type !== REGULAR) throw refused(`${shown(filename)} is no plain file.`)
    if (filename !== 'manifest.json' && stateOf(filename) === undefined && !isSnapshot(filename))
      throw refused(`${shown(filename)} does not belong into an export of the tracker.`)
    total += uncompressedSize
    if (total > MAX_TOTAL_BYTES) throw tooLarge()
    if (uncompressedSize > RATIO_FROM_BYTES && uncompressedSize > compressedSize * MAX_RATIO)
      throw refused(`${shown(filename)} is packed suspiciously well.`)
  }
  const states = entries.filter(({ filename }) => stateOf(filename) !== undefined)
  const snapshots = entries.filter(({ filename }) => isSnapshot(filename))
  if (states.length === 0) throw refused('It has none of watchlist.json, history.json, ratings.json and progress.json.')
  const files: Content[] = []
  for (const entry of states) files.push(parse(entry.filename, stateOf(entry.filename)!, await textOf(entry)))
  // Snapshots are not imported, but a broken file is no good export.
  for (const entry of snapshots) parse(entry.filename, snapshotOf(entry.filename)!, await textOf(entry))
  return { files, skipped: snapshots.map(({ filename }) => filename) }
}

function isSnapshot(name: string): boolean {
  return name.startsWith('snapshots/') && snapshotOf(name) !== undefined
}

/** Stops at the declared size. */
async function textOf(entry: FileEntry): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  const counted = new WritableStream<Uint8Array>({
    write(chunk) {
      size += chunk.length
      if (size > entry.uncompressedSize) throw refused(`${shown(entry.filename)} is larger than it says.`)
      chunks.push(chunk)
    },
  })
  try {
    await entry.getData(counted)
  } catch (error) {
    throw error instanceof PlayheadError ? error : refused(`${shown(entry.filename)} is damaged.`)
  }
  if (size !== entry.uncompressedSize) throw refused(`${shown(entry.filename)} is shorter than it says.`)
  return decode(Buffer.concat(chunks), entry.filename)
}

function readSingle(bytes: Uint8Array, name: string): Content {
  const base = name.split(/[\\/]/).at(-1) ?? ''
  const feature = stateOf(base) ?? snapshotOf(base)
  if (feature === undefined)
    throw refused(
      'A single file is named watchlist.json, history.json, ratings.json or progress.json, or ends like one.',
    )
  return parse(base, feature, decode(bytes, base))
}

function decode(bytes: Uint8Array, name: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw refused(`${shown(name)} is no text.`)
  }
}

function parse(name: string, feature: TrackerFeature, text: string): Content {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw refused(`${shown(name)} is no JSON.`)
  }
  const items = isRecord(value) && 'items' in value ? value['items'] : value
  if (Array.isArray(items))
    return { name, feature, rows: items.map((item: unknown) => [keyOf(item), checkedItem(item, name)] as const) }
  if (isRecord(items))
    return {
      name,
      feature,
      rows: Object.entries(items).map(([key, item]) => [key.slice(0, 500), checkedItem(item, name)] as const),
    }
  throw refused(`${shown(name)} has no items.`)
}

function checkedItem(item: unknown, name: string): unknown {
  if (isRecord(item) && isRecord(item['ids'])) return item
  throw refused(`${shown(name)} has something that is no item.`)
}

function keyOf(item: unknown): string {
  return isRecord(item) && typeof item['key'] === 'string' ? item['key'].slice(0, 500) : ''
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function refused(message: string): PlayheadError {
  return new PlayheadError('PLH_INVALID', `The import was refused. ${message} Nothing was changed.`, {
    wire: 'invalid_import',
  })
}

function tooLarge(): PlayheadError {
  return new PlayheadError('PLH_INVALID', 'The unpacked import is too large. Nothing was changed.', {
    wire: 'upload_too_large',
    status: 413,
  })
}

function shown(name: string): string {
  return JSON.stringify(name.slice(0, 120))
}
