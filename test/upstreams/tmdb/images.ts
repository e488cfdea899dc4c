// Small images, different for each path and size.
import type { State } from './state.ts'
import type { Reply } from './replies.ts'

const SIZES = new Set(['w92', 'w154', 'w185', 'w300', 'w342', 'w500', 'w780', 'w1280', 'original'])
const JPEG = [0xff, 0xd8, 0xff, 0xe0]

/** undefined if the path is not an image path. */
export function readImage(_state: State, path: string): Reply | undefined {
  const [, size, name] = /^\/t\/p\/([a-z0-9]+)\/([A-Za-z0-9-]+\.(?:jpg|png|svg))$/.exec(path) ?? []
  if (size === undefined || name === undefined) return undefined
  if (!SIZES.has(size)) return { status: 404, text: 'File not found' }
  const bytes = Buffer.concat([
    Buffer.from(JPEG),
    Buffer.from(`${size} ${name} `.repeat(40)),
    Buffer.from([0xff, 0xd9]),
  ])
  return {
    status: 200,
    bytes,
    headers: {
      'content-type': name.endsWith('.svg') ? 'image/svg+xml' : 'image/jpeg',
      'cache-control': 'public, max-age=31536000',
    },
  }
}
