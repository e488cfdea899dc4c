// Many short lists of numbers, one behind the other.
import { createColumn } from '@playhead/sdk'

export interface NumberLists {
  /** Under the next place, from 0 on. */
  add(numbers: readonly number[]): void
  get(index: number): number[]
  release(): void
}

export function createNumberLists(): NumberLists {
  const all = createColumn(Int32Array)
  const ends = createColumn(Int32Array)

  return {
    add(numbers) {
      for (const each of numbers) all.push(each)
      ends.push(all.size)
    },
    get(index) {
      const start = index === 0 ? 0 : ends.at(index - 1)
      const found: number[] = []
      for (let at = start; at < ends.at(index); at += 1) found.push(all.at(at))
      return found
    },
    release() {
      all.release()
      ends.release()
    },
  }
}
