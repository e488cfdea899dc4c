// Many numbers, one behind the other, without an object for any of them. They lie in blocks: growing copies nothing,
// and there is never a large piece of memory that is given back only to be asked for again in twice the size.
type Numbers = Float64Array | Int32Array | Uint8Array

export interface Column {
  readonly size: number
  /** Under the next place, from 0 on. */
  push(value: number): void
  /** What the column is filled with, where nothing was set. */
  at(index: number): number
  /** Also behind the last place. */
  set(index: number, value: number): void
  /** After its last use. */
  release(): void
}

/** Most lists are short; the first block grows to the size of the others. */
const FIRST = 32
const BITS = 12
const MASK = (1 << BITS) - 1

/** @param filled what a place holds that was not set */
export function createColumn(Block: new (length: number) => Numbers, filled = 0): Column {
  const blocks: Numbers[] = []
  let size = 0
  let room = 0

  function blockOf(length: number): Numbers {
    return filled === 0 ? new Block(length) : new Block(length).fill(filled)
  }

  function growTo(index: number): void {
    if (room <= MASK) {
      while (room <= index && room <= MASK) room = Math.max(FIRST, room * 2)
      const first = blockOf(room)
      first.set(blocks[0] ?? [])
      blocks[0] = first
    }
    for (; room <= index; room += 1 << BITS) blocks.push(blockOf(1 << BITS))
  }

  function set(index: number, value: number): void {
    if (index >= room) growTo(index)
    blocks[index >> BITS]![index & MASK] = value
    if (index >= size) size = index + 1
  }

  return {
    get size() {
      return size
    },
    push: (value) => set(size, value),
    at: (index) => blocks[index >> BITS]?.[index & MASK] ?? filled,
    set,
    release() {
      blocks.length = 0
      size = 0
      room = 0
    },
  }
}
