// Images of items. Anyone who knows the id of an item gets them: the products ask for no token.
import type { UpstreamReply } from '../base/index.ts'
import { paint } from '../base/paint.ts'
import { type Call, normalizeId, Refusal } from './call.ts'

const SHAPES: Readonly<Record<string, readonly [width: number, height: number]>> = {
  primary: [2, 3],
  backdrop: [16, 9],
}
const MAX_WIDTH = 2_000

export function readImage(call: Call): UpstreamReply {
  const shape = SHAPES[call.param('imageType').toLowerCase()]
  const item = call.world.items.get(normalizeId(call, call.param('itemId')))
  // Seasons, episodes and lists have no images here.
  if (item === undefined || shape === undefined || (item.type !== 'Movie' && item.type !== 'Series'))
    throw new Refusal(404, 'Not found')
  const width = Math.min(Number(call.query('maxWidth') ?? 400) || 400, MAX_WIDTH)
  const bytes = paint(`${item.type} ${item.name}`, width, Math.round((width * shape[1]) / shape[0]))
  return { status: 200, headers: { 'content-type': 'image/png', 'cache-control': 'public' }, bytes }
}
