// The document in a form: the value of the first of these fields, in the order of the names.
// Forms of webhooks have a handful; more would only block the event loop.
const MAX_PAIRS = 1_000
const BRACE = '{'.charCodeAt(0)
const AMPERSAND = '&'.charCodeAt(0)
const EQUALS = '='.charCodeAt(0)

/**
 * The decoded value. A body without these fields that is JSON itself is returned unchanged: clients send JSON with the
 * type of a form. Null for neither.
 */
export function formField(body: Uint8Array, fields: readonly string[]): Uint8Array | null {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  const found = new Map<string, Uint8Array>()
  for (let start = 0, pairs = 0; start < bytes.length && pairs < MAX_PAIRS; pairs += 1) {
    const next = bytes.indexOf(AMPERSAND, start)
    const end = next === -1 ? bytes.length : next
    const pair = bytes.subarray(start, end)
    const equals = pair.indexOf(EQUALS)
    const name = equals === -1 ? '' : unescapeForm(pair.subarray(0, equals)).toString()
    if (fields.includes(name) && !found.has(name)) found.set(name, unescapeForm(pair.subarray(equals + 1)))
    start = end + 1
  }
  for (const field of fields) {
    const value = found.get(field)
    if (value !== undefined) return value
  }
  return bytes.toString('latin1').trimStart().charCodeAt(0) === BRACE ? bytes : null
}

const PLUS = '+'.charCodeAt(0)
const SPACE = ' '.charCodeAt(0)
const PERCENT = '%'.charCodeAt(0)

/** Decodes `+` and `%XX`; broken escapes are unchanged (URL standard, section 5.1). */
function unescapeForm(bytes: Buffer): Buffer {
  if (!bytes.includes(PLUS) && !bytes.includes(PERCENT)) return bytes
  const decoded = Buffer.allocUnsafe(bytes.length)
  let length = 0
  for (let at = 0; at < bytes.length; at += 1) {
    let byte = bytes[at] as number
    if (byte === PLUS) byte = SPACE
    else if (byte === PERCENT) {
      const high = hexDigit(bytes[at + 1])
      const low = hexDigit(bytes[at + 2])
      if (high !== -1 && low !== -1) {
        byte = 16 * high + low
        at += 2
      }
    }
    decoded[length] = byte
    length += 1
  }
  return decoded.subarray(0, length)
}

function hexDigit(code: number | undefined): number {
  if (code === undefined) return -1
  if (code >= 48 && code <= 57) return code - 48
  const letter = code | 0x20
  return letter >= 97 && letter <= 102 ? letter - 87 : -1
}
