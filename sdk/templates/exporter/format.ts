// The row format: tab-separated values, one line per row.

export interface Row {
  readonly title: string
  readonly year?: number
  readonly watched_at?: string
}

export const COLUMNS = ['title', 'year', 'watched_at'] as const

/** Tabs and line breaks inside a value become spaces: the format cannot escape them. */
export function formatRow(values: readonly (string | number | undefined)[]): string {
  return `${values.map((value) => String(value ?? '').replace(/[\t\r\n]+/g, ' ')).join('\t')}\n`
}
