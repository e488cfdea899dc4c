// Common parts of route and settings schemas.
import { ORIGINS } from './origin.ts'
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

/** `Origin` in responses. */
export const ShownOrigin = Type.Object(
  {
    provider: Type.String(),
    instance: Type.String(),
    act: oneOf(['set', 'remove']),
    at: orNull(Type.String({ description: 'The time of the act, or its day; ISO 8601.' })),
    by: Type.Union(
      ORIGINS.map((by) => Type.Literal(by)),
      {
        description:
          'How it is known. person: a person acted there. written: the account shows what Playhead wrote because of it. undo: an undo. requested: a change that a person made through Playhead. unknown: nothing but what the account shows is known.',
      },
    ),
    value: Type.Optional(Type.String({ description: 'The rating.' })),
    from_at: Type.Optional(Type.String({ description: 'The act is later than this; ISO 8601.' })),
    to_at: Type.Optional(Type.String({ description: 'The act is earlier than this; ISO 8601.' })),
  },
  {
    title: 'Origin',
    description: 'The account at which a person acted, and when; times that are not known are left out.',
  },
)
