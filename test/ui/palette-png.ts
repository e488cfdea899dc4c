// A screenshot with a palette: a page has few colors, and a third of the bytes shows them as well.
import { crc32, deflateSync } from 'node:zlib'
import type { Browser } from 'playwright-core'

const COLORS = 256
/** The upper three bits of each channel. */
const HUE = 0xe0e0e0
const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

interface Pixels {
  readonly width: number
  readonly height: number
  /** RGBA, a row after the other. */
  readonly bytes: Uint8Array
}

/** @param png as the browser takes it */
export async function withPalette(png: Buffer, browser: Browser): Promise<Buffer> {
  const { width, height, bytes } = await pixelsOf(png, browser)
  const colors = Array.from(
    { length: width * height },
    (_, at) => ((bytes[at * 4] as number) << 16) | ((bytes[at * 4 + 1] as number) << 8) | (bytes[at * 4 + 2] as number),
  )
  const counts = new Map<number, number>()
  for (const color of colors) counts.set(color, (counts.get(color) ?? 0) + 1)
  const frequent = [...counts].sort((a, b) => b[1] - a[1]).map(([color]) => color)
  // A small red mark has few pixels, so each hue has a place before the shades of frequent ones.
  const hues = [...new Map(frequent.toReversed().map((color) => [color & HUE, color])).values()].toReversed()
  const palette = [...new Set([...hues, ...frequent])].slice(0, COLORS)
  const places = new Map(palette.map((color, place) => [color, place]))
  const rows = Buffer.alloc(height * (width + 1))
  for (const [at, color] of colors.entries())
    rows[Math.floor(at / width) * (width + 1) + 1 + (at % width)] = places.getOrInsertComputed(color, () =>
      nearest(palette, color),
    )
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  // Eight bits for each pixel, which are a place in the palette.
  header.set([8, 3, 0, 0, 0], 8)
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('PLTE', Buffer.from(palette.flatMap(channels))),
    chunk('IDAT', deflateSync(rows, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

async function pixelsOf(png: Buffer, browser: Browser): Promise<Pixels> {
  const page = await browser.newPage()
  try {
    const decode = `(async () => {
      const image = await createImageBitmap(await (await fetch('data:image/png;base64,${png.toString('base64')}')).blob())
      const context = new OffscreenCanvas(image.width, image.height).getContext('2d')
      context.drawImage(image, 0, 0)
      const { data } = context.getImageData(0, 0, image.width, image.height)
      return { width: image.width, height: image.height, text: new Uint8Array(data.buffer).toBase64() }
    })()`
    const { width, height, text } = await page.evaluate<Omit<Pixels, 'bytes'> & { readonly text: string }>(decode)
    return { width, height, bytes: Buffer.from(text, 'base64') }
  } finally {
    await page.close()
  }
}

function nearest(palette: readonly number[], color: number): number {
  const own = channels(color)
  const distances = palette.map((one) =>
    channels(one).reduce((sum, value, at) => sum + (value - (own[at] as number)) ** 2, 0),
  )
  return distances.indexOf(Math.min(...distances))
}

const channels = (color: number): readonly number[] => [color >> 16, (color >> 8) & 255, color & 255]

function chunk(type: string, content: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), content])
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(content.length)
  check.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, check])
}
