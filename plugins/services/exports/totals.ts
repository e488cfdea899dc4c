// Totals of a file: its size, and the rows that it leaves out. Counted by writing the file, and cached while the rows stay.
import type { DropReason, ExportRow } from '@playhead/sdk'
import type { Chosen } from './selection.ts'
import type { OpenRows } from './row-source.ts'
import { writtenPages } from './write.ts'

export interface FileTotals {
  /** Lines of the file, without the header. */
  readonly lines: number
  /** Rows of the selection that are in the file. */
  readonly written: number
  readonly dropped: Readonly<Record<DropReason, number>>
  readonly missingDates: number
  /** Titles that spreadsheets would interpret as formulas. */
  readonly formulas: number
  readonly bytes: number
}

export interface Totals {
  of(chosen: Chosen, rows: OpenRows): Promise<FileTotals>
}

const MAX_KEPT = 30
const FORMULA = /^[=+\-@\t\r]/

export function createTotals(): Totals {
  const kept = new Map<string, Promise<FileTotals>>()
  return {
    of(chosen, rows) {
      const { selection, filter, format } = chosen
      const name = JSON.stringify([rows.id, format.description.id, { ...selection, exportedAtMs: 0 }, filter])
      const known = kept.get(name)
      if (known !== undefined) return known
      const made = count(chosen, rows)
      kept.set(name, made)
      made.catch(() => kept.delete(name))
      for (const oldest of kept.keys()) {
        if (kept.size <= MAX_KEPT) break
        kept.delete(oldest)
      }
      return made
    },
  }
}

async function count({ format, selection, filter }: Chosen, rows: OpenRows): Promise<FileTotals> {
  const dropped = { missing_identity: 0, missing_required_id: 0, missing_watched_at: 0 }
  let [lines, written, missingDates, formulas] = [0, 0, 0, 0]
  let bytes = Buffer.byteLength(await format.exporter.begin(selection))
  for await (const page of writtenPages(format, selection, rows.pages(filter, format.description.order))) {
    for (const [index, result] of page.results.entries()) {
      if ('dropped' in result) {
        dropped[result.dropped] += 1
        continue
      }
      written += 1
      lines += result.lines
      bytes += Buffer.byteLength(result.text)
      if (result.warning === 'missing_date') missingDates += 1
      if (isFormula(page.rows[index]!)) formulas += 1
    }
  }
  bytes += Buffer.byteLength(await format.exporter.end(selection, lines))
  return { lines, written, dropped, missingDates, formulas, bytes }
}

function isFormula({ item: { title, series_title: series } }: ExportRow): boolean {
  return FORMULA.test(title ?? '') || FORMULA.test(series ?? '')
}
