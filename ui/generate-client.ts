// Writes sdk/client/schema.ts: the parameters, body and answer of every operation of the OpenAPI description as
// TypeScript. `npm run generate:client` starts a service in a temporary folder.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readEnvironment } from '../core/environment.ts'
import { startPlayhead } from '../core/main.ts'

export const SCHEMA_FILE = join(import.meta.dirname, '../sdk/client/schema.ts')

interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean | Schema
  readonly patternProperties?: Readonly<Record<string, Schema>>
  readonly description?: string
  readonly nullable?: boolean
  readonly default?: unknown
}

interface Content {
  readonly content?: Readonly<Record<string, { readonly schema?: Schema }>>
}

interface OperationObject {
  readonly summary?: string
  readonly parameters?: readonly {
    readonly name: string
    readonly in: string
    readonly required?: boolean
    readonly schema?: Schema
  }[]
  readonly requestBody?: Content & { readonly required?: boolean }
  readonly responses?: Readonly<Record<string, Content>>
}

interface ApiDescription {
  readonly paths?: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>
  readonly components?: { readonly schemas?: Readonly<Record<string, Schema>> }
}

export function generateClient({ paths = {}, components = {} }: ApiDescription): string {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), ...operation })),
  )
  const shared = Object.entries(components.schemas ?? {})
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, schema]) => `export type ${identifier(name)} = ${typeOf(schema)}`)
  const entries = operations
    .sort((a, b) => (a.path === b.path ? (a.method < b.method ? -1 : 1) : a.path < b.path ? -1 : 1))
    .map(entry)
  return `// Written by ui/generate-client.ts from the service's description; do not edit.\n${shared.join('\n')}${shared.length > 0 ? '\n' : ''}
export interface Operations {\n${entries.join('\n')}\n}\n`
}

function entry({
  method,
  path,
  summary,
  parameters = [],
  requestBody,
  responses = {},
}: OperationObject & { method: string; path: string }): string {
  const lines = [
    ...group(
      'params',
      parameters.filter((one) => one.in === 'path').map((one) => ({ ...one, required: true })),
    ),
    ...group(
      'query',
      parameters
        .filter((one) => one.in === 'query')
        .map((one) => ({ ...one, required: one.required === true && one.schema?.default === undefined })),
    ),
    ...(requestBody === undefined
      ? []
      : [`    body${requestBody.required === true ? '' : '?'}: ${typeOf(withoutDefaults(jsonOf(requestBody)), 2)}`]),
    `    answer: ${typeOf(jsonOf(Object.entries(responses).find(([code]) => code.startsWith('2'))?.[1]), 2)}`,
  ]
  return `${summary === undefined ? '' : `  /** ${summary.replaceAll('*/', '')} */\n`}  ${quote(`${method} ${path}`)}: {\n${lines.join('\n')}\n  }`
}

function group(
  name: string,
  parameters: readonly { readonly name: string; readonly required?: boolean; readonly schema?: Schema }[],
): string[] {
  if (parameters.length === 0) return []
  const isOptional = parameters.every((one) => one.required !== true)
  const members = parameters.map(
    (one) => `${key(one.name)}${one.required === true ? '' : '?'}: ${typeOf(one.schema, 2)}`,
  )
  return [`    ${name}${isOptional ? '?' : ''}: { ${members.join('; ')} }`]
}

function jsonOf(content: Content | undefined): Schema | undefined {
  return Object.entries(content?.content ?? {}).find(([type]) => type.includes('json'))?.[1].schema
}

/** A property with a default is optional in a request. */
function withoutDefaults(schema: Schema | undefined): Schema | undefined {
  if (schema === undefined) return undefined
  const { properties, required = [], items, anyOf } = schema
  return {
    ...schema,
    ...(properties === undefined
      ? {}
      : {
          properties: Object.fromEntries(
            Object.entries(properties).map(([name, one]) => [name, withoutDefaults(one) as Schema]),
          ),
          required: required.filter((name) => properties[name]?.default === undefined),
        }),
    ...(items === undefined ? {} : { items: withoutDefaults(items) as Schema }),
    anyOf: anyOf?.map((one) => withoutDefaults(one) as Schema),
  }
}

function typeOf(schema: Schema | undefined, depth = 0): string {
  if (schema === undefined) return 'unknown'
  if (schema.nullable === true) return union([typeOf({ ...schema, nullable: false }, depth), 'null'])
  if (schema.$ref !== undefined) return identifier(schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1))
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum !== undefined) return union(schema.enum.map((one) => JSON.stringify(one)))
  const choices = schema.anyOf ?? schema.oneOf
  if (choices !== undefined) return union(choices.map((one) => typeOf(one, depth)))
  if (schema.allOf !== undefined) return schema.allOf.map((one) => `(${typeOf(one, depth)})`).join(' & ')
  if (Array.isArray(schema.type)) return union(schema.type.map((type) => typeOf({ ...schema, type }, depth)))
  if (schema.type === 'array') return `(${typeOf(schema.items, depth)})[]`
  if (schema.type === 'object' || schema.properties !== undefined) return objectType(schema, depth)
  return (
    { string: 'string', number: 'number', integer: 'number', boolean: 'boolean', null: 'null' }[
      schema.type as string
    ] ?? 'unknown'
  )
}

function objectType(
  { properties = {}, required = [], additionalProperties, patternProperties = {} }: Schema,
  depth: number,
): string {
  const pad = '  '.repeat(depth + 1)
  const members = Object.entries(properties).map(
    ([name, schema]) =>
      `${schema.description === undefined ? '' : `${pad}/** ${schema.description.replaceAll('*/', '').replaceAll('\n', ' ')} */\n`}${pad}${key(name)}${required.includes(name) ? '' : '?'}: ${typeOf(schema, depth + 1)}`,
  )
  const values = Object.values(patternProperties)
  const rest =
    values.length > 0
      ? union(values.map((one) => typeOf(one, depth + 1)))
      : typeof additionalProperties === 'object'
        ? typeOf(additionalProperties, depth + 1)
        : additionalProperties === true
          ? 'unknown'
          : undefined
  const open = rest === undefined ? undefined : `Record<string, ${rest}>`
  if (members.length === 0) return open ?? 'Record<string, unknown>'
  const closed = `{\n${members.join('\n')}\n${'  '.repeat(depth)}}`
  return open === undefined ? closed : `${closed} & Record<string, unknown>`
}

function union(types: readonly string[]): string {
  return [...new Set(types)].join(' | ')
}

function identifier(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9_]/g, '_')
}

function key(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : quote(name)
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "\\'")}'`
}

if (import.meta.main) {
  const directory = await mkdtemp(join(tmpdir(), 'playhead-client-'))
  const playhead = await startPlayhead({
    environment: readEnvironment({ PLAYHEAD_DATA_DIR: directory, PLAYHEAD_PORT: '0', PLAYHEAD_LOG_LEVEL: 'error' }),
    logTo: () => {},
    processGuards: false,
    host: { watch: false, watchdog: false },
  })
  try {
    const account = await fetch(`${playhead.url}/api/app-auth/credentials`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ enabled: true, username: 'generator', password: crypto.randomUUID() }),
    })
    const description = await fetch(`${playhead.url}/openapi.json`, {
      headers: { cookie: (account.headers.get('set-cookie') ?? '').split(';')[0] as string },
    })
    if (!description.ok) throw new Error(`The description was refused: ${description.status}`)
    await writeFile(SCHEMA_FILE, generateClient((await description.json()) as ApiDescription))
  } finally {
    await playhead.stop()
    await rm(directory, { recursive: true, force: true })
  }
}
