// What a complete read leaves for the next one: when the service says that it last changed, and of the history its
// newest plays.
import { createCheckpoints, type Static, Type } from '@playhead/sdk'

const Fields = Type.Object({
  stamps: Type.Record(Type.String(), Type.String()),
  /** History: how many plays there were, and the ids of the newest. */
  plays: Type.Optional(Type.Object({ total: Type.Number(), newest: Type.Array(Type.String()) })),
})
export type Checkpoint = Static<typeof Fields>

export const checkpoints = createCheckpoints(Fields)
