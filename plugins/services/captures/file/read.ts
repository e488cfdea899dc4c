// Reads capture files, on the plugin's thread. Torn, modified and foreign files are rejected.
import { capability, defined, PlayheadError, type Remote } from '@playhead/sdk'
import { isRecord } from '@playhead/sdk/items'
import { createHash } from 'node:crypto'
import { gunzipSync } from 'node:zlib'
import { type CaptureEnd, type CaptureEntry, type CaptureHeader, SCHEMA_VERSION } from '../contract.ts'
import { stampOf, SUFFIX } from '../names.ts'
import { type OldFile, parseOld } from './old-format.ts'
import { POINTER_BYTES, readPointer } from './write.ts'

/** The folder of captures, on the main thread. */
export interface CaptureFiles {
  size(path: string): Promise<number>
  /** Bytes from `start` to `end` (exclusive), at most 8 MiB. */
  bytes(path: string, start: number, end: number): Promise<Uint8Array>
}
export const CAPTURE_FILES = capability<CaptureFiles>('captures:files')

/** A page of 500 rows is far smaller; a larger one does not come from Playhead. */
const MAX_MEMBER_TEXT = 64 * 1024 * 1024
const MAX_MEMBER_BYTES = 8 * 1024 * 1024
const MAX_OLD_BYTES = 100 * 1024 * 1024
const CHUNK = 4 * 1024 * 1024
const PAGE = 250

export interface OpenCapture {
  readonly entry: Omit<CaptureEntry, 'path' | 'size' | 'mtime'>
  /** Rows as JSON of `{key, item}`, at most 250 per page, in order. The digest is verified at the end. */
  lines(): AsyncIterable<readonly string[]>
  /** Rows of a page. */
  page(offset: number, limit: number): Promise<readonly string[]>
  /** Further fields of the end line, for responses. */
  readonly more: Readonly<Record<string, unknown>>
}

/** Throws `PLH_INVALID` (`invalid_capture`) for a file that is torn or no capture. */
export async function openCapture(files: Remote<CaptureFiles>, path: string): Promise<OpenCapture> {
  const size = await files.size(path)
  if (!path.endsWith(SUFFIX)) return openOld(path, await readAll(files, path, size))
  const end = await readEnd(files, path, size)
  return {
    entry: entryOf(end),
    more: { sha256: end.sha256, expected_count: end.expected_count ?? null, known_count: end.known_count ?? null },
    lines: () => allLines(files, path, end),
    page: (offset, limit) => pageOf(files, path, end, offset, limit),
  }
}

async function readEnd(files: Remote<CaptureFiles>, path: string, size: number): Promise<End> {
  if (size <= POINTER_BYTES) throw invalid()
  const at = readPointer(await files.bytes(path, size - POINTER_BYTES, size))
  if (at === undefined || at >= size - POINTER_BYTES || size - at > MAX_MEMBER_BYTES) throw invalid()
  const end = parse(unpack(await files.bytes(path, at, size - POINTER_BYTES)))
  if (!isEnd(end, at)) throw invalid()
  return { ...end, at }
}

type End = CaptureEnd & {
  /** Position of the end line, where the rows end. */
  readonly at: number
}

async function* allLines(files: Remote<CaptureFiles>, path: string, end: End): AsyncGenerator<readonly string[]> {
  const hash = createHash('sha256')
  const first = unpack(await files.bytes(path, 0, end.members[0]?.[1] ?? end.at))
  hash.update(first)
  if (first !== `${JSON.stringify(end.header)}\n`) throw invalid()
  let count = 0
  for (const [n] of end.members.entries()) {
    const text = await memberText(files, path, end, n)
    hash.update(text)
    const lines = linesOf(text)
    count += lines.length
    for (let start = 0; start < lines.length; start += PAGE) yield lines.slice(start, start + PAGE)
  }
  if (count !== end.count || hash.digest('hex') !== end.sha256) throw invalid()
}

async function pageOf(
  files: Remote<CaptureFiles>,
  path: string,
  end: End,
  offset: number,
  limit: number,
): Promise<readonly string[]> {
  const found: string[] = []
  for (const [n, [row]] of end.members.entries()) {
    const next = end.members[n + 1]?.[0] ?? end.count
    if (next <= offset || row >= offset + limit) continue
    found.push(...linesOf(await memberText(files, path, end, n)).slice(Math.max(0, offset - row), offset + limit - row))
  }
  return found
}

async function memberText(files: Remote<CaptureFiles>, path: string, end: End, n: number): Promise<string> {
  const from = end.members[n]![1]
  const to = end.members[n + 1]?.[1] ?? end.at
  if (to - from > MAX_MEMBER_BYTES) throw invalid()
  return unpack(await files.bytes(path, from, to))
}

function linesOf(text: string): string[] {
  const lines = text.split('\n')
  if (lines.pop() !== '') throw invalid()
  return lines
}

function unpack(bytes: Uint8Array): string {
  try {
    return gunzipSync(bytes, { maxOutputLength: MAX_MEMBER_TEXT }).toString('utf8')
  } catch (error) {
    throw invalid(error)
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw invalid(error)
  }
}

/** Whether all positions are within the file and ascending, because reads depend on them. */
function isEnd(value: unknown, at: number): value is CaptureEnd {
  if (!isRecord(value) || value['kind'] !== 'end' || !isHeader(value['header']) || !isRecord(value['stats']))
    return false
  const { count, members, complete, sha256 } = value
  let [lastRow, lastOffset] = [-1, 0]
  return (
    isCount(count) &&
    typeof complete === 'boolean' &&
    typeof sha256 === 'string' &&
    Array.isArray(members) &&
    members.every((member) => {
      const [row, offset] = Array.isArray(member) ? (member as unknown[]) : []
      const isNext =
        isCount(row) && isCount(offset) && row > lastRow && offset > lastOffset && offset < at && row < count
      ;[lastRow, lastOffset] = [Number(row), Number(offset)]
      return isNext
    }) &&
    (members.length === 0 ? count === 0 : (members[0] as number[])[0] === 0)
  )
}

function isHeader(value: unknown): value is CaptureHeader {
  return (
    isRecord(value) &&
    (value['kind'] === 'snapshot' || value['kind'] === 'snapshot_bundle') &&
    value['schema_version'] === SCHEMA_VERSION &&
    ['created_at', 'provider', 'instance', 'feature', 'label'].every((name) => typeof value[name] === 'string')
  )
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0
}

function entryOf({ header, ...end }: End): OpenCapture['entry'] {
  const { schema_version: _schema, svc_version: _version, ...about } = header
  return {
    stamp: stampOf(Date.parse(header.created_at) || 0),
    kind: header.kind === 'snapshot_bundle' ? 'bundle' : 'single',
    format: 2,
    header: about,
    count: header.kind === 'snapshot_bundle' ? end.stats.count : end.count,
    stats: end.stats,
    complete: end.complete,
    account: end.account ?? null,
    scope: end.scope ?? null,
    doubt: end.doubt ?? null,
    unreadable: end.unreadable ?? 0,
    children: end.children ?? [],
  }
}

async function readAll(files: Remote<CaptureFiles>, path: string, size: number): Promise<string> {
  if (size > MAX_OLD_BYTES) throw invalid()
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let text = ''
  try {
    for (let at = 0; at < size; at += CHUNK)
      text += decoder.decode(await files.bytes(path, at, Math.min(at + CHUNK, size)), { stream: true })
    return text + decoder.decode()
  } catch (error) {
    throw error instanceof TypeError ? invalid(error) : error
  }
}

function openOld(path: string, text: string): OpenCapture {
  const old: OldFile | undefined = parseOld(parse(text), path)
  if (old === undefined) throw invalid()
  const { rows, ...entry } = old
  return {
    entry,
    more: {},
    async *lines() {
      for (let start = 0; start < rows.length; start += PAGE) yield rows.slice(start, start + PAGE).map(toLine)
    },
    page: async (offset, limit) => rows.slice(offset, offset + limit).map(toLine),
  }
}

function toLine(row: unknown): string {
  return JSON.stringify(row)
}

function invalid(cause?: unknown): PlayheadError {
  return new PlayheadError('PLH_INVALID', 'The file is not a capture, or it is damaged.', {
    wire: 'invalid_capture',
    ...defined({ cause }),
  })
}
