// Reads a large JSON object member by member, from chunks: the whole object is never in memory.
import { InvalidData } from './invalid.ts'

const [QUOTE, BACKSLASH, COMMA] = [34, 92, 44]
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [91, 93, 123, 125]
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf]
const MAX_DEPTH = 8
const MAX_MEMBER_BYTES = 8 * 1024 * 1024

export interface ChunkReader {
  /** Throws `InvalidData`. */
  push(chunk: Uint8Array): void
  /** Throws `InvalidData` if the object is incomplete. */
  end(): void
}

/** @param onMember receives each member of the outermost object; repeated keys are passed each time */
export function readMembers(onMember: (key: string, value: unknown) => void): ChunkReader {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  let place: 'before' | 'inside' | 'after' = 'before'
  let depth = 0
  let isString = false
  let isEscaped = false
  let members = 0
  let bytesBefore = 0
  /** Parts of the current member from earlier chunks. */
  let pending: Uint8Array[] = []
  let pendingBytes = 0

  function keep(part: Uint8Array): void {
    pendingBytes += part.length
    if (pendingBytes > MAX_MEMBER_BYTES) throw new InvalidData('A member of the JSON object is too large.')
    if (part.length > 0) pending.push(part)
  }

  function finishMember(isLast: boolean): void {
    const bytes = pending.length === 1 ? pending[0]! : Buffer.concat(pending)
    pending = []
    pendingBytes = 0
    const text = decode(bytes)
    if (isLast && members === 0 && text.trim() === '') return
    const entries = Object.entries(parse(`{${text}}`))
    if (entries.length !== 1) throw new InvalidData('The JSON object has a comma without a member.')
    members += 1
    onMember(...(entries[0] as [string, unknown]))
  }

  function decode(bytes: Uint8Array): string {
    try {
      return decoder.decode(bytes)
    } catch {
      throw new InvalidData('The JSON object is not UTF-8.')
    }
  }

  return {
    push(chunk) {
      let start = 0
      for (let at = 0; at < chunk.length; at += 1) {
        const byte = chunk[at] as number
        if (isString) {
          if (isEscaped) isEscaped = false
          else if (byte === BACKSLASH) isEscaped = true
          else if (byte === QUOTE) isString = false
        } else if (place === 'inside') {
          if (byte === QUOTE) isString = true
          else if (byte === OPEN_OBJECT || byte === OPEN_LIST) {
            depth += 1
            if (depth > MAX_DEPTH) throw new InvalidData('The JSON object is nested too deeply.')
          } else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) {
            depth -= 1
            if (depth > 0) continue
            if (byte === CLOSE_LIST) throw new InvalidData('The JSON object ends with "]".')
            keep(chunk.subarray(start, at))
            finishMember(true)
            place = 'after'
          } else if (byte === COMMA && depth === 1) {
            keep(chunk.subarray(start, at))
            finishMember(false)
            start = at + 1
          }
        } else if (place === 'before' && byte === OPEN_OBJECT) {
          place = 'inside'
          depth = 1
          start = at + 1
        } else if (!isSpace(byte) && (place === 'after' || byte !== BYTE_ORDER_MARK[bytesBefore + at])) {
          throw new InvalidData(place === 'before' ? 'It is not a JSON object.' : 'Something follows the JSON object.')
        }
      }
      bytesBefore += chunk.length
      // Copied, because the chunk may be reused.
      if (place === 'inside') keep(Uint8Array.prototype.slice.call(chunk, start))
    },
    end() {
      if (place !== 'after') throw new InvalidData('The JSON object ends in the middle.')
    },
  }
}

function parse(text: string): object {
  try {
    return JSON.parse(text) as object
  } catch {
    throw new InvalidData('It is not valid JSON.')
  }
}

function isSpace(byte: number): boolean {
  return byte === 32 || byte === 10 || byte === 13 || byte === 9
}
