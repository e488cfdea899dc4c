// Keeps only keywords of JSON Schema 2020-12 and OpenAPI 3.1 in a schema: settings schemas have keywords of our own,
// and plugins may have others.

const PLAIN = [
  ...[
    '$ref',
    '$comment',
    'title',
    'description',
    'default',
    'deprecated',
    'readOnly',
    'writeOnly',
    'examples',
    'example',
  ],
  ...['type', 'enum', 'const', 'format', 'contentEncoding', 'contentMediaType', 'pattern', 'minLength', 'maxLength'],
  ...[
    'minimum',
    'maximum',
    'exclusiveMinimum',
    'exclusiveMaximum',
    'multipleOf',
    'minItems',
    'maxItems',
    'uniqueItems',
  ],
  ...[
    'minContains',
    'maxContains',
    'minProperties',
    'maxProperties',
    'required',
    'dependentRequired',
    'discriminator',
    'xml',
  ],
]
const ONE = [
  ...['items', 'contains', 'additionalProperties', 'propertyNames', 'unevaluatedItems', 'unevaluatedProperties'],
  ...['not', 'if', 'then', 'else', 'contentSchema'],
]
const MANY = ['allOf', 'anyOf', 'oneOf', 'prefixItems']
const NAMED = ['properties', 'patternProperties', 'dependentSchemas', '$defs']

/** Grouped by their value: plain data, a schema, a list of schemas, or schemas by name. */
export const KEYWORDS: Readonly<Record<'plain' | 'one' | 'many' | 'named', readonly string[]>> = {
  plain: PLAIN,
  one: ONE,
  many: MANY,
  named: NAMED,
}

const KEPT = new Set(PLAIN)
const SCHEMA = new Set(ONE)
const LIST = new Set(MANY)
const MAP = new Set(NAMED)

/** Makes properties with a default optional: a request may omit them. */
export function requestSchema(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(requestSchema)
  if (typeof schema !== 'object' || schema === null) return schema
  const { properties, required, items, anyOf } = schema as Readonly<Record<string, unknown>>
  const named = properties as Readonly<Record<string, { readonly default?: unknown }>> | undefined
  const needed = (required as readonly string[] | undefined)?.filter((name) => named?.[name]?.default === undefined)
  const { required: _, ...rest } = schema as Readonly<Record<string, unknown>>
  return {
    ...rest,
    ...(needed === undefined || needed.length === 0 ? {} : { required: needed }),
    ...(named === undefined
      ? {}
      : { properties: Object.fromEntries(Object.entries(named).map(([name, one]) => [name, requestSchema(one)])) }),
    ...(items === undefined ? {} : { items: requestSchema(items) }),
    ...(anyOf === undefined ? {} : { anyOf: requestSchema(anyOf) }),
  }
}

/** A copy without foreign keywords; a list of items (draft 7) becomes `prefixItems`. */
export function plainSchema(schema: unknown): unknown {
  if (typeof schema !== 'object' || schema === null) return schema
  const plain: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(schema)) {
    if (key === 'items' && Array.isArray(value)) plain['prefixItems'] = value.map(plainSchema)
    else if (key === 'additionalItems') {
      if (Array.isArray((schema as { items?: unknown }).items)) plain['items'] = plainSchema(value)
    } else if (key === 'definitions') plain['$defs'] = mapped(value)
    else if (KEPT.has(key)) plain[key] = value
    else if (SCHEMA.has(key)) plain[key] = plainSchema(value)
    else if (LIST.has(key)) plain[key] = (value as unknown[]).map(plainSchema)
    else if (MAP.has(key)) plain[key] = mapped(value)
  }
  return plain
}

function mapped(schemas: unknown): Record<string, unknown> {
  return Object.fromEntries(Object.entries(schemas as object).map(([name, schema]) => [name, plainSchema(schema)]))
}
