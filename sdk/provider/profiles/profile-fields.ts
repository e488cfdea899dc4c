// Fields that the profiles of many providers have.
import { Type } from '@sinclair/typebox'

/** Base URL of a service. */
export function addressField(url: string, description: string) {
  return Type.String({ default: url, maxLength: 500, pattern: '^https?://\\S+$', description })
}

/** A number that further profiles inherit from the default one. */
export function tuningField(value: number, minimum: number, maximum: number, description: string) {
  return Type.Integer({ default: value, minimum, maximum, inherit: true, description })
}

/** `rate_limit`, in requests per second. */
export function rateLimitField(reads: number, writes: number) {
  const perSecond = (value: number, description: string) =>
    Type.Number({ default: value, minimum: 0, maximum: 1_000, description })
  return Type.Object(
    {
      get_per_sec: perSecond(reads, 'Reads per second; 0: no limit of ours.'),
      post_per_sec: perSecond(writes, 'Writes per second; 0: no limit of ours.'),
    },
    { default: { get_per_sec: reads, post_per_sec: writes }, inherit: true },
  )
}
