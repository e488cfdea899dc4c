// Decodes a file of any encoding: UTF-8 and UTF-16 with or without a byte order mark, else Windows-1252. A file is read twice, in
// chunks: first to detect the encoding, then for its text.

type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252'

/** Yields the bytes of a file from its beginning. */
export type Bytes = () => AsyncIterable<Uint8Array> | Iterable<Uint8Array>

const SAMPLE = 4_096

/** The text without a byte order mark, in pieces. */
export async function* decoded(bytes: Bytes): AsyncGenerator<string> {
  const decoder = new TextDecoder(await encodingOf(bytes))
  for await (const chunk of bytes()) yield decoder.decode(chunk, { stream: true })
  yield decoder.decode()
}

export async function textOf(bytes: Bytes): Promise<string> {
  return (await Array.fromAsync(decoded(bytes))).join('')
}

async function encodingOf(bytes: Bytes): Promise<Encoding> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let isFirst = true
  for await (const chunk of bytes()) {
    if (isFirst) {
      const [a, b] = chunk
      if (a === 0xff && b === 0xfe) return 'utf-16le'
      if (a === 0xfe && b === 0xff) return 'utf-16be'
      const wide = wideEncoding(chunk)
      if (wide !== undefined) return wide
    }
    isFirst = false
    try {
      decoder.decode(chunk, { stream: true })
    } catch {
      return 'windows-1252'
    }
  }
  // The chunk may end within a character.
  return 'utf-8'
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
