// What a complete read leaves for the next one: when the service says that it last changed.
import { createCheckpoints, Type } from '@playhead/sdk'

export const checkpoints = createCheckpoints(Type.Object({ stamps: Type.Record(Type.String(), Type.String()) }))
