// Which videos of a show were watched: `<video>:<length>:<bits>`, where the bits are zlib data in base64, lowest bit first,
// and the video is that of bit `length - 1`. Lists of videos grow at both ends (specials come first), so the place of that
// video in the list of today says by how much the bits are shifted. As in Stremio's apps:
// https://github.com/Stremio/stremio-core/tree/development/stremio-watched-bitfield

/** Far beyond the longest show. */
const MAX_BYTES = 64 * 1_024

export interface Watched {
  /** Id of a video, and the number of its bit. */
  readonly anchor: string
  readonly at: number
  readonly bytes: Uint8Array
}

/** Undefined for a text of another form. */
export async function decodeWatched(text: unknown): Promise<Watched | undefined> {
  const [, anchor, length, packed] = (typeof text === 'string' && /^(.+):(\d{1,6}):([\w+/]+={0,2})$/.exec(text)) || []
  if (anchor === undefined || length === undefined || packed === undefined) return undefined
  const bytes = await unpacked(packed)
  return bytes === undefined ? undefined : { anchor, at: Number(length) - 1, bytes }
}

export function hasAny({ bytes }: Watched): boolean {
  return bytes.some((byte) => byte !== 0)
}

/**
 * The bits in the order of these videos. Undefined: the anchor is not among them, so that nothing says which bit is
 * whose.
 */
export function bitsOf(watched: Watched, videos: readonly { readonly id: string }[]): boolean[] | undefined {
  const place = videos.findIndex(({ id }) => id === watched.anchor)
  if (place === -1) return undefined
  return videos.map((_, index) => bitAt(watched.bytes, index + watched.at - place))
}

/** The text of bits in the order of these videos; the last watched one is the anchor. */
export async function encodeWatched(
  bits: readonly boolean[],
  videos: readonly { readonly id: string }[],
): Promise<string> {
  const bytes = new Uint8Array(Math.ceil(videos.length / 8))
  for (const [index, bit] of bits.entries()) if (bit) bytes[index >> 3]! |= 1 << (index & 7)
  const last = Math.max(0, bits.lastIndexOf(true))
  return `${videos[last]?.id ?? 'undefined'}:${last + 1}:${await packedText(bytes)}`
}

const bitAt = (bytes: Uint8Array, index: number) => index >= 0 && ((bytes[index >> 3] ?? 0) & (1 << (index & 7))) !== 0

async function unpacked(text: string): Promise<Uint8Array | undefined> {
  try {
    const packed = Uint8Array.from(atob(text), (char) => char.charCodeAt(0))
    return await collect(new Blob([packed]).stream().pipeThrough(new DecompressionStream('deflate')))
  } catch {
    // Not base64, or not zlib data: the caller reports the row.
    return undefined
  }
}

async function packedText(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const packed = await collect(new Blob([bytes]).stream().pipeThrough(new CompressionStream('deflate')))
  return btoa(String.fromCharCode(...packed))
}

async function collect(stream: ReadableStream<Uint8Array>): Promise<Uint8Array> {
  const parts: Uint8Array[] = []
  let length = 0
  for await (const part of stream) {
    length += part.length
    if (length > MAX_BYTES) throw new RangeError('too many bits')
    parts.push(part)
  }
  const all = new Uint8Array(length)
  let from = 0
  for (const part of parts) {
    all.set(part, from)
    from += part.length
  }
  return all
}
