// Pieces that the schemas of many routes and settings are made of.
import { type TSchema, Type } from '@sinclair/typebox'

export const orNull = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()])

/** One of these words. With a fallback it may be left out. */
export const oneOf = <const Name extends string>(names: readonly Name[], fallback?: Name) =>
  Type.Unsafe<Name>({ type: 'string', enum: [...names], ...(fallback === undefined ? {} : { default: fallback }) })
