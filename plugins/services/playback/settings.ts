import { type Static, Type } from '@playhead/sdk'

const MIN_TIMEOUT_S = 3
const MAX_TIMEOUT_S = 60
const DEFAULT_TIMEOUT_S = 20

export const PlaybackSettings = Type.Object({
  provider_timeout_seconds: Type.Integer({
    title: 'Longest wait for a service (seconds)',
    advanced: true,
    default: DEFAULT_TIMEOUT_S,
    minimum: MIN_TIMEOUT_S,
    maximum: MAX_TIMEOUT_S,
    description: 'A service that takes longer is reported; the others are shown.',
  }),
  disabled_profiles: Type.Array(Type.String({ maxLength: 200 }), {
    title: 'Accounts that are not shown',
    default: [],
    description: 'As PROVIDER:profile.',
  }),
})
export type PlaybackSettings = Static<typeof PlaybackSettings>

/** Whole seconds within the limits; the default for anything but a number. */
export function clampTimeout(seconds: unknown): number {
  if (typeof seconds !== 'number' || Number.isNaN(seconds)) return DEFAULT_TIMEOUT_S
  return Math.min(MAX_TIMEOUT_S, Math.max(MIN_TIMEOUT_S, Math.round(seconds)))
}
