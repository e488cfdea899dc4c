import { type Static, Type } from '@playhead/sdk'

export const Settings = Type.Object({
  integrity_check_days: Type.Integer({
    title: 'Days between database checks',
    default: 7,
    minimum: 0,
    maximum: 365,
    description:
      'All databases are checked completely, in the background. 0 checks them only at startup and on request.',
  }),
})
export type Settings = Static<typeof Settings>
