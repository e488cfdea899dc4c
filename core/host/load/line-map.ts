// Source maps with lines alone. Node parses the whole map of a file with the first stack trace of it, also one that only
// Node's streams read, keeps an array for each segment, and blocks meanwhile: 19 MB for the core. Without columns the
// maps of the core have a fifth of the segments, that of the largest plugin a tenth.
// The format: https://tc39.es/ecma426/#sec-mappings

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
const MORE = 32
/** By character code. */
const VALUES = new Uint8Array(128)
for (const [value, digit] of [...DIGITS].entries()) VALUES[digit.charCodeAt(0)] = value
const [COMMA, SEMICOLON] = [44, 59]
/** Column of the file, source, line and column of the source. The last three follow those of the segment before. */
const FIELDS = 4

/**
 * Keeps the segment at the first character of each line's text, and each with which another line of the source begins,
 * without names.
 *
 * @param code what the map belongs to
 */
export function linesOnly(text: string, code: string): string {
  const map = JSON.parse(text) as { readonly mappings: string }
  return JSON.stringify({ ...map, names: [], mappings: oneForSourceLine(map.mappings, code.split('\n')) })
}

// One pass over the characters: the map of a large plugin has a million, and the event loop waits.
function oneForSourceLine(mappings: string, lines: readonly string[]): string {
  const at = [0, 0, 0, 0]
  let before = [0, 0, 0, 0]
  let found: number[] | undefined
  let [kept, line, indent, field, value, shift] = ['', 0, indentOf(lines[0]), 0, 0, 0]
  const keep = () => {
    if (found === undefined) return
    kept += encode(found[0]! - before[0]!)
    for (let index = 1; index < FIELDS; index += 1) kept += encode(found[index]! - before[index]!)
    before = found
  }
  const endSegment = () => {
    // The end of a statement reaches into the indentation of the next line.
    if (field >= FIELDS) {
      if (found === undefined || at[0]! <= indent) found = [...at]
      else if (at[1] !== found[1] || at[2] !== found[2]) {
        keep()
        kept += ','
        found = [...at]
      }
    }
    field = 0
  }
  const endLine = () => {
    endSegment()
    keep()
    found = undefined
  }
  for (let index = 0; index < mappings.length; index += 1) {
    const character = mappings.charCodeAt(index)
    if (character === COMMA) endSegment()
    else if (character === SEMICOLON) {
      endLine()
      kept += ';'
      line += 1
      indent = indentOf(lines[line])
      at[0] = before[0] = 0
    } else {
      const bits = VALUES[character]!
      value += (bits & (MORE - 1)) << shift
      shift += 5
      if ((bits & MORE) !== 0) continue
      if (field < FIELDS) at[field]! += (value & 1) === 0 ? value >>> 1 : -(value >>> 1)
      field += 1
      value = shift = 0
    }
  }
  endLine()
  return kept
}

function indentOf(line = ''): number {
  return Math.max(line.search(/\S/), 0)
}

function encode(value: number): string {
  let text = ''
  let left = value < 0 ? (-value << 1) | 1 : value << 1
  do {
    const bits = left & (MORE - 1)
    left >>>= 5
    text += DIGITS[left > 0 ? bits | MORE : bits]
  } while (left > 0)
  return text
}
