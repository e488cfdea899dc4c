// Many short lists of numbers, one behind the other.
export interface NumberLists {
  /** Under the next place, from 0 on. */
  add(numbers: readonly number[]): void
  get(index: number): Int32Array
  release(): void
}

export function createNumberLists(): NumberLists {
  let all = new Int32Array(1024)
  let ends = new Int32Array(1024)
  let size = 0
  let used = 0

  return {
    add(numbers) {
      if (size === ends.length) ends = grown(ends)
      while (used + numbers.length > all.length) all = grown(all)
      all.set(numbers, used)
      used += numbers.length
      ends[size] = used
      size += 1
    },
    get: (index) => all.subarray(index === 0 ? 0 : ends[index - 1], ends[index]),
    release() {
      all = new Int32Array(0)
      ends = new Int32Array(0)
    },
  }
}

function grown(list: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(list.length * 2)
  larger.set(list)
  return larger
}
