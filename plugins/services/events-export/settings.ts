import { Type, type Static } from '@playhead/sdk'

export const EventsExportConfig = Type.Object({
  enabled: Type.Boolean({
    default: false,
    title: 'Write events to files',
    description: 'In the folder exports, one file for each hour.',
  }),
  keep_days: Type.Integer({
    default: 30,
    minimum: 1,
    maximum: 3_650,
    title: 'Keep files (days)',
    description: 'Files of older hours are deleted, and older events are not written.',
  }),
  keep_files: Type.Integer({
    default: 1_000,
    minimum: 1,
    maximum: 4_000,
    advanced: true,
    title: 'Most files',
    description: 'The oldest files beyond this number are deleted.',
  }),
  keep_megabytes: Type.Integer({
    default: 500,
    minimum: 1,
    maximum: 1_000_000,
    advanced: true,
    title: 'Size of all files (MB)',
    description: 'The oldest files are deleted while all together are larger.',
  }),
})
export type EventsExportConfig = Static<typeof EventsExportConfig>
