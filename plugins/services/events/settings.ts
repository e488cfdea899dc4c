import { type Static, Type } from '@playhead/sdk'

const days = (value: number, title: string) => Type.Integer({ default: value, minimum: 1, maximum: 36_500, title })

export const EventsConfig = Type.Object({
  retention: Type.Object({
    days: days(400, 'Keep events (days)'),
    audit_days: days(730, 'Keep who did what (days)'),
    brief_days: { ...days(30, 'Keep health checks, plans and single attempts (days)'), advanced: true },
    acknowledged_days: { ...days(90, 'Keep what was seen and solved (days)'), advanced: true },
    max_events: Type.Integer({
      default: 2_000_000,
      minimum: 1_000,
      maximum: 100_000_000,
      advanced: true,
      title: 'Most events',
      description: 'The oldest are deleted first.',
    }),
    max_megabytes: Type.Integer({
      default: 2_048,
      minimum: 16,
      maximum: 1_000_000,
      advanced: true,
      title: 'Largest file (MB)',
      description: 'The oldest events are deleted first.',
    }),
  }),
})
export type EventsConfig = Static<typeof EventsConfig>
