import { type Static, Type } from '@playhead/sdk'

export const ExportSettings = Type.Object({
  time_zone: Type.String({
    default: '',
    maxLength: 64,
    title: 'Time zone',
    description:
      'The time zone of dates in exported files, for example Europe/Berlin. Leave empty to use the time zone of the browser.',
  }),
})
export type ExportSettings = Static<typeof ExportSettings>
