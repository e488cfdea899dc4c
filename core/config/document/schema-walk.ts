// Finds the subschemas for a path of a document.
import type { Path } from './document.ts'

/** The subset of JSON schema used by settings, with two additions. */
export interface JsonSchema {
  readonly type?: string | readonly string[]
  readonly default?: unknown
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly patternProperties?: Readonly<Record<string, JsonSchema>>
  readonly additionalProperties?: boolean | JsonSchema
  readonly items?: JsonSchema | readonly JsonSchema[]
  readonly anyOf?: readonly JsonSchema[]
  readonly oneOf?: readonly JsonSchema[]
  readonly allOf?: readonly JsonSchema[]
  /** The value, and all below it, is secret. */
  readonly secret?: boolean
  /** Sibling key with the address that this secret may be sent to. */
  readonly boundTo?: string
}

/** A schema with all its alternatives. */
export function alternatives(schema: JsonSchema): readonly JsonSchema[] {
  return [schema, ...[...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])].flatMap(alternatives)]
}

/** All subschemas for one key or element. */
export function schemasBelow(schema: JsonSchema, part: string | number): readonly JsonSchema[] {
  return alternatives(schema).flatMap((one) => {
    if (typeof part === 'number') return elementSchema(one, part) ?? []
    if (one.properties !== undefined && Object.hasOwn(one.properties, part)) return one.properties[part] as JsonSchema
    const matching = Object.entries(one.patternProperties ?? {}).filter(([pattern]) =>
      new RegExp(pattern, 'u').test(part),
    )
    if (matching.length > 0) return matching.map(([, below]) => below)
    return typeof one.additionalProperties === 'object' ? one.additionalProperties : []
  })
}

/** All subschemas for a path; empty if unknown. */
export function schemasAt(schema: JsonSchema, path: Path): readonly JsonSchema[] {
  return path.reduce<readonly JsonSchema[]>(
    (schemas, part) => schemas.flatMap((one) => schemasBelow(one, part)),
    [schema],
  )
}

/** `undefined` if the schema does not know the path; otherwise whether it or an ancestor is secret. */
export function isMarkedSecret(schema: JsonSchema, path: Path): boolean | undefined {
  let schemas: readonly JsonSchema[] = [schema]
  for (const part of path) {
    if (marked(schemas)) return true
    schemas = schemas.flatMap((one) => schemasBelow(one, part))
    if (schemas.length === 0) return undefined
  }
  return marked(schemas)
}

function marked(schemas: readonly JsonSchema[]): boolean {
  return schemas.some((schema) => alternatives(schema).some((one) => one.secret === true))
}

function elementSchema(schema: JsonSchema, index: number): JsonSchema | undefined {
  return Array.isArray(schema.items)
    ? (schema.items as readonly JsonSchema[])[index]
    : (schema.items as JsonSchema | undefined)
}
