// A seeded random source (mulberry32): the same seed gives the same world on every machine.
export interface SeededRandom {
  /** A number from 0 up to, not including, 1. */
  next(): number
  /** A whole number from `from` to `to`, both included. */
  integer(from: number, to: number): number
  pick<T>(values: readonly T[]): T
  chance(probability: number): boolean
  /** Hexadecimal digits, for ids and tokens. */
  hex(length: number): string
}

export function createSeededRandom(seed: number): SeededRandom {
  let state = seed >>> 0

  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }

  const integer = (from: number, to: number): number => from + Math.floor(next() * (to - from + 1))
  return {
    next,
    integer,
    pick<T>(values: readonly T[]): T {
      if (values.length === 0) throw new RangeError('nothing to pick from')
      return values[integer(0, values.length - 1)] as T
    },
    chance: (probability) => next() < probability,
    hex: (length) => Array.from({ length }, () => integer(0, 15).toString(16)).join(''),
  }
}
