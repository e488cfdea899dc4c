// Draws posters and backdrops for the stand-ins as PNG: hills, towers, rings or rays in front of a sky. A name always gives the
// same picture.
import { crc32, deflateSync } from 'node:zlib'

type Color = readonly number[]
/** The colour of a point, or undefined for the sky. Coordinates are 0 to 1 from the top left. */
type Shape = (x: number, y: number) => Color | undefined

type Motif = (next: () => number, hue: number, aspect: number) => readonly Shape[]

const MAX_KEPT = 400
const kept = new Map<string, Buffer>()

export function paint(name: string | number, width = 160, height = 240): Buffer {
  const key = `${name} ${width} ${height}`
  const known = kept.get(key)
  if (known !== undefined) return known
  if (kept.size > MAX_KEPT) kept.clear()
  const made = png(width, height, picture(seedOf(String(name)), width / height))
  kept.set(key, made)
  return made
}

function picture(seed: number, aspect: number): (x: number, y: number) => Color {
  const next = numbers(seed)
  const hue = next()
  const top = color(hue, 0.55, 0.14 + next() * 0.14)
  const bottom = color(hue + 0.06 + next() * 0.14, 0.62, 0.42 + next() * 0.22)
  const motif = [hills, towers, rings, rays][Math.floor(next() * 4)] as Motif
  const shapes = [...motif(next, hue, aspect), ...(motif === rings ? [] : [sun(next, hue, aspect)])]
  return (x, y) => {
    for (const shape of shapes) {
      const found = shape(x, y)
      if (found !== undefined) return found
    }
    return mix(top, bottom, y)
  }
}

/** Nearest first. */
function hills(next: () => number, hue: number): readonly Shape[] {
  return [2, 1, 0].map((row) => {
    const [base, rise, length, shift] = [0.58 + row * 0.13, 0.04 + next() * 0.1, 2 + next() * 5, next() * 9]
    const own = color(hue + 0.02 * row, 0.5, 0.26 - row * 0.08)
    return (x, y) => (y > base + rise * Math.sin(x * length + shift) ? own : undefined)
  })
}

function towers(next: () => number, hue: number, aspect: number): readonly Shape[] {
  const columns = Math.max(6, Math.round(9 * aspect))
  return [1, 0].map((row) => {
    const heights = Array.from({ length: columns }, () => 0.4 + row * 0.16 + next() * 0.3)
    const [own, lit] = [color(hue + 0.03 * row, 0.45, 0.2 - row * 0.09), color(hue + 0.45, 0.8, 0.7)]
    return (x, y) => {
      const place = x * columns + row * 0.5
      const column = Math.floor(place) % columns
      if (y < (heights[column] as number)) return undefined
      const [inX, inY] = [Math.floor((place % 1) * 7), Math.floor(y * 42)]
      const isWindow = row === 1 && inX % 2 === 1 && inY % 2 === 0 && (inX * 7 + inY * 13 + column * 5) % 4 === 0
      return isWindow ? lit : own
    }
  })
}

function rings(next: () => number, hue: number, aspect: number): readonly Shape[] {
  const [centreX, centreY, step] = [0.3 + next() * 0.4, 0.35 + next() * 0.25, 0.06 + next() * 0.05]
  return [
    (x, y) => {
      const ring = Math.floor(Math.hypot((x - centreX) * aspect, y - centreY) / step)
      return ring > 5 ? undefined : color(hue + ring * 0.05, 0.6, 0.72 - ring * 0.1)
    },
    (_x, y) => (y > 0.8 ? color(hue, 0.4, 0.1) : undefined),
  ]
}

function rays(next: () => number, hue: number, aspect: number): readonly Shape[] {
  const [centreX, count, turn] = [0.35 + next() * 0.3, 9 + Math.floor(next() * 7), next()]
  const [light, ground] = [color(hue + 0.08, 0.6, 0.5), color(hue, 0.5, 0.1)]
  return [
    (_x, y) => (y > 0.74 ? ground : undefined),
    (x, y) => {
      const angle = Math.atan2(y - 0.74, (x - centreX) * aspect) / (2 * Math.PI) + turn
      return Math.floor(angle * count * 2) % 2 === 0 ? light : undefined
    },
  ]
}

function sun(next: () => number, hue: number, aspect: number): Shape {
  const [x0, y0, size] = [0.2 + next() * 0.6, 0.15 + next() * 0.25, 0.06 + next() * 0.1]
  const own = color(hue + 0.5, 0.7, 0.78)
  return (x, y) => (Math.hypot((x - x0) * aspect, y - y0) < size ? own : undefined)
}

function png(width: number, height: number, at: (x: number, y: number) => Color): Buffer {
  const rows = Array.from({ length: height }, (_, y) => {
    const row = Buffer.alloc(1 + width * 3)
    for (let x = 0; x < width; x += 1) {
      const point = at(x / width, y / height)
      for (let part = 0; part < 3; part += 1) row[1 + x * 3 + part] = Math.round((point[part] as number) * 255)
    }
    return row
  })
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width, 0)
  head.writeUInt32BE(height, 4)
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

function seedOf(name: string): number {
  return [...name].reduce((sum, letter) => (Math.imul(sum, 31) + (letter.codePointAt(0) ?? 0)) >>> 0, 7)
}

function numbers(seed: number): () => number {
  let state = Math.imul(seed, 2_654_435_761) >>> 0
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 2_246_822_519) + 3_266_489_917) >>> 0
    return state / 2 ** 32
  }
}

function mix(from: Color, to: Color, share: number): Color {
  return from.map((value, part) => value + ((to[part] as number) - value) * share)
}

function color(hue: number, saturation: number, lightness: number): Color {
  const strength = saturation * Math.min(lightness, 1 - lightness)
  return [0, 8, 4].map((place) => {
    const turn = (place + (((hue % 1) + 1) % 1) * 12) % 12
    return lightness - strength * Math.max(-1, Math.min(turn - 3, 9 - turn, 1))
  })
}
