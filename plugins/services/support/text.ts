// Serializes values and lines to redacted text in small pieces, yielding to other work in between.
import { type HostFacts, yieldToLoop } from '@playhead/sdk'

export interface Chunks {
  readonly texts: readonly string[]
  readonly bytes: number
  /** Number of omitted entries. */
  readonly leftOut: number
}

type Redact = HostFacts['redact']

const TURN_MS = 8
const TEXT_BYTES = 16 * 1024

/** A list or object, entry by entry; the first ones are kept when not all fit. */
export async function jsonChunks(value: unknown, limit: number, redact: Redact): Promise<Chunks> {
  if (typeof value !== 'object' || value === null) throw new TypeError('A part is a list or an object.')
  const isList = Array.isArray(value)
  const entries = isList ? value.map((item) => [item]) : Object.entries(value).map(([name, item]) => ({ [name]: item }))
  const text = (entry: object): string => JSON.stringify(redacted(entry, redact), null, 1).slice(1, -1).trimEnd()
  const { kept, bytes } = await keepWhileTheyFit(entries, text, limit - 4)
  const [open, close] = isList ? ['[', ']'] : ['{', '}']
  return {
    texts: [open, ...kept.map((entry, index) => (index === 0 ? entry : `,${entry}`)), `\n${close}\n`],
    bytes: bytes + 4,
    leftOut: entries.length - kept.length,
  }
}

/** The last lines that fit. */
export async function lineChunks(lines: readonly string[], limit: number, redact: Redact): Promise<Chunks> {
  const { kept, bytes } = await keepWhileTheyFit(lines.toReversed(), (line) => bounded(redact(line)), limit)
  return { texts: kept.toReversed().map((line) => `${line}\n`), bytes, leftOut: lines.length - kept.length }
}

async function keepWhileTheyFit<Entry>(entries: readonly Entry[], toText: (entry: Entry) => string, limit: number) {
  const kept: string[] = []
  let [bytes, turnAt] = [0, performance.now()]
  for (const entry of entries) {
    const text = toText(entry)
    const size = Buffer.byteLength(text) + 1
    if (bytes + size > limit) break
    kept.push(text)
    bytes += size
    if (performance.now() - turnAt < TURN_MS) continue
    await yieldToLoop()
    turnAt = performance.now()
  }
  return { kept, bytes }
}

/** Fails if redaction broke the JSON. */
function redacted(entry: object, redact: Redact): unknown {
  return JSON.parse(redact(JSON.stringify(entry)))
}

function bounded(line: string): string {
  return line.length > TEXT_BYTES ? `${line.slice(0, TEXT_BYTES)} …` : line
}
