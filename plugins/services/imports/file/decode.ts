// The text of a file in whatever encoding it is: UTF-8 and UTF-16 with or without a byte order mark, else Windows-1252.

const SAMPLE = 4_096

export function decode(bytes: Uint8Array): string {
  const [a, b, c] = bytes
  if (a === 0xef && b === 0xbb && c === 0xbf) return new TextDecoder('utf-8').decode(bytes)
  if (a === 0xff && b === 0xfe) return new TextDecoder('utf-16le').decode(bytes)
  if (a === 0xfe && b === 0xff) return new TextDecoder('utf-16be').decode(bytes)
  const wide = wideEncoding(bytes)
  if (wide !== undefined) return new TextDecoder(wide).decode(bytes)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return new TextDecoder(isCutUtf8(bytes) ? 'utf-8' : 'windows-1252').decode(bytes)
  }
}

/** Latin text in UTF-16 has a zero in every second byte. */
function wideEncoding(bytes: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  const length = Math.min(bytes.length, SAMPLE) & ~1
  if (length < 8) return undefined
  let [even, odd] = [0, 0]
  for (let index = 0; index < length; index += 2) {
    if (bytes[index] === 0) even += 1
    if (bytes[index + 1] === 0) odd += 1
  }
  if (odd > length * 0.2 && even === 0) return 'utf-16le'
  return even > length * 0.2 && odd === 0 ? 'utf-16be' : undefined
}

/** UTF-8 that ends within a character. */
function isCutUtf8(bytes: Uint8Array): boolean {
  for (let cut = 1; cut <= 3 && cut < bytes.length; cut += 1) {
    try {
      new TextDecoder('utf-8', { fatal: true }).decode(bytes.subarray(0, bytes.length - cut))
      return true
    } catch {
      // Another byte less.
    }
  }
  return false
}
