// Many small texts, kept outside the garbage-collected heap: a hundred thousand strings would make every collection slow.
const CHUNK_BYTES = 1 << 20

export interface PackedTexts {
  readonly size: number
  add(text: string): void
  get(index: number): string
  /** Gives the memory back at once. Nothing can be read any more. */
  release(): void
}

export function createPackedTexts(): PackedTexts {
  const chunks: Buffer[] = []
  let used = CHUNK_BYTES
  let size = 0
  let chunkOf = new Uint32Array(1024)
  let startOf = new Uint32Array(1024)
  let lengthOf = new Uint32Array(1024)

  return {
    get size() { return size },
    add(text) {
      if (size === chunkOf.length) [chunkOf, startOf, lengthOf] = [grown(chunkOf), grown(startOf), grown(lengthOf)]
      const length = Buffer.byteLength(text)
      if (chunks.length === 0 || used + length > CHUNK_BYTES) {
        chunks.push(Buffer.allocUnsafeSlow(Math.max(length, CHUNK_BYTES)))
        used = 0
      }
      const chunk = chunks.at(-1)!
      chunk.write(text, used, 'utf8')
      chunkOf[size] = chunks.length - 1
      startOf[size] = used
      lengthOf[size] = length
      used += length
      size += 1
    },
    get(index) {
      if (index < 0 || index >= size || chunks.length === 0) throw new RangeError(`There is no text ${index}.`)
      const start = startOf[index]!
      return chunks[chunkOf[index]!]!.toString('utf8', start, start + lengthOf[index]!)
    },
    release() {
      // Waiting for a collection would let two runs add up.
      for (const chunk of chunks.splice(0)) (chunk.buffer as ArrayBuffer).transfer(0)
    },
  }
}

function grown(list: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(list.length * 2)
  larger.set(list)
  return larger
}
