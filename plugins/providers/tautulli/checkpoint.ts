// What a complete read leaves for the next one: how far back it has to look.
import { createCheckpoints, type Static, Type } from '@playhead/sdk'

const Fields = Type.Object({
  /** Start of the newest row, in epoch seconds. */
  newest: Type.Number(),
})
export type Checkpoint = Static<typeof Fields>

export const checkpoints = createCheckpoints(Fields)
