// A delivered play as the sync has to know it.
import type { RecordedPlay } from '@playhead/sdk'
import type { Delivery } from '../store/delivery.ts'
import { toShared } from './attempt.ts'

export function toPlay({ sink, item, watchedAtMs, startedAtMs, atMs }: Delivery): RecordedPlay {
  return { ...sink, item: toShared(item), watchedAtMs, startedAtMs, endedAtMs: atMs }
}
