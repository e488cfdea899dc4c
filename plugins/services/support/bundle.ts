// Streams parts into a ZIP, one by one, redacted in small pieces. A part that fails, times out or is too large is
// replaced by a note.
import { type ArchiveEntry, defined, type HostFacts, type Logger, withTimeLimit, writeArchive } from '@playhead/sdk'
import { jsonChunks, lineChunks, type Chunks } from './text.ts'

export interface Part {
  /** File name. `.json` files contain `value`; others contain lines of text, of which the last are kept. */
  readonly path: string
  gather(): unknown
}

interface BundleOptions {
  readonly redact: HostFacts['redact']
  readonly log: Logger
  /** Total size of the files before compression. */
  readonly limitBytes?: number
  readonly partBytes?: number
  readonly partMs?: number
}

const LIMIT_BYTES = 20 * 1024 * 1024
const PART_BYTES = 2 * 1024 * 1024
const PART_MS = 10_000
// Smaller files are omitted.
const MIN_BYTES = 1024
// Space for the summary of the parts, which comes last.
const RESERVED_BYTES = 64 * 1024

interface Summary {
  readonly file: string
  readonly bytes: number
  readonly problem?: string
}

export function createBundle(parts: readonly Part[], options: BundleOptions): AsyncGenerator<Uint8Array> {
  return writeArchive(entriesOf(parts, options))
}

async function* entriesOf(parts: readonly Part[], options: BundleOptions): AsyncGenerator<ArchiveEntry> {
  const { redact, log, limitBytes = LIMIT_BYTES, partBytes = PART_BYTES, partMs = PART_MS } = options
  const summaries: Summary[] = []
  let left = limitBytes - RESERVED_BYTES
  for (const part of parts) {
    const allowed = Math.min(partBytes, left)
    let chunks: Chunks
    let problem: string | undefined
    try {
      if (allowed < MIN_BYTES) throw new Error('The bundle is full.')
      chunks = await chunksOf(await withLimit(part, partMs), part.path, allowed, redact)
      if (chunks.leftOut > 0) problem = `It was too long; ${chunks.leftOut} entries were left out.`
    } catch (error) {
      problem = redact(error instanceof Error ? error.message : String(error)).slice(0, 500)
      log.warn({ err: error, part: part.path }, 'a part of the support bundle is missing')
      chunks = noteOf(part.path, problem)
    }
    left -= chunks.bytes
    summaries.push({ file: part.path, bytes: chunks.bytes, ...defined({ problem }) })
    yield { path: part.path, content: chunks.texts }
  }
  yield { path: 'contents.json', content: [JSON.stringify(summaries, null, 1)] }
}

async function chunksOf(value: unknown, path: string, limit: number, redact: HostFacts['redact']): Promise<Chunks> {
  return path.endsWith('.json')
    ? await jsonChunks(value, limit, redact)
    : await lineChunks(value as readonly string[], limit, redact)
}

function noteOf(path: string, problem: string): Chunks {
  const text = path.endsWith('.json') ? JSON.stringify({ not_available: problem }) : `Not available: ${problem}\n`
  return { texts: [text], bytes: Buffer.byteLength(text), leftOut: 0 }
}

function withLimit(part: Part, limitMs: number): Promise<unknown> {
  const late = () => new Error(`It was not there within ${limitMs / 1_000} s.`)
  return withTimeLimit((async () => await part.gather())(), limitMs, late)
}
