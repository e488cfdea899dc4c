// Simplifies section schemas for the form.
export interface Schema {
  readonly type?: unknown
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly anyOf?: readonly Schema[]
  readonly [keyword: string]: unknown
}

/** A value that may be a list or a text becomes a list. No field is required, because every field has a default. */
export function simpler(schema: Schema): Schema {
  const list = schema.anyOf?.find(({ type }) => type === 'array')
  if (list !== undefined && schema.anyOf?.every(({ type }) => type === 'array' || type === 'string') === true) {
    const { anyOf: _alternatives, ...rest } = schema
    return { ...rest, ...list }
  }
  if (schema.properties === undefined) return schema
  const { required: _defaulted, ...rest } = schema
  return {
    ...rest,
    properties: Object.fromEntries(Object.entries(schema.properties).map(([name, field]) => [name, simpler(field)])),
  }
}

export function choose(schema: Schema, names: readonly string[]): Schema {
  return {
    ...schema,
    properties: Object.fromEntries(Object.entries(schema.properties ?? {}).filter(([name]) => names.includes(name))),
    required: (schema.required ?? []).filter((name) => names.includes(name)),
  }
}
