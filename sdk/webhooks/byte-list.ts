// Bytes that arrive in chunks, in one growing buffer: a list of tiny chunks costs a multiple of their bytes.
const FIRST_BYTES = 4 * 1024

interface ByteList {
  /** False if the limit is exceeded; the chunk is not added then. */
  add(chunk: Uint8Array): boolean
  all(): Buffer
}

export function createByteList(maxBytes: number): ByteList {
  let buffer = Buffer.alloc(0)
  let length = 0
  return {
    add(chunk) {
      const needed = length + chunk.length
      if (needed > maxBytes) return false
      if (needed > buffer.length) {
        const grown = Buffer.allocUnsafe(Math.min(maxBytes, Math.max(needed, FIRST_BYTES, 2 * buffer.length)))
        buffer.copy(grown, 0, 0, length)
        buffer = grown
      }
      buffer.set(chunk, length)
      length = needed
      return true
    },
    all: () => buffer.subarray(0, length),
  }
}
