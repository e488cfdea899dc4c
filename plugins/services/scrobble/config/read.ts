// Parses values of older settings and lenient clients.
export type Raw = Readonly<Record<string, unknown>>

export function object(value: unknown): Raw {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Raw) : {}
}

export function text(value: unknown): string {
  return typeof value === 'string' ? value.trim() : typeof value === 'number' ? String(value) : ''
}

/** `MEDIAA`. */
export function readProvider(value: unknown): string {
  return text(value).toUpperCase()
}

/** The id of a profile; empty means the default. A trailing `:<digits>` of old settings is cut off. */
export function readInstance(value: unknown): string {
  const id = text(value).replace(/:\d+$/, '').trim()
  return id === '' || id.toLowerCase() === 'default' ? 'default' : id.toUpperCase()
}

/** A list as an array, a text with commas, or an object with truthy keys; undefined for anything else. */
export function readList(value: unknown): string[] | undefined {
  const parts = Array.isArray(value)
    ? value
    : typeof value === 'string'
      ? value.split(',')
      : typeof value === 'object' && value !== null
        ? Object.entries(value).flatMap(([key, one]) => (one ? [key] : []))
        : undefined
  if (parts === undefined || !parts.every((part) => typeof part === 'string' || typeof part === 'number')) {
    return undefined
  }
  return [...new Set(parts.map(text).filter((part) => part !== ''))]
}

/** A number, also from text; undefined for anything else. */
export function readNumber(value: unknown): number | undefined {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined
}
