// Texts as small numbers, given in the order in which they come. A text is known by two fingerprints, 85 bits together, and not kept:
// that two of a million texts have the same ones is as likely as a machine that miscounts. So what is decided by these numbers is decided
// as by the texts themselves, in a fifth of the memory and without an object that the garbage collector had to look at.
import { fingerprint } from './fingerprint.ts'

export interface TextNumbers {
  /** Equal texts have equal numbers, others have others. */
  numberOf(text: string): number
  /** How many texts there are; numbers are below. */
  readonly count: number
  /** After its last use: from then on every text is new. */
  release(): void
}

const SHARDS = 32
const FIRST_SIZE = 64

/** @param printOf for tests, that make prints meet */
export function createTextNumbers(printOf: (text: string) => number = fingerprint): TextNumbers {
  // A single table of so many entries would hold everybody up each time it grows.
  let shards = Array.from({ length: SHARDS }, createShard)
  let count = 0
  return {
    get count() { return count },
    numberOf(text) {
      const print = printOf(text)
      const found = shards[Math.floor(print / 2 ** 48) % SHARDS]!.numberOf(print, secondPrint(text), count)
      if (found === count) count += 1
      return found
    },
    release() {
      shards = Array.from({ length: SHARDS }, createShard)
    },
  }
}

/** Open addressing: an entry stands at the first free place from its own on. */
function createShard() {
  let prints = new Float64Array(FIRST_SIZE)
  let seconds = new Int32Array(FIRST_SIZE)
  // One more than the number; zero is a free place.
  let numbers = new Int32Array(FIRST_SIZE)
  let size = 0

  function placeOf(print: number, second: number): number {
    const mask = prints.length - 1
    let at = print & mask
    while (numbers[at] !== 0 && (prints[at] !== print || seconds[at] !== second)) at = (at + 1) & mask
    return at
  }

  function put(print: number, second: number, number: number): void {
    const at = placeOf(print, second)
    prints[at] = print
    seconds[at] = second
    numbers[at] = number
  }

  function grow(): void {
    const [oldPrints, oldSeconds, oldNumbers] = [prints, seconds, numbers]
    prints = new Float64Array(oldPrints.length * 2)
    seconds = new Int32Array(oldPrints.length * 2)
    numbers = new Int32Array(oldPrints.length * 2)
    for (const [at, number] of oldNumbers.entries()) if (number !== 0) put(oldPrints[at]!, oldSeconds[at]!, number)
  }

  return {
    /** @param next the number of a text that is new */
    numberOf(print: number, second: number, next: number): number {
      const known = numbers[placeOf(print, second)]!
      if (known !== 0) return known - 1
      if (size * 4 >= prints.length * 3) grow()
      put(print, second, next + 1)
      size += 1
      return next
    },
  }
}

/** 32 bits that have nothing to do with those of `fingerprint`: each character moves the whole sum. */
function secondPrint(text: string): number {
  let sum = text.length ^ 0x2c1b3c6d
  for (let index = text.length - 1; index >= 0; index -= 1) {
    sum = (Math.imul((sum << 13) | (sum >>> 19), 5) + 0x56_4b64) ^ Math.imul(text.charCodeAt(index) + 0x7ed5, 0x1b873593)
  }
  sum = Math.imul(sum ^ (sum >>> 16), 0x297a2d39)
  return sum ^ (sum >>> 15)
}
