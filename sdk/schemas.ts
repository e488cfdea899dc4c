// Common parts of route and settings schemas.
import { type SchemaOptions, type Static, type TObject, type TSchema, type TUnsafe, Type } from '@sinclair/typebox'
import { defined } from './defined.ts'

export const orNull = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()])

/** An enumeration of words. Optional with a fallback. */
export const oneOf = <const Name extends string>(names: readonly Name[], fallback?: Name) =>
  Type.Unsafe<Name>({ type: 'string', enum: [...names], ...defined({ default: fallback }) })

/** An enumeration of words with display titles. */
export const titledChoice = <Name extends string>(
  titles: Readonly<Record<Name, string>>,
  options: SchemaOptions = {},
) =>
  Type.Unsafe<Name>({
    type: 'string',
    ...options,
    oneOf: Object.entries(titles).map(([name, title]) => ({ const: name, title })),
  })

/** Schema of an optional JSON body: `request.body` is null without one. */
export function optionalBody<Schema extends TObject>(schema: Schema): TUnsafe<Static<Schema> | null> {
  return Type.Unsafe({ ...schema, type: ['object', 'null'] })
}

/** A `PluginMark` in an answer. */
export const ShownMark = Type.Object(
  { color: Type.String(), path: Type.Optional(Type.String()) },
  {
    title: 'Mark',
    description:
      'The sign of a service: a colour, and the d of an SVG path that is drawn on it in white, in a square of 24.',
  },
)
