// Totals of a file: its size, and the rows that it leaves out. Counted by writing the file, and cached while the rows stay.
import type { DropReason, ExportRow } from '@playhead/sdk'
import type { Chosen } from './selection.ts'
import type { WrittenPage } from './write.ts'

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

interface Count {
  /** The totals of the same rows are known, so the pages need not be read to their end. */
  readonly isKnown: boolean
  add(page: WrittenPage): void
  /** Called after the last page. */
  end(): Promise<FileTotals>
}

export interface Totals {
  /** @param revision of the rows */
  begin(chosen: Chosen, revision: string): Promise<Count>
}

const MAX_KEPT = 30
const FORMULA = /^[=+\-@\t\r]/

export function createTotals(): Totals {
  const kept = new Map<string, FileTotals>()
  return {
    async begin({ accounts, selection, filter, format: { exporter, description } }, revision) {
      const name = JSON.stringify([accounts, revision, description.id, { ...selection, exportedAtMs: 0 }, filter])
      const known = kept.get(name)
      const dropped = { missing_identity: 0, missing_required_id: 0, missing_watched_at: 0 }
      let [lines, written, missingDates, formulas] = [0, 0, 0, 0]
      let bytes = Buffer.byteLength(await exporter.begin(selection))
      return {
        isKnown: known !== undefined,
        add({ rows, results }) {
          for (const [index, result] of results.entries()) {
            if ('dropped' in result) {
              dropped[result.dropped] += 1
              continue
            }
            written += 1
            lines += result.lines
            bytes += Buffer.byteLength(result.text)
            if (result.warning === 'missing_date') missingDates += 1
            if (isFormula(rows[index]!)) formulas += 1
          }
        },
        async end() {
          if (known !== undefined) return known
          bytes += Buffer.byteLength(await exporter.end(selection, lines))
          const totals = { lines, written, dropped, missingDates, formulas, bytes }
          kept.set(name, totals)
          if (kept.size > MAX_KEPT) kept.delete(kept.keys().next().value as string)
          return totals
        },
      }
    },
  }
}

function isFormula({ item: { title, series_title: series } }: ExportRow): boolean {
  return FORMULA.test(title ?? '') || FORMULA.test(series ?? '')
}
