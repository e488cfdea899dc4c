// A stricter form of the description: objects with described members have no others. `additionalProperties: true` allows
// members of later versions, which this version does not send.

type Schema = Readonly<Record<string, unknown>>

const REF = '#/components/schemas/'
const OPEN = '#/components/open/'
const LISTS = ['anyOf', 'oneOf', 'allOf', 'prefixItems']
const NAMED = ['properties', 'patternProperties', '$defs']
const SINGLE = ['items', 'additionalProperties']

/** The strict form of one schema. @param isPart part of a larger schema (`allOf`), which may have its own members */
export function strictSchema(schema: unknown, isPart = false): unknown {
  if (typeof schema !== 'object' || schema === null) return schema
  const { $ref, properties, allOf, additionalProperties } = schema as Schema
  const hasMembers = Object.keys(properties ?? {}).length > 0
  const isWhole = hasMembers || allOf !== undefined
  const strict: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(schema)) {
    if (LISTS.includes(key))
      strict[key] = (value as unknown[]).map((one) => strictSchema(one, key === 'allOf' || isWhole || isPart))
    else if (NAMED.includes(key))
      strict[key] = Object.fromEntries(Object.entries(value as object).map(([name, one]) => [name, strictSchema(one)]))
    else if (key === 'additionalProperties' && value === true && hasMembers) continue
    else strict[key] = SINGLE.includes(key) ? strictSchema(value) : value
  }
  if (typeof $ref === 'string' && isPart) strict['$ref'] = $ref.replace(REF, OPEN)
  if (isWhole && !isPart && typeof additionalProperties !== 'object') strict['unevaluatedProperties'] = false
  return strict
}

interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, object>>>>
  readonly components: { readonly schemas: Readonly<Record<string, object>> }
}

export function strictDescription({ paths, components }: Description): object {
  const all = (isPart: boolean) =>
    Object.fromEntries(Object.entries(components.schemas).map(([name, one]) => [name, strictSchema(one, isPart)]))
  return { paths: mapSchemas(paths), components: { ...components, schemas: all(false), open: all(true) } }
}

function mapSchemas(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(mapSchemas)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [key, key === 'schema' ? strictSchema(one) : mapSchemas(one)]),
  )
}
