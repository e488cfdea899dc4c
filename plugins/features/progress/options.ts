import { Type } from '@playhead/sdk'
import { type FeatureOptions, LibraryChoice } from '@playhead/sdk/sync'

export const ProgressOptions = Type.Object({
  min_seconds: Type.Number({
    title: 'Minimum position (seconds)',
    default: 60,
    minimum: 0,
    maximum: 86_400,
    description: 'Earlier positions are not synced.',
  }),
  clear_below_min: Type.Boolean({
    title: 'Clear earlier positions',
    default: false,
    description: 'A position below the minimum is also cleared on the other account.',
  }),
  max_percent: Type.Number({
    title: 'Finished at (percent)',
    default: 95,
    minimum: 0,
    maximum: 100,
    description: 'From this position a title counts as watched, and its position is not synced.',
  }),
  delta_seconds: Type.Number({
    title: 'Ignore differences up to (seconds)',
    default: 30,
    minimum: 0,
    maximum: 3_600,
    description: 'Positions that are closer together count as the same.',
  }),
  timestamp_tolerance_seconds: Type.Number({
    title: 'Simultaneous changes (seconds)',
    default: 30,
    minimum: 0,
    maximum: 300,
    description: 'If both accounts change within this time, neither counts as newer.',
  }),
  replay_enabled: Type.Boolean({
    title: 'Include rewatched titles',
    default: false,
    description: 'Also syncs positions of titles that the other account has as watched.',
  }),
  libraries: Type.Optional(LibraryChoice),
})

/** The options in the units of the decisions. */
export interface ProgressLimits {
  readonly minMs: number
  /** Positions that differ by less are equal. */
  readonly equalMs: number
  readonly maxPercent: number
  readonly clearBelowMin: boolean
  readonly replay: boolean
  readonly toleranceMs: number
}

export function limitsOf(options: FeatureOptions): ProgressLimits {
  const number = (name: string, fallback: number) => (typeof options[name] === 'number' ? options[name] : fallback)
  return {
    minMs: number('min_seconds', 60) * 1_000,
    // Services cut off fractions of a second.
    equalMs: Math.max(1_000, number('delta_seconds', 30) * 1_000),
    maxPercent: number('max_percent', 95),
    clearBelowMin: options['clear_below_min'] === true,
    replay: options['replay_enabled'] === true,
    toleranceMs: number('timestamp_tolerance_seconds', 30) * 1_000,
  }
}
