import { Type, type Static } from '@playhead/sdk'

export const EventsExportConfig = Type.Object({
  enabled: Type.Boolean({
    default: false,
    title: 'Write events to files',
    description: 'Writes one file for each hour to the exports folder.',
  }),
  keep_days: Type.Integer({
    default: 30,
    minimum: 1,
    maximum: 3_650,
    title: 'Keep files (days)',
    description: 'Older files are deleted, and older events are not written.',
  }),
  keep_files: Type.Integer({
    default: 1_000,
    minimum: 1,
    maximum: 4_000,
    advanced: true,
    title: 'Maximum number of files',
    description: 'The oldest files are deleted first.',
  }),
  keep_megabytes: Type.Integer({
    default: 500,
    minimum: 1,
    maximum: 1_000_000,
    advanced: true,
    title: 'Maximum size of all files (MB)',
    description: 'The oldest files are deleted first.',
  }),
})
export type EventsExportConfig = Static<typeof EventsExportConfig>
