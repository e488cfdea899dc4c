// Request validation and response serialization, compiled once per distinct schema and shared by all plugins. Schemas
// mostly survive a reload, and compiling them blocks the event loop.
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import ajvFormats from 'ajv-formats'
import fastJsonStringify from 'fast-json-stringify'
import type { FastifySchemaCompiler } from 'fastify'
import type { FastifySerializerCompiler } from 'fastify/types/schema.js'

// Limits memory: beyond this, the whole cache and its compiler are dropped.
const MAX_SCHEMAS = 2_000

export interface ValidationDetail {
  readonly loc: readonly (string | number)[]
  readonly msg: string
  readonly type: string
}

/** A malformed request: status 422 with the body `{ detail: [...] }`. */
export class ValidationProblem extends Error {
  readonly statusCode = 422
  readonly code = 'PLH_VALIDATION'
  readonly detail: readonly ValidationDetail[]

  constructor(detail: readonly ValidationDetail[]) {
    super(`${detail[0]?.loc.join('.') ?? 'request'}: ${detail[0]?.msg ?? 'invalid'}`)
    this.name = 'ValidationProblem'
    this.detail = detail
  }
}

const MAX_DEPTH = 64

/** JSON values that cannot be represented: infinite numbers and excessive nesting. Undefined if there are none. */
export function flawIn(value: unknown, depth = 0): string | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : 'Input has a number that is too large'
  if (typeof value !== 'object' || value === null) return undefined
  if (depth >= MAX_DEPTH) return `Input is nested more than ${MAX_DEPTH} deep`
  for (const each of Array.isArray(value) ? value : Object.values(value)) {
    const flaw = flawIn(each, depth + 1)
    if (flaw !== undefined) return flaw
  }
  return undefined
}

/** Integers beyond the safe range: never valid as a position, id or time. */
function inexactIn(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  return Object.keys(value).find((name) => {
    const given = (value as Record<string, unknown>)[name]
    return typeof given === 'number' && !(Math.abs(given) <= Number.MAX_SAFE_INTEGER)
  })
}

type Validator = (value: unknown) => { value: unknown } | { error: Error }

export interface Compilers {
  readonly validator: FastifySchemaCompiler<unknown>
  readonly serializer: FastifySerializerCompiler<unknown>
  /** Number of cached schemas. */
  size(): number
}

/** Compiles a schema on first use: for routes whose schemas are known to compile. */
export function lazily({ validator, serializer, size }: Compilers): Compilers {
  return {
    validator(route) {
      let validate: ReturnType<typeof validator> | undefined
      return ((value: unknown) => (validate ??= validator(route))(value)) as ReturnType<typeof validator>
    },
    serializer(route) {
      let serialize: ReturnType<typeof serializer> | undefined
      return (data) => (serialize ??= serializer(route))(data)
    },
    size,
  }
}

export function createCompilers(): Compilers {
  // Queries, parameters and headers are text and are coerced; JSON bodies are not.
  const text = cached(() => validatorCompiler(true))
  const body = cached(() => validatorCompiler(false))
  const serializers = cached(() => (schema) => fastJsonStringify(schema as object))

  return {
    validator: ({ schema, httpPart }) => {
      const part =
        httpPart === 'querystring'
          ? 'query'
          : httpPart === 'params'
            ? 'path'
            : httpPart === 'headers'
              ? 'header'
              : 'body'
      const compiled = (part === 'body' ? body : text).get(schema as object)
      const booleans = part === 'body' ? [] : booleanFields(schema)
      const validate: Validator = (given) => {
        // An absent body is null for the schema, so that `type: ['object', 'null']` makes it optional.
        const value = given ?? null
        if (booleans.length > 0) readBooleans(value as Record<string, unknown>, booleans)
        if (compiled(value)) {
          const inexact = part === 'body' ? undefined : inexactIn(value)
          return inexact === undefined
            ? { value }
            : {
                error: new ValidationProblem([
                  { loc: [part, inexact], msg: 'Input should be a valid number', type: 'int_parsing' },
                ]),
              }
        }
        return {
          error: new ValidationProblem(
            withoutAlternatives(compiled.errors ?? [])
              .slice(0, 50)
              .map((error) => toDetail(error, part, value)),
          ),
        }
      }
      return validate as never
    },
    serializer: ({ schema }) => serializers.get(schema as object) as (data: unknown) => string,
    size: () => text.size() + body.size() + serializers.size(),
  }
}

function validatorCompiler(coerceTypes: boolean): (schema: object) => ValidateFunction {
  // TypeBox schemas need no meta-schema validation, which is slow.
  const ajv = new Ajv({
    coerceTypes,
    useDefaults: true,
    allErrors: true,
    strict: false,
    removeAdditional: false,
    validateSchema: false,
    // V8 optimizes what is used often; Ajv would optimize all, in a quarter of the time that it takes to compile them.
    code: { optimize: false },
  })
  ajvFormats.default(ajv)
  return (schema) => {
    try {
      return ajv.compile(schema)
    } finally {
      // Ajv retains every schema object; only the compiled function is needed.
      ajv.removeSchema(schema)
    }
  }
}

/** @param newCompiler creates a compiler; called again when the cache is full */
function cached<Compiled>(newCompiler: () => (schema: object) => Compiled) {
  let bySchema = new Map<string, Compiled>()
  // Made with the first schema: most starts compile few.
  let compile: ReturnType<typeof newCompiler> | undefined
  return {
    get(schema: object): Compiled {
      const text = JSON.stringify(schema)
      let compiled = bySchema.get(text)
      if (compiled === undefined) {
        if (bySchema.size >= MAX_SCHEMAS) {
          bySchema = new Map()
          compile = undefined
        }
        compile ??= newCompiler()
        compiled = compile(JSON.parse(text) as object)
        bySchema.set(text, compiled)
      }
      return compiled
    },
    size: () => bySchema.size,
  }
}

function booleanFields(schema: unknown): readonly string[] {
  const properties = (schema as { properties?: Record<string, { type?: unknown }> }).properties ?? {}
  return Object.entries(properties)
    .filter(([, property]) => property.type === 'boolean')
    .map(([name]) => name)
}

const BOOLEANS = new Map<string, boolean>([
  ...['1', 'true', 'yes', 'on', 't', 'y'].map((word) => [word, true] as const),
  ...['0', 'false', 'no', 'off', 'f', 'n'].map((word) => [word, false] as const),
])

function readBooleans(value: Record<string, unknown>, fields: readonly string[]): void {
  for (const field of fields) {
    const given = value[field]
    if (typeof given !== 'string') continue
    const read = BOOLEANS.get(given.trim().toLowerCase())
    // Left as text, so that the schema rejects it.
    value[field] = read ?? `"${given}"`
  }
}

const TYPE_NAMES: Readonly<Record<string, readonly [type: string, msg: string]>> = {
  integer: ['int_parsing', 'Input should be a valid integer'],
  number: ['float_parsing', 'Input should be a valid number'],
  boolean: ['bool_parsing', 'Input should be a valid boolean'],
  string: ['string_type', 'Input should be a valid string'],
  array: ['list_type', 'Input should be a valid list'],
  object: ['dict_type', 'Input should be a valid object'],
  null: ['none_required', 'Input should be null'],
}

const KEYWORD_NAMES: Readonly<Record<string, string>> = {
  minimum: 'greater_than_equal',
  maximum: 'less_than_equal',
  exclusiveMinimum: 'greater_than',
  exclusiveMaximum: 'less_than',
  multipleOf: 'multiple_of',
  minLength: 'string_too_short',
  maxLength: 'string_too_long',
  pattern: 'string_pattern_mismatch',
  minItems: 'too_short',
  maxItems: 'too_long',
  enum: 'enum',
  const: 'literal_error',
  additionalProperties: 'extra_forbidden',
  anyOf: 'union_error',
  oneOf: 'union_error',
}

/** One of several fixed values is one problem: an `enum` with all of them instead of a problem for each. */
function withoutAlternatives(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  return [...Map.groupBy(errors, ({ instancePath }) => instancePath).values()].flatMap((same) => {
    const unions = same.filter(({ keyword }) => keyword === 'anyOf')
    const values = same.flatMap(allowedValues)
    const others = same.filter((error) => allowedValues(error).length === 0)
    if (unions.length === 0 || values.length === 0 || others.length > unions.length) return same
    return [{ ...unions[0]!, keyword: 'enum', params: { allowedValues: [...new Set(values)] } }]
  })
}

function allowedValues({ keyword, params }: ErrorObject): readonly unknown[] {
  if (keyword === 'const') return [params['allowedValue']]
  if (keyword === 'enum') return params['allowedValues'] as readonly unknown[]
  return keyword === 'type' && params['type'] === 'null' ? [null] : []
}

function toDetail(error: ErrorObject, part: string, value: unknown): ValidationDetail {
  const at = error.instancePath.split('/').slice(1).map(decodePointer)
  const loc = [part, ...at]
  if (error.keyword === 'required')
    return { loc: [...loc, String(error.params['missingProperty'])], msg: 'Field required', type: 'missing' }
  if (error.keyword === 'additionalProperties') {
    return {
      loc: [...loc, String(error.params['additionalProperty'])],
      msg: 'Extra fields are not permitted',
      type: 'extra_forbidden',
    }
  }
  if (error.keyword === 'type') {
    if (at.length === 0 && value === null) return { loc, msg: 'Field required', type: 'missing' }
    const wanted = ([] as string[]).concat(error.params['type'] as string | string[])[0] ?? ''
    const [type, msg] = TYPE_NAMES[wanted] ?? ['type_error', error.message ?? 'Wrong type']
    return { loc, msg, type }
  }
  if (error.keyword === 'enum' || error.keyword === 'const') {
    const msg = `Input should be ${allowedValues(error)
      .map((one) => JSON.stringify(one))
      .join(' or ')}`
    return { loc, msg, type: KEYWORD_NAMES[error.keyword] as string }
  }
  return { loc, msg: `Input ${error.message ?? 'is invalid'}`, type: KEYWORD_NAMES[error.keyword] ?? 'value_error' }
}

function decodePointer(part: string): string | number {
  return /^\d+$/.test(part) ? Number(part) : part.replaceAll('~1', '/').replaceAll('~0', '~')
}
