// Source maps with lines alone. Node parses the whole map of a file when it shows one stack trace of it, keeps it as an
// array for each segment, and blocks meanwhile: 25 MB and 0.15 s for the largest plugin, a tenth of it without columns.
// The format: https://tc39.es/ecma426/#sec-mappings

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
const VALUES = new Map([...DIGITS].map((digit, value) => [digit, value]))
const MORE = 32

/** Keeps the first segment of each line, without names. A map that is not understood stays as it is. */
export function linesOnly(text: string): string {
  const map = JSON.parse(text) as { readonly mappings?: unknown; readonly sections?: unknown }
  if (typeof map.mappings !== 'string' || map.sections !== undefined) return text
  // Source, line and column are relative to the segment before, the column of the file to that of its line.
  const at = [0, 0, 0]
  let kept = [0, 0, 0]
  const lines: string[] = []
  for (const line of map.mappings.split(';')) {
    let first = ''
    let column = 0
    for (const segment of line === '' ? [] : line.split(',')) {
      const [by, ...place] = decode(segment)
      column += by ?? 0
      if (place.length < 3) continue
      for (const [index, difference] of place.slice(0, 3).entries()) at[index]! += difference
      if (first !== '') continue
      first = encode([column, ...at.map((value, index) => value - kept[index]!)])
      kept = [...at]
    }
    lines.push(first)
  }
  return JSON.stringify({ ...map, names: [], mappings: lines.join(';') })
}

function decode(segment: string): number[] {
  const values: number[] = []
  let [value, shift] = [0, 0]
  for (const digit of segment) {
    const bits = VALUES.get(digit) ?? 0
    value += (bits & (MORE - 1)) << shift
    shift += 5
    if ((bits & MORE) !== 0) continue
    values.push((value & 1) === 0 ? value >>> 1 : -(value >>> 1))
    ;[value, shift] = [0, 0]
  }
  return values
}

function encode(values: readonly number[]): string {
  let text = ''
  for (const value of values) {
    let left = value < 0 ? (-value << 1) | 1 : value << 1
    do {
      const bits = left & (MORE - 1)
      left >>>= 5
      text += DIGITS[left > 0 ? bits | MORE : bits]
    } while (left > 0)
  }
  return text
}
