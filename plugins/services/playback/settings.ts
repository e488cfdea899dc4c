import { type Static, Type } from '@playhead/sdk'

const MIN_TIMEOUT_S = 3
const MAX_TIMEOUT_S = 60
const DEFAULT_TIMEOUT_S = 20

export const PlaybackSettings = Type.Object({
  provider_timeout_seconds: Type.Integer({
    title: 'Service timeout (seconds)',
    advanced: true,
    default: DEFAULT_TIMEOUT_S,
    minimum: MIN_TIMEOUT_S,
    maximum: MAX_TIMEOUT_S,
    description: 'If a service takes longer, only the others are shown.',
  }),
  disabled_profiles: Type.Array(Type.String({ maxLength: 200 }), {
    title: 'Hidden accounts',
    default: [],
    description: 'These accounts are not shown. Enter each as SERVICE:account, for example TRAKT:default.',
  }),
})
export type PlaybackSettings = Static<typeof PlaybackSettings>

/** Whole seconds within the limits; the default for anything but a number. */
export function clampTimeout(seconds: unknown): number {
  if (typeof seconds !== 'number' || Number.isNaN(seconds)) return DEFAULT_TIMEOUT_S
  return Math.min(MAX_TIMEOUT_S, Math.max(MIN_TIMEOUT_S, Math.round(seconds)))
}
