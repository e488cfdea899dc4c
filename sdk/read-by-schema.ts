// Reads settings and requests in the form of their schema. Further accepted forms are declared at the schema.
import { OptionalKind, type Static, type TSchema } from '@sinclair/typebox'
import { isRecord } from './items/result.ts'

// A symbol, so that forms, validators and the API description do not see it; shared by copies of the SDK.
const READ = Symbol.for('playhead.read')

interface ReadSchema extends TSchema {
  readonly type?: string
  readonly items?: ReadSchema
  readonly properties?: Readonly<Record<string, ReadSchema>>
  readonly patternProperties?: Readonly<Record<string, ReadSchema>>
  readonly additionalProperties?: boolean | ReadSchema
  readonly [READ]?: (value: unknown) => unknown
}

/**
 * The schema, for values in other forms too, for example a list as text, or an object with older names. The function
 * gets the sent value, also undefined, and returns unknown forms unchanged. Members and items are read after it.
 *
 * @example readAs(Type.String({ pattern: '^[A-Z]+$' }), (value) => readText(value).toUpperCase())
 */
export function readAs<Schema extends TSchema>(schema: Schema, read: (value: unknown) => unknown): Schema {
  return { ...schema, [READ]: read }
}

/**
 * The value in the form of the schema, for settings whose schema rejects wrong values. An object has the members that
 * its schema knows, with their defaults. Numbers may be text; null is an absent value. Nothing is validated.
 *
 * @param fit replaces a value that is not an object or list of its schema; by default, wrong values stay as they are
 */
export function readBySchema<Schema extends TSchema>(
  schema: Schema,
  value: unknown,
  fit: (value: unknown, schema: TSchema) => unknown = leave,
): Static<Schema> {
  const { type, items, [READ]: read } = schema as unknown as ReadSchema
  const given = read === undefined ? value : read(value)
  if (type === 'object' && (given !== undefined || !(OptionalKind in schema)))
    return readObject(schema as unknown as ReadSchema, isRecord(given) ? given : {}, fit)
  if (items === undefined || !Array.isArray(given)) return fit(given, schema) as Static<Schema>
  return given.map((item) => readBySchema(items, item, fit))
}

function readObject(
  { properties = {}, patternProperties = {}, additionalProperties }: ReadSchema,
  given: Readonly<Record<string, unknown>>,
  fit: (value: unknown, schema: TSchema) => unknown,
): Readonly<Record<string, unknown>> {
  const patterns = Object.entries(patternProperties).map(
    ([pattern, schema]) => [new RegExp(pattern, 'su'), schema] as const,
  )
  const others = typeof additionalProperties === 'object' ? additionalProperties : undefined
  const further = Object.keys(given).flatMap((name) => {
    const schema = Object.hasOwn(properties, name)
      ? undefined
      : (patterns.find(([pattern]) => pattern.test(name))?.[1] ?? others)
    return schema === undefined ? [] : [[name, schema] as const]
  })
  const members = [...Object.entries(properties), ...further].map(
    ([name, schema]) =>
      [name, readBySchema(schema, Object.hasOwn(given, name) ? given[name] : undefined, fit)] as const,
  )
  return Object.fromEntries(members.filter(([, value]) => value !== undefined))
}

function leave(value: unknown, { type, default: fallback }: TSchema): unknown {
  const isNumber = type === 'number' || type === 'integer'
  if (value === undefined || value === null) return structuredClone(fallback) ?? (isNumber ? undefined : value)
  return isNumber ? (readNumber(value) ?? value) : value
}

/** The trimmed text of a text or number; empty for anything else. */
export function readText(value: unknown): string {
  return typeof value === 'string' ? value.trim() : typeof value === 'number' ? String(value) : ''
}

/** A finite number, also from text; undefined for anything else. */
export function readNumber(value: unknown): number | undefined {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined
}

/** The id of a provider as a person writes it: `mediaA` is `MEDIAA`. */
export function readProvider(value: unknown): string {
  return readText(value).toUpperCase()
}

/** The id of a profile as a person writes it: without one, and for `Default`, it is `default`. */
export function readInstance(value: unknown): string {
  const id = readProvider(value)
  return id === '' || id === 'DEFAULT' ? 'default' : id
}
