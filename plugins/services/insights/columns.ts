// Long lists of numbers without an object for any of them. They grow block by block, so that nothing large is ever copied.
type Numbers = Float64Array | Int32Array | Uint8Array

export interface Column {
  readonly size: number
  push(value: number): void
  at(index: number): number
  set(index: number, value: number): void
}

const BITS = 12
const MASK = (1 << BITS) - 1

export function createColumn(Block: new (length: number) => Numbers): Column {
  const blocks: Numbers[] = []
  let size = 0
  return {
    get size() { return size },
    push(value) {
      if ((size & MASK) === 0) blocks.push(new Block(1 << BITS))
      blocks[size >> BITS]![size & MASK] = value
      size += 1
    },
    at: (index) => blocks[index >> BITS]![index & MASK]!,
    set(index, value) {
      blocks[index >> BITS]![index & MASK] = value
    },
  }
}
