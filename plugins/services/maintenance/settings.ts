import { type Static, Type } from '@playhead/sdk'

export const Settings = Type.Object({
  integrity_check_days: Type.Integer({
    title: 'Check all databases every (days)',
    default: 7,
    minimum: 0,
    maximum: 365,
    description: 'Completely, in the background; 0 checks only at the start and on demand.',
  }),
})
export type Settings = Static<typeof Settings>
