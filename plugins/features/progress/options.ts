// The options of a pair's progress.
import { asOptions, type FeatureOptions, readLibraries, readOptions, readSwitches, Type } from '@playhead/sdk'

export const ProgressOptions = Type.Object({
  min_seconds: Type.Number({ default: 60, minimum: 0, maximum: 86_400, description: 'Positions before this one are not written.' }),
  delta_seconds: Type.Number({ default: 30, minimum: 0, maximum: 3_600, description: 'Positions closer together than this are equal.' }),
  max_percent: Type.Number({
    default: 95,
    minimum: 0,
    maximum: 100,
    description: 'From here on a work counts as finished; its history is synced instead.',
  }),
  clear_below_min: Type.Boolean({ default: false, description: 'Also clear positions before min_seconds.' }),
  replay_enabled: Type.Boolean({ default: false, description: 'Write positions of works that the target has as watched.' }),
  timestamp_tolerance_seconds: Type.Number({
    default: 30,
    minimum: 0,
    maximum: 300,
    description: 'Times closer together than this are equal.',
  }),
  libraries: Type.Optional(Type.Record(Type.String(), Type.Array(Type.String()), { description: 'Library ids by provider.' })),
})

/** The options in the units that decisions need. */
export interface ProgressLimits {
  readonly minMs: number
  /** Positions that differ by less are equal. */
  readonly equalMs: number
  readonly maxPercent: number
  readonly clearBelowMin: boolean
  readonly replay: boolean
  readonly toleranceMs: number
}

export function normalizeProgress(options: unknown): FeatureOptions {
  const reader = readOptions(asOptions(options))
  const normal = {
    ...readSwitches(reader),
    min_seconds: reader.number('min_seconds', 60, { min: 0, max: 86_400 }),
    delta_seconds: reader.number('delta_seconds', 30, { min: 0, max: 3_600 }),
    max_percent: reader.number('max_percent', 95, { min: 0, max: 100 }),
    clear_below_min: reader.flag('clear_below_min', false),
    replay_enabled: reader.flag('replay_enabled', false),
    timestamp_tolerance_seconds: reader.number('timestamp_tolerance_seconds', 30, { min: 0, max: 300 }),
    ...readLibraries(reader),
  }
  reader.finish()
  return normal
}

export function limitsOf(options: FeatureOptions): ProgressLimits {
  const number = (name: string, fallback: number) => typeof options[name] === 'number' ? options[name] : fallback
  return {
    minMs: number('min_seconds', 60) * 1_000,
    // A difference below a second is no difference: services cut fractions off.
    equalMs: Math.max(1_000, number('delta_seconds', 30) * 1_000),
    maxPercent: number('max_percent', 95),
    clearBelowMin: options['clear_below_min'] === true,
    replay: options['replay_enabled'] === true,
    toleranceMs: number('timestamp_tolerance_seconds', 30) * 1_000,
  }
}
