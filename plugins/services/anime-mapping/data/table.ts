// Reads tab-separated values with a header, from chunks. Values may be quoted; rows with another number of columns are
// skipped.
import { InvalidData } from './invalid.ts'
import type { ChunkReader } from './members.ts'

const MAX_LINE = 256 * 1024
const LINE_FEED = 10

/** @param onRow receives the requested columns, in their order */
export function readTable(columns: readonly string[], onRow: (values: readonly string[]) => void): ChunkReader {
  const decoder = new TextDecoder()
  let rest = ''
  let width = 0
  let places: readonly number[] | null = null

  function line(text: string): void {
    const plain = text.endsWith('\r') ? text.slice(0, -1) : text
    if (plain === '') return
    const values = valuesOf(plain)
    if (places === null) {
      places = placesOf(values, columns)
      width = values.length
    } else if (values.length === width) onRow(places.map((place) => values[place] as string))
  }

  function lines(text: string): void {
    let start = 0
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', start)) {
      line(text.slice(start, end))
      start = end + 1
    }
    rest = text.slice(start)
    if (rest.length > MAX_LINE) throw new InvalidData('A line of the table is too long.')
  }

  return {
    push: (chunk) => lines(rest + decoder.decode(chunk, { stream: true })),
    end() {
      lines(rest + decoder.decode() + String.fromCharCode(LINE_FEED))
      if (places === null) throw new InvalidData('The table is empty.')
    },
  }
}

function placesOf(header: readonly string[], columns: readonly string[]): readonly number[] {
  const names = header.map((name) => name.replace('\uFEFF', '').trim().toLowerCase())
  return columns.map((column) => {
    const place = names.indexOf(column)
    if (place === -1) throw new InvalidData(`The table has no column "${column}".`)
    return place
  })
}

function valuesOf(line: string): string[] {
  if (!line.includes('"')) return line.split('\t')
  const values: string[] = []
  for (let at = 0; at <= line.length; at += 1) {
    if (line[at] !== '"') {
      const end = line.indexOf('\t', at)
      values.push(line.slice(at, end === -1 ? undefined : end))
      at = end === -1 ? line.length : end
      continue
    }
    let value = ''
    let isOpen = true
    for (at += 1; at < line.length && isOpen; at += 1) {
      if (line[at] !== '"') value += line[at]
      else if (line[at + 1] === '"') {
        value += '"'
        at += 1
      } else isOpen = false
    }
    // Text after the closing quote belongs to the value.
    const end = line.indexOf('\t', at)
    values.push(value + line.slice(at, end === -1 ? undefined : end))
    at = end === -1 ? line.length : end
  }
  return values
}
