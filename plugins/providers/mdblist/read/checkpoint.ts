// What a complete read leaves for the next one: when the service says that it last changed.
import { createCheckpoints, parseTime, type Stamps, stampsFor, Type } from '@playhead/sdk'

/** The service tells changes by the second: what happens in the same one cannot be told apart. */
const TOO_FRESH_MS = 2_000
/** Knows of removals, where the service tells it. */
const JOURNAL = ['journal_at']

export const checkpoints = createCheckpoints(Type.Object({ stamps: Type.Record(Type.String(), Type.String()) }))

/** The stamps of a feature; undefined when nothing can be told by them. */
export function stampsOf(stamps: Stamps, names: readonly string[]): Stamps | undefined {
  return stampsFor(stamps, names, JOURNAL)
}

/** Whether something changed so lately that the next change could have the same time. */
export function isFresh(stamps: Stamps, nowMs: number): boolean {
  return Object.values(stamps).some((text) => Math.abs(nowMs - (parseTime(text)?.atMs ?? nowMs)) < TOO_FRESH_MS)
}
