import { type Static, Type } from '@playhead/sdk'

export const ExportSettings = Type.Object({
  time_zone: Type.String({
    default: '',
    maxLength: 64,
    title: 'Time zone',
    description: 'Days in files are those of this zone, for example Europe/Berlin. Empty: the zone of the browser.',
  }),
})
export type ExportSettings = Static<typeof ExportSettings>
