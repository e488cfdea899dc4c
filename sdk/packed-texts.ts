// Many small texts, kept outside the garbage-collected heap: a hundred thousand strings would make every collection
// slow. They lie one behind the other in a buffer that grows in place. Its pages come from the system and go back to
// it, so that no run leaves holes in the memory of the next.
const STEP_BYTES = 1 << 20
/** Most lists are short, and each page of memory takes its time. */
const FIRST_STEP_BYTES = 8 << 10
/**
 * Addresses that are set aside, not memory; a text never crosses from one segment into the next. Most lists end within
 * the first.
 */
const SEGMENT_BYTES = 256 << 20
const FIRST_SEGMENT_BYTES = 256 << 10
const FIRST_SIZE = 64

export interface PackedTexts {
  readonly size: number
  /** Under the next number, from 0 on. */
  add(text: string): void
  /** @throws RangeError for a number that was not given, and after the release */
  get(index: number): string
  /** All texts as they lie, one behind the other, in pieces of a megabyte at most. */
  pieces(): Iterable<Uint8Array>
  /** Gives the memory back at once. Nothing can be read any more. */
  release(): void
}

/** @param segmentBytes for tests */
export function createPackedTexts(segmentBytes = SEGMENT_BYTES): PackedTexts {
  // A view of a buffer that grows, grows with it. One for each text would take longer than the text.
  const segments: { readonly memory: ArrayBuffer; readonly bytes: Buffer }[] = []
  let used = 0
  let size = 0
  let released = false
  let segmentOf = new Uint16Array(FIRST_SIZE)
  let startOf = new Uint32Array(FIRST_SIZE)
  let lengthOf = new Uint32Array(FIRST_SIZE)

  /** The segment that has so many bytes left behind the last text. */
  function reserve(length: number): Buffer {
    let segment = segments.at(-1)
    if (segment === undefined || used + length > segment.memory.maxByteLength) {
      const most = segments.length === 0 ? Math.min(FIRST_SEGMENT_BYTES, segmentBytes) : segmentBytes
      const memory = new ArrayBuffer(0, { maxByteLength: Math.max(most, length) })
      segment = { memory, bytes: Buffer.from(memory) }
      segments.push(segment)
      used = 0
    }
    const { memory, bytes } = segment
    if (used + length > memory.byteLength) {
      const step = Math.min(STEP_BYTES, Math.max(FIRST_STEP_BYTES, memory.byteLength))
      memory.resize(Math.min(memory.maxByteLength, used + length + step))
    }
    return bytes
  }

  /** Where the last text of a full segment ends. */
  function endOf(segment: number): number {
    let last = size - 1
    while (segmentOf[last]! > segment) last -= 1
    return startOf[last]! + lengthOf[last]!
  }

  return {
    get size() {
      return size
    },
    add(text) {
      if (size === startOf.length) [segmentOf, startOf, lengthOf] = [grown(segmentOf), grown(startOf), grown(lengthOf)]
      const length = Buffer.byteLength(text)
      reserve(length).write(text, used, length, 'utf8')
      segmentOf[size] = segments.length - 1
      startOf[size] = used
      lengthOf[size] = length
      used += length
      size += 1
    },
    get(index) {
      if (index < 0 || index >= size || released) throw new RangeError(`There is no text ${index}.`)
      const start = startOf[index]!
      return segments[segmentOf[index]!]!.bytes.toString('utf8', start, start + lengthOf[index]!)
    },
    *pieces() {
      for (const [at, { memory }] of segments.entries()) {
        const end = at === segments.length - 1 ? used : endOf(at)
        for (let start = 0; start < end; start += STEP_BYTES)
          yield new Uint8Array(memory, start, Math.min(STEP_BYTES, end - start))
      }
    },
    release() {
      released = true
      // Waiting for a collection would let two runs add up.
      for (const { memory } of segments.splice(0)) memory.resize(0)
    },
  }
}

function grown<List extends Uint16Array<ArrayBuffer> | Uint32Array<ArrayBuffer>>(list: List): List {
  const larger = new (list.constructor as new (length: number) => List)(list.length * 2)
  larger.set(list)
  return larger
}
