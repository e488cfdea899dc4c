// What a complete read leaves for the next one: where the log of changes stood.
import { createCheckpoints, Type } from '@playhead/sdk'

export const checkpoints = createCheckpoints(
  Type.Object({ cursor: Type.Integer({ minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER }) }),
)
