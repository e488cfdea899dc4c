// Fields that the profiles of many providers have.
import { Type, type TSchema } from '@sinclair/typebox'

/** Base URL of a service. */
export function addressField(url: string, description: string) {
  return Type.String({ default: url, maxLength: 500, pattern: '^https?://\\S+$', description })
}

/** A number that further profiles inherit from the default one. */
export function tuningField(value: number, minimum: number, maximum: number, description: string) {
  return Type.Integer({ default: value, minimum, maximum, inherit: true, description })
}

/** A setting of earlier versions that is still accepted but has no effect. Forms do not show it. */
export function olderField<Field extends TSchema>(field: Field): Field {
  return { ...field, deprecated: true }
}

/** A setting that the plugin itself keeps, such as a token of a sign-in. Forms do not show it. */
export function ownField<Field extends TSchema>(field: Field): Field {
  return { ...field, readOnly: true }
}

/** `rate_limit`, in requests per second. */
export function rateLimitField(reads: number, writes: number) {
  const perSecond = (value: number, title: string, description: string) =>
    Type.Number({ default: value, minimum: 0, maximum: 1_000, title, description })
  return Type.Object(
    {
      get_per_sec: perSecond(reads, 'Reads per second', '0: no limit of ours.'),
      post_per_sec: perSecond(writes, 'Writes per second', '0: no limit of ours.'),
    },
    { default: { get_per_sec: reads, post_per_sec: writes }, inherit: true },
  )
}
