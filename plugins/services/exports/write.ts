// Writes the text of a file row by row. Preview and file share this code, so that they agree.
import type { ExportedRow, ExportRow, ExportSelection } from '@playhead/sdk'
import type { Format } from './selection.ts'

export interface WrittenPage {
  readonly rows: readonly ExportRow[]
  /** One per row. */
  readonly results: readonly ExportedRow[]
}

/** Writes pages of rows. Restarts for each part of a split file. */
export interface Writer {
  write(rows: readonly ExportRow[]): Promise<readonly ExportedRow[]>
  /** Lines so far, without the header. */
  lines(): number
}

export function createWriter({ exporter }: Format, selection: ExportSelection): Writer {
  let previous: ExportRow | null = null
  let lines = 0
  return {
    lines: () => lines,
    async write(rows) {
      const results = await exporter.write({ selection, rows, previous, lines })
      for (const [index, result] of results.entries()) {
        if (!('text' in result)) continue
        previous = rows[index]!
        lines += result.lines
      }
      return results
    },
  }
}

export async function* writtenPages(
  format: Format,
  selection: ExportSelection,
  pages: AsyncIterable<readonly ExportRow[]>,
): AsyncGenerator<WrittenPage> {
  const writer = createWriter(format, selection)
  for await (const rows of pages) yield { rows, results: await writer.write(rows) }
}

/** The whole file in chunks. */
export async function* fileText(
  format: Format,
  selection: ExportSelection,
  pages: AsyncIterable<readonly ExportRow[]>,
): AsyncGenerator<string> {
  const writer = createWriter(format, selection)
  yield await format.exporter.begin(selection)
  for await (const rows of pages) {
    const results = await writer.write(rows)
    const text = results.map((result) => ('text' in result ? result.text : '')).join('')
    if (text !== '') yield text
  }
  const end = await format.exporter.end(selection, writer.lines())
  if (end !== '') yield end
}
