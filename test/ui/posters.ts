// A local metadata service with a generated poster for every film and show.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { crc32, deflateSync } from 'node:zlib'

const WIDTH = 160
const HEIGHT = 240

export async function startPosters() {
  const server = createServer((request, reply) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost')
    const id = Number(/(\d+)(?:\.png)?$/.exec(pathname)?.[1] ?? 0)
    if (pathname.endsWith('.png')) return void reply.setHeader('content-type', 'image/png').end(paint(id))
    reply
      .setHeader('content-type', 'application/json')
      .end(
        JSON.stringify(
          id === 0 ? { success: true, images: {} } : { id, title: '', name: '', poster_path: `/${id}.png` },
        ),
      )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    settings: { api_url: `${url}/3`, image_url: `${url}/t/p`, api_key: 'a-key-for-painted-posters' },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Hills before a sky with a sun or moon: different for each id, the same each time. */
function paint(id: number): Buffer {
  const next = numbers(id)
  const hue = next()
  const sky = [
    color(hue, 0.55, 0.2 + next() * 0.15),
    color(hue + 0.08 + next() * 0.12, 0.6, 0.5 + next() * 0.2),
  ] as const
  const sun = {
    x: WIDTH * (0.2 + next() * 0.6),
    y: HEIGHT * (0.2 + next() * 0.35),
    size: 14 + next() * 26,
    color: color(hue + 0.5, 0.7, 0.75),
  }
  const hills = [0, 1, 2].map((row) => ({
    base: HEIGHT * (0.55 + row * 0.14),
    height: 12 + next() * 26,
    length: 30 + next() * 60,
    shift: next() * 9,
    color: color(hue + 0.02 * row, 0.5, 0.24 - row * 0.07),
  }))
  const rows = Array.from({ length: HEIGHT }, (_, y) => {
    const row = Buffer.alloc(1 + WIDTH * 3)
    for (let x = 0; x < WIDTH; x += 1) {
      const hill = hills.findLast(({ base, height, length, shift }) => y > base + height * Math.sin(x / length + shift))
      const isSun = (x - sun.x) ** 2 + (y - sun.y) ** 2 < sun.size ** 2
      const shade =
        hill?.color ??
        (isSun ? sun.color : sky[0].map((from, part) => from + ((sky[1][part] as number) - from) * (y / HEIGHT)))
      for (const [part, value] of shade.entries()) row[1 + x * 3 + part] = Math.round(value * 255)
    }
    return row
  })
  const head = Buffer.alloc(13)
  head.writeUInt32BE(WIDTH, 0)
  head.writeUInt32BE(HEIGHT, 4)
  head.set([8, 2, 0, 0, 0], 8)
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', head),
    chunk('IDAT', deflateSync(Buffer.concat(rows))),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function chunk(name: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(name, 'latin1'), data])
  const frame = Buffer.alloc(body.length + 8)
  frame.writeUInt32BE(data.length, 0)
  frame.set(body, 4)
  frame.writeUInt32BE(crc32(body), body.length + 4)
  return frame
}

function numbers(seed: number): () => number {
  let state = (seed * 2_654_435_761) >>> 0
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 2_246_822_519) + 3_266_489_917) >>> 0
    return state / 2 ** 32
  }
}

function color(hue: number, saturation: number, lightness: number): readonly number[] {
  const strength = saturation * Math.min(lightness, 1 - lightness)
  return [0, 8, 4].map((place) => {
    const turn = (place + hue * 12) % 12
    return lightness - strength * Math.max(-1, Math.min(turn - 3, 9 - turn, 1))
  })
}
