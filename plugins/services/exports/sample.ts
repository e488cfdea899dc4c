// A preview of a file: its first rows, the number of rows, and the rows that are left out.
import { defined } from '@playhead/sdk'
import { type ItemKind, kindOf } from '@playhead/sdk/items'
import { type ExportRow, exportTime } from '@playhead/sdk/exporter'
import type { Parts } from './parts.ts'
import { type Chosen, KINDS } from './selection.ts'
import type { FileTotals } from './totals.ts'
import { writtenPages } from './write.ts'

const KIND_NAMES = { movie: 'movies', show: 'shows', season: 'seasons', episode: 'episodes' } as const
const PREVIEW_ROWS = 10

export async function sampleOf({ rows: source, totals: counted }: Parts, chosen: Chosen, limit: number) {
  const { format, selection, filter, kinds } = chosen
  await using rows = await source.open(chosen.accounts, selection.feature, filter)
  const countOf = (some: readonly ItemKind[]) => some.reduce((all, kind) => all + rows.counts[kind], 0)
  const matched = countOf(KINDS)
  const unsupported = matched - countOf(filter.kinds ?? KINDS)
  const count = await counted.begin(chosen, rows.revision)
  const items: object[] = []
  let preview = await format.exporter.begin(selection)
  for await (const page of writtenPages(format, selection, rows.pages())) {
    count.add(page)
    for (const [index, result] of page.results.entries()) {
      if (!('text' in result) || items.length >= limit) continue
      if (items.length < PREVIEW_ROWS) preview += result.text
      items.push(itemOf(page.rows[index]!))
    }
    if (items.length >= limit && count.isKnown) break
  }
  const totals = await count.end()
  const columnsOf = (watchedDate: boolean) => format.exporter.columns({ ...selection, watchedDate })
  const [withDates, withoutDates] = await Promise.all([columnsOf(true), columnsOf(false)])
  const { dropped } = totals
  return {
    items,
    total: totals.lines,
    row_total: totals.written,
    matched_total: matched,
    dropped_total: matched - totals.written,
    warnings: warningsOf(chosen, totals, unsupported),
    validation: {
      matched_total: matched,
      unsupported_media_total: unsupported,
      missing_identity_total: dropped.missing_identity,
      missing_required_id_total: dropped.missing_required_id,
      missing_watched_at_total: dropped.missing_watched_at,
      invalid_watched_date_total: totals.missingDates,
      formula_title_total: totals.formulas,
    },
    media_types: kinds,
    rewatches_supported: chosen.rewatchesSupported,
    include_rewatches: chosen.includeRewatches,
    columns: selection.watchedDate ? withDates : withoutDates,
    dates_optional: withDates.length !== withoutDates.length,
    preview_csv: preview,
    size_bytes: totals.bytes,
  }
}

function itemOf({ key, item }: ExportRow) {
  return {
    key,
    type: kindOf(item),
    title: item.title ?? item.series_title ?? '',
    year: String(item.year ?? item.series_year ?? ''),
    watched_at: exportTime(item) ?? '',
    ids: item.ids,
    rating: item.rating ?? null,
    ...defined({ series_title: item.series_title ?? undefined, season: item.season, episode: item.episode }),
  }
}

function warningsOf({ format, kinds, selection }: Chosen, totals: FileTotals, unsupported: number): readonly string[] {
  const { label, kinds: held, maxBytes } = format.description
  const { dropped, missingDates, formulas, bytes } = totals
  const warnings: string[] = []
  const lacking = kinds.filter((kind) => !held.includes(kind)).map((kind) => KIND_NAMES[kind])
  if (lacking.length > 0 && unsupported > 0)
    warnings.push(`${label} files cannot hold ${lacking.join(', ')}; they are left out.`)
  if (unsupported > 0) warnings.push(`Left out, of other media types: ${unsupported}.`)
  if (dropped.missing_identity > 0) warnings.push(`Left out, without a title and an id: ${dropped.missing_identity}.`)
  if (dropped.missing_required_id > 0)
    warnings.push(`Left out, without the id that ${label} needs: ${dropped.missing_required_id}.`)
  if (dropped.missing_watched_at > 0) warnings.push(`Left out, without a time: ${dropped.missing_watched_at}.`)
  if (missingDates > 0) warnings.push(`Without a date, which the file leaves empty: ${missingDates}.`)
  if (formulas > 0 && !selection.spreadsheet)
    warnings.push(
      `Titles that begin with =, +, - or @: ${formulas}. Do not open the file in a spreadsheet, or export it with spreadsheet=true.`,
    )
  if (maxBytes !== undefined && bytes > maxBytes)
    warnings.push(`The file has ${bytes} bytes; ${label} accepts ${maxBytes}. Export it with split=true, in parts.`)
  return warnings
}
