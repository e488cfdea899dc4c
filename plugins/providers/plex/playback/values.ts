// Reads values of reports, whose types vary: numbers as text, single values for lists, anything in webhooks.
export type Row = Readonly<Record<string, unknown>>

const MAX_TEXT = 500

export function rowOf(value: unknown): Row | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Row) : undefined
}

export function rowsOf(value: unknown): readonly Row[] {
  const all: readonly unknown[] = Array.isArray(value) ? value : [value]
  return all.flatMap((one): readonly Row[] => {
    const row = rowOf(one)
    return row === undefined ? [] : [row]
  })
}

/** Trimmed and shortened; undefined if empty or not a text. */
export function textOf(value: unknown): string | undefined {
  const text = typeof value === 'string' ? value.trim().slice(0, MAX_TEXT) : ''
  return text === '' ? undefined : text
}

/** An id that may be a number. */
export function idOf(value: unknown): string | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? String(value) : textOf(value)
}

/** A non-negative whole number. */
export function wholeNumberOf(value: unknown): number | undefined {
  const number = typeof value === 'string' && /^\d{1,15}$/.test(value.trim()) ? Number(value) : value
  return typeof number === 'number' && Number.isSafeInteger(number) && number >= 0 ? number : undefined
}
