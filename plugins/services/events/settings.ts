import { type Static, Type } from '@playhead/sdk'

const days = (value: number, title: string, description: string) =>
  Type.Integer({ default: value, minimum: 1, maximum: 36_500, title, description })

export const EventsConfig = Type.Object({
  retention: Type.Object({
    days: days(400, 'Keep events (days)', 'Older events are deleted.'),
    audit_days: days(730, 'Keep the audit log (days)', 'Who signed in, and who changed what.'),
    brief_days: {
      ...days(30, 'Keep health checks and attempts (days)', 'Also plans. There are many of these events.'),
      advanced: true,
    },
    acknowledged_days: {
      ...days(90, 'Keep seen and resolved events (days)', 'Problems that you marked as seen, or that are resolved.'),
      advanced: true,
    },
    max_events: Type.Integer({
      default: 2_000_000,
      minimum: 1_000,
      maximum: 100_000_000,
      advanced: true,
      title: 'Maximum number of events',
      description: 'The oldest events are deleted first.',
    }),
    max_megabytes: Type.Integer({
      default: 2_048,
      minimum: 16,
      maximum: 1_000_000,
      advanced: true,
      title: 'Maximum archive size (MB)',
      description: 'The oldest events are deleted first.',
    }),
  }),
})
export type EventsConfig = Static<typeof EventsConfig>
