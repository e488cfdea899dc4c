// Texts as numbers, for what is compared for equality only and is too much to be held as text.

/**
 * A number of 53 bits that tells texts apart quickly; among 300,000 texts the odds that any two have the same one are
 * some five in a million. What must not be wrong even then compares the texts.
 */
export function fingerprint(text: string): number {
  let [low, high] = [0x811c9dc5, 0x01000193]
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index)
    low = Math.imul(low ^ code, 0x9e3779b1)
    high = Math.imul(high ^ code, 0x85ebca6b)
  }
  low = Math.imul(low ^ (low >>> 16), 0xc2b2ae35) ^ Math.imul(high ^ (high >>> 13), 0x27d4eb2f)
  high = Math.imul(high ^ (high >>> 16), 0x165667b1) ^ Math.imul(low ^ (low >>> 13), 0x9e3779b1)
  return (high & 0x1f_ffff) * 0x1_0000_0000 + (low >>> 0)
}

/** From a key to a whole number below 2³¹ - 1. */
export interface NumberTable<Key> {
  get(key: Key): number | undefined
  /** For a key that is not there yet. */
  set(key: Key, value: number): void
}

const SHARDS = 32
const FIRST_SIZE = 64

/** From fingerprints to numbers, in some 25 bytes each and without an object, which a Map would have for every key. */
export function createFingerprintTable(): NumberTable<number> {
  // A single table of so many entries would hold everybody up each time it grows.
  const shards = Array.from({ length: SHARDS }, createShard)
  const shardOf = (print: number) => shards[Math.floor(print / 2 ** 48)]!
  return { get: (print) => shardOf(print).get(print), set: (print, value) => shardOf(print).set(print, value) }
}

/** Open addressing: a key stands at the first free place from its own on. */
function createShard(): NumberTable<number> {
  let keys = new Float64Array(FIRST_SIZE)
  // One more than the value; zero is a free place.
  let values = new Int32Array(FIRST_SIZE)
  let size = 0

  function placeOf(print: number): number {
    const mask = keys.length - 1
    let at = print & mask
    while (values[at] !== 0 && keys[at] !== print) at = (at + 1) & mask
    return at
  }

  function put(print: number, value: number): void {
    const at = placeOf(print)
    keys[at] = print
    values[at] = value
  }

  function grow(): void {
    const [oldKeys, oldValues] = [keys, values]
    keys = new Float64Array(oldKeys.length * 2)
    values = new Int32Array(oldKeys.length * 2)
    for (let at = 0; at < oldKeys.length; at += 1) if (oldValues[at] !== 0) put(oldKeys[at]!, oldValues[at]!)
  }

  return {
    get(print) {
      const value = values[placeOf(print)]!
      return value === 0 ? undefined : value - 1
    },
    set(print, value) {
      if (size * 4 >= keys.length * 3) grow()
      put(print, value + 1)
      size += 1
    },
  }
}
