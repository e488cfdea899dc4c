// The form library draws a choice between constants as a list only when it knows their type, which most schemas leave
// to the constants.
interface Schema {
  readonly type?: unknown
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly const?: unknown
}

export function readable(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(readable)
  if (typeof schema !== 'object' || schema === null) return schema
  const { type, anyOf, oneOf } = schema as Schema
  const choices = anyOf ?? oneOf
  const types = new Set((choices ?? []).map((choice) => (choice.const === undefined ? '' : typeof choice.const)))
  const [only = ''] = types
  const known = type === undefined && types.size === 1 && only !== '' && only !== 'object' ? { type: only } : {}
  return {
    ...Object.fromEntries(
      Object.entries(schema).map(([name, value]) => [
        name,
        name === 'default' || name === 'const' || name === 'enum' ? value : readable(value),
      ]),
    ),
    ...known,
  }
}
