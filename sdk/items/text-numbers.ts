// Numbers for texts that are only compared for equality. Two hashes of 53 and 32 bits distinguish the texts, to save
// the memory of hundreds of thousands of tokens.
import { fingerprint } from './fingerprint.ts'

export interface TextNumbers {
  /** Equal texts have equal numbers, different ones have different numbers. */
  numberOf(text: string): number
  /** The number of a text; undefined if it has none yet. */
  find(text: string): number | undefined
  /** Number of texts; all numbers are below it. */
  readonly count: number
  /** Frees the memory: afterwards every text is new. */
  release(): void
}

const FIRST_SIZE = 64

/** @param printOf replaced by tests to force collisions */
export function createTextNumbers(printOf: (text: string) => number = fingerprint): TextNumbers {
  // First hash of each text, by number.
  let prints: number[] = []
  let seconds: number[] = []
  let table = createTable((number) => prints[number]!)
  let count = 0
  const find = (print: number, second: number) =>
    table.find(print, (number) => prints[number] === print && seconds[number] === second)

  return {
    get count() {
      return count
    },
    find: (text) => find(printOf(text), secondPrint(text)),
    numberOf(text) {
      const print = printOf(text)
      const second = secondPrint(text)
      const known = find(print, second)
      if (known !== undefined) return known
      prints[count] = print
      seconds[count] = second
      table.add(print, count)
      count += 1
      return count - 1
    },
    release() {
      prints = []
      seconds = []
      table = createTable((number) => prints[number]!)
    },
  }
}

/** A hash table with open addressing. */
function createTable(printOf: (number: number) => number) {
  // Number plus one; zero is a free slot.
  let places = new Int32Array(FIRST_SIZE)
  let size = 0

  function put(print: number, number: number): void {
    const mask = places.length - 1
    let at = print & mask
    while (places[at] !== 0) at = (at + 1) & mask
    places[at] = number + 1
  }

  return {
    find(print: number, isIt: (number: number) => boolean): number | undefined {
      const mask = places.length - 1
      for (let at = print & mask; places[at] !== 0; at = (at + 1) & mask)
        if (isIt(places[at]! - 1)) return places[at]! - 1
      return undefined
    },
    add(print: number, number: number): void {
      if (size * 4 >= places.length * 3) {
        const old = places
        places = new Int32Array(old.length * 2)
        for (const place of old) if (place !== 0) put(printOf(place - 1), place - 1)
      }
      put(print, number)
      size += 1
    },
  }
}

/** 32 bits that are independent of `fingerprint`. */
function secondPrint(text: string): number {
  let sum = text.length ^ 0x2c1b3c6d
  for (let index = text.length - 1; index >= 0; index -= 1) {
    sum =
      (Math.imul((sum << 13) | (sum >>> 19), 5) + 0x56_4b64) ^ Math.imul(text.charCodeAt(index) + 0x7ed5, 0x1b873593)
  }
  sum = Math.imul(sum ^ (sum >>> 16), 0x297a2d39)
  return sum ^ (sum >>> 15)
}
