// Pieces that the schemas of many routes and settings are made of.
import { type SchemaOptions, type Static, type TObject, type TSchema, type TUnsafe, Type } from '@sinclair/typebox'

export const orNull = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()])

/** One of these words. With a fallback it may be left out. */
export const oneOf = <const Name extends string>(names: readonly Name[], fallback?: Name) =>
  Type.Unsafe<Name>({ type: 'string', enum: [...names], ...(fallback === undefined ? {} : { default: fallback }) })

/** One of these words, each with what people read instead of it. */
export const titledChoice = <Name extends string>(
  titles: Readonly<Record<Name, string>>,
  options: SchemaOptions = {},
) =>
  Type.Unsafe<Name>({
    type: 'string',
    ...options,
    oneOf: Object.entries(titles).map(([name, title]) => ({ const: name, title })),
  })

/** The schema of a JSON body that a client may leave out: `request.body` is then null. */
export function optionalBody<Schema extends TObject>(schema: Schema): TUnsafe<Static<Schema> | null> {
  return Type.Unsafe({ ...schema, type: ['object', 'null'] })
}
