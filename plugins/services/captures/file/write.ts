// Writes a capture file (docs/reference/captures.md): lines of JSON in consecutive gzip members, so that every gzip tool can
// read it. The last member is empty and stores the position of the end line in its extra field (RFC 1952, 2.3.1.1): a list reads
// only the end of each file, and a page only the members that it needs.
import type { Item } from '@playhead/sdk'
import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { CaptureEnd, CaptureHeader, Stats } from '../contract.ts'

const compress = promisify(gzip)
/** Rows per member: the amount that a page has to decompress, and that is compressed at once. */
const MEMBER_ROWS = 500
const LEVEL = 5

export interface RowPage {
  readonly rows: readonly { readonly key: string; readonly item: Item }[]
}

/** Facts that are known only after the last row. */
export type EndFacts = Omit<CaptureEnd, 'kind' | 'header' | 'count' | 'stats' | 'sha256' | 'members'> & {
  /** For bundles. */
  readonly stats?: Stats
}

/**
 * The bytes of a file.
 *
 * @param facts called after the last row; throws if the rows are incomplete, and the file must then be deleted
 * @param ended called with the end line, before the last bytes
 */
export async function* encodeCapture(
  header: CaptureHeader,
  pages: AsyncIterable<RowPage>,
  facts: () => EndFacts,
  ended: (end: CaptureEnd) => void,
): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256')
  const members: [number, number][] = []
  const counts = createTypeCounts()
  let lines: string[] = []
  let offset = 0
  let count = 0

  async function pack(text: string, hashed: boolean): Promise<Buffer> {
    if (hashed) hash.update(text)
    const bytes = await compress(text, { level: LEVEL })
    offset += bytes.length
    return bytes
  }
  async function flush(): Promise<Buffer> {
    members.push([count - lines.length, offset])
    const text = lines.join('')
    lines = []
    return pack(text, true)
  }

  yield await pack(`${JSON.stringify(header)}\n`, true)
  for await (const { rows } of pages) {
    for (const { key, item } of rows) {
      lines.push(`${JSON.stringify({ key, item })}\n`)
      counts.add(item.type)
      count += 1
      if (lines.length >= MEMBER_ROWS) yield await flush()
    }
  }
  if (lines.length > 0) yield await flush()
  const { stats, ...known } = facts()
  const end: CaptureEnd = {
    kind: 'end',
    header,
    count,
    stats: stats ?? { feature: header.feature, count, collapsed: 0, by_type: counts.sorted() },
    sha256: hash.digest('hex'),
    ...known,
    members,
  }
  ended(end)
  const endsAt = offset
  yield await pack(`${JSON.stringify(end)}\n`, false)
  yield pointerTo(endsAt)
}

/** Length of the last member. */
export const POINTER_BYTES = 34
const POINTER_START = Buffer.from([0x1f, 0x8b, 8, 4, 0, 0, 0, 0, 0, 0xff, 12, 0, 0x50, 0x48, 8, 0])

/** An empty gzip member whose extra field `PH` is a file position. */
function pointerTo(offset: number): Buffer {
  const bytes = Buffer.alloc(POINTER_BYTES)
  POINTER_START.copy(bytes)
  bytes.writeBigUInt64LE(BigInt(offset), POINTER_START.length)
  // An empty final block; the checksum and length that follow are 0.
  bytes[POINTER_START.length + 8] = 3
  return bytes
}

/** Undefined if the bytes are not a pointer. */
export function readPointer(bytes: Uint8Array): number | undefined {
  const given = Buffer.from(bytes)
  if (given.length !== POINTER_BYTES) return undefined
  const offset = Number(given.readBigUInt64LE(POINTER_START.length))
  return Number.isSafeInteger(offset) && given.equals(pointerTo(offset)) ? offset : undefined
}

/** Counts movies, shows with their parts as `tv`, the rest as `unknown`; sorted by count descending, then by name. */
export function createTypeCounts() {
  const counts = new Map<string, number>()
  return {
    add(type: unknown): void {
      const name = type === 'movie' ? 'movie' : typeof type === 'string' && TV.has(type) ? 'tv' : 'unknown'
      counts.set(name, (counts.get(name) ?? 0) + 1)
    },
    sorted: (): Record<string, number> =>
      Object.fromEntries([...counts].sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1))),
  }
}
const TV = new Set(['show', 'season', 'episode', 'anime'])
