// Converts the response to XML: plain values become attributes, lists and objects become elements.
import type { Row } from './wire.ts'

/**
 * A list under its own root gets elements named after the root without its last letter: `resources` holds `resource`.
 */
export function toXml(root: string, value: Row | readonly Row[]): string {
  const body = Array.isArray(value) ? list(root, value as readonly Row[]) : element(root, value as Row)
  return `<?xml version="1.0" encoding="UTF-8"?>\n${body}\n`
}

function element(name: string, row: Row): string {
  let attributes = ''
  let children = ''
  for (const [key, value] of Object.entries(row)) {
    if (value === undefined) continue
    if (Array.isArray(value)) children += list(key, value as Row[])
    else if (typeof value === 'object' && value !== null) children += element(key, value as Row)
    else attributes += ` ${key}="${escapeText(scalar(value))}"`
  }
  return children === '' ? `<${name}${attributes}/>` : `<${name}${attributes}>${children}</${name}>`
}

// Containers of the media server hold their rows directly (capital letter); lists of the cloud have a wrapper element.
function list(name: string, rows: readonly Row[]): string {
  if (/^[A-Z]/.test(name)) return elements(name, rows)
  return `<${name}>${elements(name.replace(/s$/, ''), rows)}</${name}>`
}

function elements(name: string, rows: readonly Row[]): string {
  return rows.map((row) => element(name === 'Metadata' ? metadataName(row) : name, row)).join('')
}

function metadataName({ type }: Row): string {
  if (type === 'playlist') return 'Playlist'
  return type === 'show' || type === 'season' ? 'Directory' : 'Video'
}

function scalar(value: unknown): string {
  if (value === true) return '1'
  if (value === false) return '0'
  return value === null ? '' : String(value)
}

function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}
