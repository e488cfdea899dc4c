// Settings of the archive.
import { type Static, Type } from '@playhead/sdk'

const days = (value: number, description: string) =>
  Type.Integer({ default: value, minimum: 1, maximum: 36_500, description })

export const EventsConfig = Type.Object({
  retention: Type.Object({
    days: days(400, 'Days that events are kept.'),
    audit_days: days(730, 'Days that is kept who did what.'),
    brief_days: days(30, 'Days that health checks, plans and single attempts are kept.'),
    acknowledged_days: days(90, 'Days that acknowledged groups are kept that were resolved since.'),
    max_events: Type.Integer({
      default: 2_000_000,
      minimum: 1_000,
      maximum: 100_000_000,
      description: 'The oldest are deleted first.',
    }),
    max_megabytes: Type.Integer({
      default: 2_048,
      minimum: 16,
      maximum: 1_000_000,
      description: 'Size of the file; the oldest events are deleted first.',
    }),
  }),
})
export type EventsConfig = Static<typeof EventsConfig>
