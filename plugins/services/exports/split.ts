// Splits a file above the size limit of the importing service into a ZIP archive of parts. Every part is a valid file.
import { type ArchiveEntry, type ExportedRow, type ExportRow, type ExportSelection, writeArchive } from '@playhead/sdk'
import type { Format } from './selection.ts'
import { createWriter, type Writer } from './write.ts'

/** Text of a part, and the start of the next one. */
type Piece = { readonly part: number; readonly text: string }

/** @param name returns the name of a part by its number, starting at 1 */
export function splitFile(
  format: Format,
  selection: ExportSelection,
  pages: AsyncIterable<readonly ExportRow[]>,
  name: (part: number) => string,
): AsyncGenerator<Uint8Array> {
  return writeArchive(entries(pieces(format, selection, pages), selection.exportedAtMs, name))
}

async function* entries(
  source: AsyncGenerator<Piece>,
  modifiedAtMs: number,
  name: (part: number) => string,
): AsyncGenerator<ArchiveEntry> {
  let next = await source.next()
  while (next.done !== true) {
    const { part } = next.value
    const content = async function* () {
      for (; next.done !== true && next.value.part === part; next = await source.next()) yield next.value.text
    }
    yield { path: name(part), content: content(), modifiedAtMs }
  }
}

async function* pieces(
  format: Format,
  selection: ExportSelection,
  pages: AsyncIterable<readonly ExportRow[]>,
): AsyncGenerator<Piece> {
  const { exporter, description } = format
  const limit = description.maxBytes ?? Number.POSITIVE_INFINITY
  const begin = await exporter.begin(selection)
  const endBytes = Buffer.byteLength(await exporter.end(selection, 0)) + 16
  let part = 1
  let writer: Writer = createWriter(format, selection)
  let bytes = Buffer.byteLength(begin)
  yield { part, text: begin }
  for await (const page of pages) {
    for (let rows = page; rows.length > 0; ) {
      const results = await writer.write(rows)
      const { count, text, size } = fitting(results, limit - bytes - endBytes, writer.lines() === linesOf(results))
      if (text !== '') yield { part, text }
      bytes += size
      rows = rows.slice(count)
      if (rows.length === 0) break
      // The remaining text depends on its position and is written again for the next part.
      const end = await exporter.end(selection, writer.lines())
      if (end !== '') yield { part, text: end }
      part += 1
      writer = createWriter(format, selection)
      bytes = Buffer.byteLength(begin)
      yield { part, text: begin }
    }
  }
  const end = await exporter.end(selection, writer.lines())
  if (end !== '') yield { part, text: end }
}

function linesOf(results: readonly ExportedRow[]): number {
  return results.reduce((sum, result) => sum + ('text' in result ? result.lines : 0), 0)
}

/** The rows that fit. The first of an empty part always does. */
function fitting(results: readonly ExportedRow[], room: number, isEmptyPart: boolean) {
  let text = ''
  let size = 0
  for (const [count, result] of results.entries()) {
    if (!('text' in result)) continue
    const own = Buffer.byteLength(result.text)
    if (size + own > room && !(isEmptyPart && size === 0)) return { count, text, size }
    text += result.text
    size += own
  }
  return { count: results.length, text, size }
}
