// Hashes of texts, for equality checks without storing the text.

/**
 * A 53-bit hash. Among 300,000 texts the probability of any collision is about 5 in a million; where a collision would
 * do harm, compare the texts.
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
